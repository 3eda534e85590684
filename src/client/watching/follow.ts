import { createBackoff } from '../../clock/backoff.js';
import type { Clock } from '../../clock/clock.js';
import type { FailureSeries } from '../../observe/failure-series.js';
import type { Event } from '../../model/event.js';
import type { EventSelection, EventsClient, WatchFrame } from '../contract/events-client.js';
import { isExpired, isStatusError } from '../contract/status-error.js';
import { isSilentConnection, openConnection, type Connection } from './one-connection.js';
import { isOlder, revisionOf } from './revisions.js';
import { createSilenceLimit } from './silence.js';
import { keepProcess } from './keep-process.js';
import { isFinal, isHopeless, isNoWatchList, isRefusedResume, wasRewound } from './refusals.js';
import type { View } from './view.js';

/** The longest pause between two attempts, in milliseconds. */
const LONGEST_PAUSE_MS = 10_000;
/** The longest pause that a server can ask for, in milliseconds. */
const LONGEST_RETRY_AFTER_MS = 300_000;
/** How often in a row a server may refuse to go on before a list is read instead. */
const MAX_REFUSALS = 3;
/** How many times as long as one frame all initial ones may take. */
const INITIAL_FRAMES = 6;
const INITIAL_END = 'k8s.io/initial-events-end';

/** For {@link follow}. */
export interface FollowParts<Given> {
  readonly client: EventsClient;
  readonly selection: EventSelection;
  readonly view: View<Given>;
  /** Where the watch begins. `list`: with what exists; `latest`: now, without a list. */
  readonly start: 'list' | 'latest' | { readonly after: string };
  readonly pageSize: number | undefined;
  /** How long a connection may be silent, in milliseconds, at first. */
  readonly silenceMs: number;
  /** Uses WatchList, giving the server this long for each frame of the beginning, in milliseconds; 0: reads lists. */
  readonly watchListMs: number;
  /** A list was completed. */
  readonly onListed?: (() => void) | undefined;
  readonly clock: Clock;
  readonly series: FailureSeries;
  readonly signal: AbortSignal;
}

/** A connection that waited so long without a failure counts as one that worked, in milliseconds. */
const LASTING_MS = 10_000;

const DOUBTFUL: unique symbol = Symbol('doubtful');

/** Ends a connection, because what the server says does not follow the position. */
const doubtful = (): Error => Object.assign(new Error('the server has counted back'), { [DOUBTFUL]: true });
const isDoubtful = (error: unknown): boolean =>
  (typeof error === 'object' && error !== null && DOUBTFUL in error) || wasRewound(error);

/**
 * Follows the events of a server until the signal is aborted: lists, watches, and goes on where it was. The list that begins it
 * and those that follow an expired position are read page by page as the consumer takes what comes of them.
 *
 * @throws what the server refused, if that cannot be cured by trying again
 */
export async function* follow<Given>(parts: FollowParts<Given>): AsyncGenerator<Given, void, undefined> {
  const release = keepProcess();
  try {
    yield* new Follower(parts).run();
  } finally {
    release();
  }
}

/** A class, because its generators share what they know of the connection. */
class Follower<Given> {
  readonly #parts: FollowParts<Given>;
  readonly #silence;
  readonly #backoff;
  /** The last revision that was seen; undefined before the first list. */
  #position: string | undefined;
  /** A list has to be read before the watch. */
  #mustList: boolean;
  /** The server may have counted back since the last frame. */
  #mustCompare = false;
  #usesWatchList: boolean;
  /** Something has worked: from now on refusals may pass. */
  #hasWorked = false;
  #refusals = 0;
  /** Attempts in a row that failed. One is a lost connection, of which nobody needs to hear. */
  #failures = 0;

  constructor(parts: FollowParts<Given>) {
    const { clock, start, silenceMs, watchListMs } = parts;
    this.#parts = parts;
    this.#silence = createSilenceLimit(silenceMs, clock.monotonic());
    this.#backoff = createBackoff(clock, LONGEST_PAUSE_MS);
    this.#position = typeof start === 'object' ? start.after : undefined;
    this.#mustList = start === 'list';
    this.#mustCompare = typeof start === 'object';
    this.#usesWatchList = watchListMs > 0;
  }

  async *run(): AsyncGenerator<Given, void, undefined> {
    const { signal, series, view } = this.#parts;
    while (!signal.aborted) {
      try {
        this.#position ??= this.#mustList ? undefined : await this.#latest();
        if (this.#mustCompare) await this.#compare();
        if (this.#mustList && !this.#usesWatchList) yield* this.#list();
        yield* this.#watch();
        if (signal.aborted) return;
        await this.#backoff.pause(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isHopeless(error)) throw error;
        if (isDoubtful(error) || isExpired(error) || this.#isRefusedTooOften(error)) {
          if (this.#position !== undefined && !this.#mustList) yield* view.expired(this.#position);
          if (isDoubtful(error)) view.rewound();
          this.#mustList = true;
          this.#mustCompare = false;
          this.#refusals = 0;
          await this.#backoff.pause(signal);
          continue;
        }
        if (this.#usesWatchList && this.#mustList && isNoWatchList(error)) {
          this.#usesWatchList = false;
          continue;
        }
        const retryAfterMs = this.#judge(error);
        if (!isSilentConnection(error) && ++this.#failures > 1) series.failed(error);
        await this.#backoff.pause(signal, retryAfterMs);
      }
    }
  }

  /** What a failure means for the next attempt. @returns how long the server asks to wait. @throws what cannot be cured */
  #judge(error: unknown): number {
    if (isSilentConnection(error)) this.#silence.gaveUp();
    else if (!this.#hasWorked && isFinal(error)) throw error;
    this.#mustCompare = this.#position !== undefined && !this.#mustList;
    const asked = isStatusError(error) ? (error.retryAfterMs ?? 0) : 0;
    return Math.min(Math.max(asked, 0), LONGEST_RETRY_AFTER_MS);
  }

  /** Whether the server refuses the position again and again, for whatever reason. */
  #isRefusedTooOften(error: unknown): boolean {
    if (this.#mustList || !this.#hasWorked || !isRefusedResume(error)) return false;
    this.#refusals += 1;
    return this.#refusals >= MAX_REFUSALS;
  }

  /** The server answers: what failed before is over. */
  #answered(): void {
    this.#hasWorked = true;
    this.#failures = 0;
    this.#parts.series.worked();
  }

  /** It goes on from the position: the next attempt need not wait. */
  #progressed(): void {
    this.#answered();
    this.#refusals = 0;
    this.#backoff.reset();
  }

  /** The server's present revision. */
  async #latest(): Promise<string> {
    const { client, selection, signal } = this.#parts;
    const listing = client.list({ namespace: selection.namespace, pageSize: 1, signal });
    for await (const { resourceVersion } of listing.pages()) {
      this.#answered();
      return resourceVersion;
    }
    throw new Error('the list has no page');
  }

  /** A server that was restored may wait in silence until it has counted up to the position. */
  async #compare(): Promise<void> {
    try {
      if (this.#position !== undefined && isOlder(await this.#latest(), this.#position)) throw doubtful();
    } catch (error) {
      // Who may watch and not list goes on without.
      if (!isStatusError(error) || !isFinal(error)) throw error;
    }
    this.#mustCompare = false;
  }

  async *#list(): AsyncGenerator<Given, void, undefined> {
    const { client, selection, pageSize, signal, view } = this.#parts;
    yield* view.beginList();
    let position = '';
    for await (const page of client.list({ ...selection, pageSize, signal }).pages()) {
      this.#answered();
      if (page.restarted) yield* view.beginList();
      position = page.resourceVersion;
      for (const event of page.items) yield* view.listed(event);
    }
    signal.throwIfAborted();
    yield* this.#endList(position);
  }

  async *#endList(position: string): AsyncGenerator<Given, void, undefined> {
    const { given, again } = this.#parts.view.endList();
    yield* given;
    if (again) return yield* this.#list();
    this.#position = position;
    this.#mustList = false;
    this.#parts.onListed?.();
  }

  async *#watch(): AsyncGenerator<Given, void, undefined> {
    const { client, selection, clock, signal, view, watchListMs } = this.#parts;
    const initial = this.#mustList;
    const connection = openConnection({
      ...{ client, signal, clock },
      silence: this.#silence,
      watch: initial
        ? { ...selection, allowWatchBookmarks: true, sendInitialEvents: true }
        : { ...selection, allowWatchBookmarks: true, resourceVersion: this.#position },
      limitMs: () => (this.#mustList ? watchListMs : this.#silence.ms()),
    });
    try {
      if (initial) yield* this.#initial(connection);
      for (let frame = await connection.next(); frame !== undefined; frame = await connection.next()) {
        const position = this.#position ?? '';
        const revision = revisionOf(frame.object);
        if (isOlder(revision, position) && frame.type === 'BOOKMARK') throw doubtful();
        const given = frame.type === 'BOOKMARK' ? [] : view.changed(frame, position);
        if (given === 'doubtful') throw doubtful();
        if (revision !== '' && !isOlder(revision, position)) this.#position = revision;
        this.#progressed();
        yield* given;
      }
    } finally {
      if (connection.waitedMs() >= LASTING_MS) this.#backoff.reset();
      connection.close();
    }
  }

  /** The events that exist, up to the bookmark that ends them. */
  async *#initial(connection: Connection): AsyncGenerator<Given, void, undefined> {
    const { view, watchListMs } = this.#parts;
    yield* view.beginList();
    for (;;) {
      const frame = await connection.next();
      if (frame === undefined) throw connection.tooLong();
      this.#answered();
      if (isInitialEnd(frame)) {
        yield* this.#endList(revisionOf(frame.object));
        return;
      }
      if (frame.type === 'DELETED') yield* view.goneMeanwhile(frame.object);
      else if (frame.type !== 'BOOKMARK') yield* view.listed(frame.object);
      if (connection.waitedMs() > watchListMs * INITIAL_FRAMES) throw connection.tooLong();
    }
  }
}

function isInitialEnd({ type, object }: { readonly type: WatchFrame['type']; readonly object: Event }): boolean {
  return type === 'BOOKMARK' && object.metadata.annotations?.[INITIAL_END] === 'true';
}
