import { createBackoff } from '../../clock/backoff.js';
import { systemClock, type Clock } from '../../clock/clock.js';
import { endable } from '../../clock/endable.js';
import { keepProcessAlive } from '../../clock/keep-process-alive.js';
import { createFailureSeries, type FailureSeries } from '../../observe/failure-series.js';
import { createNotifier } from '../../observe/observation.js';
import type { EventSelection, WatchFrame } from '../contract/events-client.js';
import { isStatusError } from '../contract/errors.js';
import { createAttempts } from './attempts.js';
import { openConnection } from './one-connection.js';
import { failure, isFinal, isNoWatchList, isRewound } from './refusals.js';
import { isOlder, revisionOf } from '../requests/revisions.js';
import { isUnanswered } from '../requests/watch-events.js';
import { createSilenceLimit } from './silence.js';
import type { View } from './view.js';
import type { FollowOptions } from './watch-options.js';

/** The longest pause between two attempts, in milliseconds. */
const MAX_PAUSE_MS = 10_000;
/** All initial frames together may take this many times `WATCH_LIST_MS`. */
const INITIAL_FRAMES = 6;
/** How long a server may send nothing before the end of the initial events, in milliseconds. */
const WATCH_LIST_MS = 10_000;
const NOTHING: readonly never[] = [];
const INITIAL_END = 'k8s.io/initial-events-end';

interface FollowDependencies<Given> {
  readonly view: View<Given>;
  /** Where the watch begins. `list`: with what exists; `latest`: now, without a list. */
  readonly start: 'list' | 'latest' | { readonly after: string };
  readonly watchList: boolean;
  /** A list was completed. */
  readonly onListed?: (() => void) | undefined;
}

/**
 * Follows the events of a server until the signal is aborted or the iterator is ended: lists, watches, and resumes
 * where it was. Pages of lists are read as the consumer takes the results.
 *
 * @param where the function that follows, for observations
 * @throws the server's refusal, if that cannot be cured by trying again
 */
export function follow<Given>(
  where: string,
  options: FollowOptions & { readonly signal?: AbortSignal | undefined },
  dependencies: FollowDependencies<Given>,
): AsyncIterableIterator<Given> {
  const { client, namespace, fieldSelector, labelSelector, pageSize } = options;
  const { silenceMs = 30_000, clock = systemClock, observe } = options;
  const selection = { namespace, fieldSelector, labelSelector };
  const series = createFailureSeries(where, createNotifier(observe), clock);
  return endable(options.signal, (signal) =>
    new Follower({ ...dependencies, client, selection, pageSize, silenceMs, clock, series, signal }).run(),
  );
}

interface FollowerDependencies<Given> extends FollowDependencies<Given>, Pick<FollowOptions, 'client' | 'pageSize'> {
  readonly selection: EventSelection;
  /** How long a connection may be silent at first, in milliseconds. */
  readonly silenceMs: number;
  readonly clock: Clock;
  readonly series: FailureSeries;
  readonly signal: AbortSignal;
}

/** A connection that waited so long without a failure counts as one that worked, in milliseconds. */
const LASTING_MS = 10_000;

/** A class, because its generators share state. */
class Follower<Given> {
  readonly #dependencies: FollowerDependencies<Given>;
  readonly #silence;
  readonly #backoff;
  readonly #attempts;
  /** The last revision that was seen; undefined before the first list. */
  #position: string | undefined;
  /** A list has to be read before the watch. */
  #mustList: boolean;
  /** The server's revisions may have gone back since the last frame. */
  #mustCompare: boolean;
  #usesWatchList: boolean;

  constructor(dependencies: FollowerDependencies<Given>) {
    const { clock, series, start, silenceMs, watchList } = dependencies;
    this.#dependencies = dependencies;
    this.#silence = createSilenceLimit(silenceMs, clock.monotonic());
    this.#backoff = createBackoff(clock, MAX_PAUSE_MS);
    this.#attempts = createAttempts(series, this.#backoff, this.#silence);
    this.#position = typeof start === 'object' ? start.after : undefined;
    this.#mustList = start === 'list';
    this.#mustCompare = typeof start === 'object';
    this.#usesWatchList = watchList;
  }

  /**
   * Changes come from this generator itself: with one more between it and the connection, or `yield*` for the few
   * changes of a frame, each costs the consumer's process a fifth more.
   */
  async *run(): AsyncGenerator<Given, void, undefined> {
    const { signal } = this.#dependencies;
    const release = keepProcessAlive();
    try {
      while (!signal.aborted) {
        let pauseMs = 0;
        try {
          await this.#findPosition();
          if (this.#mustList && !this.#usesWatchList) yield* this.#list();
          const connection = this.#connect();
          try {
            if (this.#mustList) yield* this.#initial(connection);
            for (let frame = await connection.next(); frame !== undefined; frame = await connection.next()) {
              for (const given of this.#changed(frame)) yield given;
            }
            this.#attempts.accepted();
          } catch (error) {
            // Nothing happened before it was lost: it is not one more watch in a row that does not work.
            if (connection.waitedMs() >= LASTING_MS && !isUnanswered(error)) this.#attempts.accepted();
            throw error;
          } finally {
            if (connection.waitedMs() >= LASTING_MS) this.#backoff.reset();
            connection.close();
          }
        } catch (error) {
          if (signal.aborted) return;
          if (this.#attempts.isLost(error, this.#mustList)) {
            yield* this.#beginAgain(error);
          } else if (this.#mustList && this.#usesWatchList && isNoWatchList(error)) {
            this.#usesWatchList = false;
            continue;
          } else {
            pauseMs = this.#attempts.failed(error, this.#mustList);
            this.#mustCompare = this.#position !== undefined && !this.#mustList;
          }
        }
        await this.#backoff.pause(signal, pauseMs);
      }
    } finally {
      release();
    }
  }

  /** Drops the position: the next attempt reads a list. */
  *#beginAgain(error: unknown): Generator<Given, void, undefined> {
    if (this.#position !== undefined) yield* this.#dependencies.view.lost(this.#position, isRewound(error));
    this.#mustList = true;
    this.#mustCompare = false;
  }

  /** Finds where the watch resumes, unless a list comes first. */
  async #findPosition(): Promise<void> {
    if (!this.#mustList && this.#position === undefined) {
      this.#position = await this.#latest();
      this.#attempts.listed();
    }
    if (this.#mustCompare) await this.#compare();
  }

  /** The server's present revision. */
  async #latest(): Promise<string> {
    const { client, selection, signal } = this.#dependencies;
    const listing = client.list({ namespace: selection.namespace, pageSize: 1, signal });
    for await (const { resourceVersion } of listing.pages()) {
      this.#attempts.reached();
      return resourceVersion;
    }
    throw new Error('the list has no page');
  }

  /** A server restored from a backup may send nothing until its revisions have reached the position. */
  async #compare(): Promise<void> {
    try {
      if (this.#position !== undefined && isOlder(await this.#latest(), this.#position)) throw rewound();
    } catch (error) {
      // A caller that may watch but not list continues without this check.
      if (!isStatusError(error) || !isFinal(error)) throw error;
    }
    this.#mustCompare = false;
  }

  async *#list(): AsyncGenerator<Given, void, undefined> {
    const { client, selection, pageSize, signal, view } = this.#dependencies;
    yield* view.beginList();
    let position = '';
    for await (const page of client.list({ ...selection, pageSize, signal }).pages()) {
      this.#attempts.reached();
      if (page.restarted) yield* view.beginList();
      position = page.resourceVersion;
      for (const event of page.items) yield* view.listed(event);
    }
    signal.throwIfAborted();
    this.#attempts.listed();
    yield* this.#endList(position);
  }

  async *#endList(position: string): AsyncGenerator<Given, void, undefined> {
    const { given, again } = this.#dependencies.view.endList();
    yield* given;
    if (again) return yield* this.#list();
    this.#position = position;
    this.#mustList = false;
    this.#dependencies.onListed?.();
  }

  #connect() {
    const { client, selection, clock, signal } = this.#dependencies;
    const start = this.#mustList ? { sendInitialEvents: true } : { resourceVersion: this.#position };
    return openConnection({
      ...{ client, signal, clock },
      silence: this.#silence,
      watch: { ...selection, allowWatchBookmarks: true, ...start },
      limitMs: () => (this.#mustList ? WATCH_LIST_MS : this.#silence.ms()),
    });
  }

  /** The results of a frame after the position. */
  #changed(frame: WatchFrame): readonly Given[] {
    const position = this.#position ?? '';
    const revision = revisionOf(frame.object);
    const isOld = isOlder(revision, position);
    if (isOld && frame.type === 'BOOKMARK') throw rewound();
    const given = frame.type === 'BOOKMARK' ? NOTHING : this.#dependencies.view.changed(frame, position);
    if (given === 'rewound') throw rewound();
    if (revision !== '' && !isOld) this.#position = revision;
    this.#attempts.progressed();
    return given;
  }

  /** The events that exist, up to the bookmark that ends them. */
  async *#initial(connection: ReturnType<typeof openConnection>): AsyncGenerator<Given, void, undefined> {
    const { view } = this.#dependencies;
    yield* view.beginList();
    for (;;) {
      const frame = await connection.next();
      if (frame === undefined) throw connection.tooLong();
      this.#attempts.reached();
      if (isInitialEnd(frame)) {
        this.#attempts.accepted();
        yield* this.#endList(revisionOf(frame.object));
        return;
      }
      if (frame.type === 'DELETED') yield* view.goneMeanwhile(frame.object);
      else if (frame.type !== 'BOOKMARK') yield* view.listed(frame.object);
      if (connection.waitedMs() > WATCH_LIST_MS * INITIAL_FRAMES) throw connection.tooLong();
    }
  }
}

const rewound = (): Error => failure('rewound', 'the revisions of the server have gone back');

function isInitialEnd({ type, object }: WatchFrame): boolean {
  return type === 'BOOKMARK' && object.metadata.annotations?.[INITIAL_END] === 'true';
}
