import { onAbort } from '../../clock/abortable.js';
import { createBackoff } from '../../clock/backoff.js';
import { systemClock } from '../../clock/clock.js';
import { endable } from '../../clock/endable.js';
import { keepProcessAlive } from '../../clock/keep-process-alive.js';
import { createFailureSeries } from '../../observe/failure-series.js';
import { createNotifier } from '../../observe/observation.js';
import type { Event } from '../../model/event.js';
import type { WatchFrame } from '../contract/events-client.js';
import { isStatusError } from '../contract/errors.js';
import { createAttempts } from './attempts.js';
import { openConnection } from './one-connection.js';
import { failure, isFinal, isNoWatchList, isRewound } from './refusals.js';
import { isOlder, keyOf, revisionOf } from '../requests/revisions.js';
import { failedBeforeResponse } from '../requests/watch-request.js';
import { createSharedDeletions } from './shared-deletions.js';
import { createSilenceLimit } from './silence.js';
import type { View } from './view.js';
import type { FollowOptions } from './watch-options.js';

const MAX_PAUSE_MS = 10_000;
/** All initial frames together may take this many times `WATCH_LIST_MS`. */
const INITIAL_FRAMES = 6;
/** How long a server may send nothing before the end of the initial events, in milliseconds. */
const WATCH_LIST_MS = 10_000;
/** A connection that waited so long without a failure counts as one that worked, in milliseconds. */
const LASTING_MS = 10_000;
const INITIAL_END = 'k8s.io/initial-events-end';

interface FollowDependencies<Given> {
  readonly view: View<Given>;
  /** Where the watch begins. `list`: with existing events; `latest`: now, without a list. */
  readonly start: 'list' | 'latest' | { readonly after: string };
  readonly watchList: boolean;
  readonly onListed?: (() => void) | undefined;
}

/**
 * Follows the events of a server until the signal is aborted or the iterator is ended: lists, watches, and resumes at
 * its position. `where` names the function in observations. @throws a permanent refusal
 */
export function follow<Given>(
  where: string,
  options: FollowOptions & { readonly signal?: AbortSignal | undefined },
  dependencies: FollowDependencies<Given>,
): AsyncIterableIterator<Given> {
  return endable(options.signal, (signal) => createFollower(where, options, dependencies, signal));
}

function createFollower<Given>(
  where: string,
  options: FollowOptions,
  { view, start, watchList, onListed }: FollowDependencies<Given>,
  signal: AbortSignal,
): AsyncGenerator<Given, void, undefined> {
  const { client, pageSize, silenceMs = 30_000, clock = systemClock } = options;
  const { namespace, fieldSelector, labelSelector } = options;
  const selection = { namespace, fieldSelector, labelSelector };
  const silence = createSilenceLimit(silenceMs, clock.monotonic());
  const backoff = createBackoff(clock, MAX_PAUSE_MS);
  /** Lists cost a server more than watches: the pauses before them grow until a watch lasts, whatever it sends. */
  const relistBackoff = createBackoff(clock, MAX_PAUSE_MS);
  const failures = createFailureSeries(where, createNotifier(options.observe), clock);
  const attempts = createAttempts(failures, backoff, silence);
  /** The last revision that was seen; undefined before the first list. */
  let position = typeof start === 'object' ? start.after : undefined;
  let mustList = start === 'list';
  /** The server's revisions may have gone back since the last frame. */
  let mustCompare = position !== undefined;
  let usesWatchList = watchList;
  let deletions = createSharedDeletions();

  /** Changes come from here itself: one more generator, or `yield*`, would cost the consumer a fifth more. */
  async function* run(): AsyncGenerator<Given, void, undefined> {
    // Not until the end of this generator: a consumer that requests nothing more leaves it at a `yield`.
    onAbort(signal, keepProcessAlive());
    while (!signal.aborted) {
      let pauseMs = 0;
      try {
        await findPosition();
        while (mustList && !usesWatchList) yield* list();
        const connection = connect();
        try {
          if (mustList) yield* initial(connection);
          if (mustList) continue;
          for (let frame = await connection.next(); frame !== undefined; frame = await connection.next()) {
            for (const given of changed(frame)) yield given;
          }
          attempts.accepted();
        } catch (error) {
          // Nothing happened before it was lost: it is not one more watch in a row that does not work.
          if (connection.waitedMs() >= LASTING_MS && !failedBeforeResponse(error)) attempts.accepted();
          throw error;
        } finally {
          if (connection.waitedMs() >= LASTING_MS) {
            backoff.reset();
            relistBackoff.reset();
          }
          connection.close();
        }
      } catch (error) {
        if (signal.aborted) return;
        // A comparison requests no revision: its failure is independent of the position.
        if (attempts.isLost(error, mustList || mustCompare)) {
          yield* losePosition(isRewound(error));
          mustList = true;
          mustCompare = false;
          await relistBackoff.pause(signal);
          continue;
        }
        if (mustList && usesWatchList && isNoWatchList(error)) {
          usesWatchList = false;
          continue;
        }
        pauseMs = attempts.failed(error, mustList);
        mustCompare = position !== undefined && !mustList;
      }
      await backoff.pause(signal, pauseMs);
    }
  }

  /** Finds where the watch resumes, unless a list comes first. */
  async function findPosition(): Promise<void> {
    if (!mustList && position === undefined) {
      position = await latest();
      attempts.listed();
    }
    if (mustCompare) await compare();
  }

  async function latest(): Promise<string> {
    for await (const { resourceVersion } of client.list({ namespace, pageSize: 1, signal }).pages()) {
      attempts.reached();
      return resourceVersion;
    }
    throw new Error('the list has no page');
  }

  /** A server restored from a backup may send nothing until its revisions have reached the position. */
  async function compare(): Promise<void> {
    let revision = '';
    try {
      revision = await latest();
    } catch (error) {
      // A caller that may watch but not list continues without this check.
      if (!isStatusError(error) || !isFinal(error)) throw error;
    }
    mustCompare = false;
    if (isOlder(revision, position ?? '')) throw rewound();
  }

  function* losePosition(hasGoneBack: boolean): Generator<Given, void, undefined> {
    deletions = createSharedDeletions();
    if (position !== undefined) yield* view.lost(position, hasGoneBack);
    // Otherwise it shows whether the revisions go back before the list has ended.
    if (hasGoneBack) position = undefined;
  }

  async function* list(): AsyncGenerator<Given, void, undefined> {
    yield* view.beginList();
    let revision = '';
    for await (const page of client.list({ ...selection, pageSize, signal }).pages()) {
      attempts.reached();
      if (page.restarted) yield* view.beginList();
      revision = page.resourceVersion;
      for (const event of page.items) yield* view.listed(event);
    }
    signal.throwIfAborted();
    attempts.listed();
    yield* endList(revision);
  }

  /** Leaves `mustList` where the list has to be read again. */
  async function* endList(revision: string): AsyncGenerator<Given, void, undefined> {
    if (position !== undefined && isOlder(revision, position)) {
      // A backup was restored after the position was lost, or between two readings of the list.
      yield* losePosition(true);
      return;
    }
    const { given, again } = view.endList();
    yield* given;
    position = revision;
    if (again) return;
    mustList = false;
    onListed?.();
  }

  const connect = () =>
    openConnection({
      ...{ client, signal, clock, silence },
      watch: {
        ...selection,
        allowWatchBookmarks: true,
        ...(mustList ? { sendInitialEvents: true } : { resourceVersion: deletions.resumeFrom(position) }),
      },
      limitMs: () => (mustList ? WATCH_LIST_MS : silence.ms()),
    });

  /** The results of a frame after the position. */
  function changed({ type, object }: WatchFrame): readonly Given[] {
    const at = position ?? '';
    const revision = revisionOf(object);
    const isOld = isOlder(revision, at);
    if (isOld && type === 'BOOKMARK') throw rewound();
    const before = type === 'DELETED' ? deletions.positionBefore(object, at) : at;
    if (before === undefined) return [];
    const given = type === 'BOOKMARK' ? [] : view.changed(type, object, before);
    if (given === 'rewound') throw revision === '' ? withoutRevision(object) : rewound();
    if (revision !== '' && !isOld) position = revision;
    attempts.progressed();
    return given;
  }

  /** The events that exist, up to the bookmark that ends them. */
  async function* initial(connection: ReturnType<typeof connect>): AsyncGenerator<Given, void, undefined> {
    yield* view.beginList();
    for (;;) {
      const frame = await connection.next();
      if (frame === undefined) throw connection.tooLong();
      attempts.reached();
      if (isInitialEnd(frame)) {
        attempts.accepted();
        yield* endList(revisionOf(frame.object));
        return;
      }
      if (frame.type === 'DELETED') yield* view.goneMeanwhile(frame.object);
      else if (frame.type !== 'BOOKMARK') yield* view.listed(frame.object);
      if (connection.waitedMs() > WATCH_LIST_MS * INITIAL_FRAMES) throw connection.tooLong();
    }
  }

  return run();
}

const rewound = (): Error => failure('rewound', 'the revisions of the server have gone back');

/** Its place among the changes is unknown, as after the revisions have gone back. */
const withoutRevision = (event: Event): Error =>
  failure(
    'rewound',
    `the server sent the event ${keyOf(event)} without a resourceVersion: only lists show what changed`,
  );

function isInitialEnd({ type, object }: WatchFrame): boolean {
  return type === 'BOOKMARK' && object.metadata.annotations?.[INITIAL_END] === 'true';
}
