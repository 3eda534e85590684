import type { JsonSource } from '../../json/json-source.js';
import type { LATER, ReadHints } from './read-hints.js';
import type { EncodedEvent, EventKey, EventRecord, Revision } from './record.js';

export type { JsonSource, JsonWriter } from '../../json/json-source.js';
export type { EventKey, Revision } from './record.js';

/**
 * Where a paged list continues: strictly after this key (order `key`), or strictly below `revision` (order
 * `newest-first`). The key need not exist any longer.
 */
export interface Position extends EventKey {
  /** The revision of the last event, where the order is newest first. */
  readonly revision?: Revision | undefined;
}

/**
 * A hint: only events whose `field` (see {@link EncodedEvent.fields}) equals `value` are wanted. A store may use it to
 * read less, or ignore it: the library checks every record that a store returns.
 */
export interface FieldTerm {
  /** The field that is compared. */
  readonly field: string;
  /** The value that it must have. */
  readonly value: string;
}

/** Options of every operation that may wait. An aborted signal ends the operation with the signal's reason. */
export interface StoreCall extends ReadHints {
  /** Ends the call when it is aborted. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The value of `signal.aborted`. Set where the signal is only created when `signal` is read, which costs more than a
   * whole read from memory: a store that never waits may check this property first.
   */
  readonly aborted?: boolean | undefined;
}

/** For {@link EventStore.ping}. */
export interface PingOptions extends StoreCall {
  /**
   * How long the caller waits, in milliseconds. A store that repeats its attempts for longer fails before that, if it
   * knows why they fail. Default: unknown.
   */
  readonly withinMs?: number | undefined;
}

/** What to read with {@link EventStore.list}. */
export interface ListQuery extends StoreCall {
  /** One namespace; absent for all. */
  readonly namespace?: string | undefined;
  /** Field values that events must have: a hint, which a store may ignore. */
  readonly terms?: readonly FieldTerm[] | undefined;
  /**
   * Reads the state at this revision; absent: now. Older than history is `expired`, newer than now `future-revision`.
   */
  readonly at?: Revision | undefined;
  /** The position of the last event of the previous page. Default: from the beginning. */
  readonly after?: Position | undefined;
  /** The maximum number of records to return, at least 1. */
  readonly limit: number;
  /**
   * `key` (default): byte order of `namespace/name`. `newest-first`: descending revision of the version visible in the
   * snapshot.
   */
  readonly order?: 'key' | 'newest-first' | undefined;
}

/**
 * One page of a list. With `terms` it may hold fewer records than the limit, even none, and still have a `next`;
 * without them too, if its events are large, or if the history that the rest of the page needs was dropped meanwhile.
 */
export interface ListPage {
  /** The events of the page, in order. */
  readonly records: readonly EventRecord[];
  /** The revision that was read: the query's `at`, or the latest one. */
  readonly revision: Revision;
  /** Where the next page begins; absent when nothing is left. */
  readonly next?: Position | undefined;
  /** How many records are left after this page; absent where the store did not count them or `terms` were used. */
  readonly remaining?: number | undefined;
}

/** One page of a list as JSON that is ready to be sent, or that is written on demand. */
export interface JsonPage extends Omit<ListPage, 'records'> {
  /**
   * The records as JSON objects with their `metadata.resourceVersion`, without `kind` and `apiVersion`, with a comma
   * between two of them. The page is the concatenation of all pieces; an object may span several of them.
   */
  readonly pieces: readonly JsonSource[];
}

/** Options of {@link EventStore.create} and {@link EventStore.replace}. */
export interface WriteOptions extends StoreCall {
  /** When the event expires, microseconds since the epoch. */
  readonly expiresAt: number;
}

/** Options of {@link EventStore.replace}. */
export interface ReplaceOptions extends WriteOptions {
  /** The revision the stored event must have, else `conflict`. */
  readonly expected: Revision;
}

/** Options of {@link EventStore.remove}. */
export interface RemoveOptions extends StoreCall {
  /** The revision the stored event must have, else `conflict`; absent: any. */
  readonly expected?: Revision | undefined;
}

/** Options of {@link EventStore.expire}. */
export interface ExpireOptions extends StoreCall {
  /**
   * Events whose `expiresAt` is at or before this time (microseconds) are due. A store with a clock (see
   * {@link EventStore.now}) removes nothing that is not due by that clock, whatever this value is.
   */
  readonly now: number;
  /** The maximum number of events to remove in this call. */
  readonly limit: number;
}

/** Options of {@link EventStore.changes}. */
export interface ChangesOptions extends StoreCall {
  /** The feed begins with the first change after this revision, which may be later than the latest one. */
  readonly after: Revision;
  /**
   * Called from time to time while nothing changes, with the revision that the feed has reached: every change up to it
   * was delivered. Only where the revision also increases without a change in the feed, as in etcd, and in PostgreSQL
   * when another process starts; other stores never call it. It must not throw.
   */
  readonly onProgress?: ((revision: Revision) => void) | undefined;
}

/** One step in a store's history. */
export interface Change {
  /** `put` for a create or a replace, `delete` for a removal or an expiry. */
  readonly type: 'put' | 'delete';
  /** Which event changed. */
  readonly key: EventKey;
  /** The revision of the change. */
  readonly revision: Revision;
  /** The new state; for a deletion the last state, at the deletion's revision. */
  readonly record: EventRecord;
  /** The previous state, if there was one. It is needed for selector transitions. */
  readonly previous?: EventRecord | undefined;
}

/** What a store can do beyond the rules for all stores. The published test suite skips tests only because of these. */
export interface StoreCapabilities {
  /** An acknowledged write survives the end of the process. */
  readonly durable: boolean;
  /** Several stores, in several processes, may work on the same data. */
  readonly shared: boolean;
  /** Lists can be ordered `newest-first`, from an index: any client may request each page of them. */
  readonly newestFirst: boolean;
  /** `remaining` is set for every list without terms. A store with `false` may set it where that is cheap. */
  readonly remaining: boolean;
  /** The maximum length of `EncodedEvent.bytes` in a write, in bytes; a longer one is `too-large`. */
  readonly maxEventBytes: number;
}

/** The type of {@link EventStore.get}, which reads one event. */
export interface GetEvent {
  (key: EventKey, call?: StoreCall): Promise<EventRecord | undefined>;
  /**
   * Optional: the same, synchronously, for a store that has events in memory; returns {@link LATER} where it has to
   * wait. It throws the error that the promise would be rejected with. It is a property of the function, so that a
   * wrapper of `get` does not have it.
   */
  readonly sync?: ((key: EventKey, call?: StoreCall) => EventRecord | undefined | typeof LATER) | undefined;
}

/** The type of {@link EventStore.list}, which reads a page of events. */
export interface ListEvents {
  (query: ListQuery): Promise<ListPage>;
  /**
   * Optional: the same page as JSON, for a store that has the bytes in memory, such as a cache of pages that are read
   * often. Synchronous, except where the store first has to check whether its copy is up to date. Every record matches
   * all `terms`, and the page is as long as the limit allows. `undefined`: the caller has to read the records. It
   * throws the error that the promise would be rejected with. It is a property of the function, so that a wrapper of
   * `list` does not have it.
   */
  readonly json?: ((query: ListQuery) => JsonPage | undefined | Promise<JsonPage | undefined>) | undefined;
}

/** The type of {@link EventStore.create}, which adds one event. */
export interface CreateEvent {
  (key: EventKey, event: EncodedEvent, options: WriteOptions): Promise<EventRecord>;
  /** Optional, as {@link GetEvent.sync}: for a store whose writes are synchronous. */
  readonly sync?: ((key: EventKey, event: EncodedEvent, options: WriteOptions) => EventRecord) | undefined;
}

/** The type of {@link EventStore.replace}, which replaces one event. */
export interface ReplaceEvent {
  (key: EventKey, event: EncodedEvent, options: ReplaceOptions): Promise<EventRecord>;
  /** Optional, as {@link CreateEvent.sync}. */
  readonly sync?: ((key: EventKey, event: EncodedEvent, options: ReplaceOptions) => EventRecord) | undefined;
}

/**
 * Stores events. A store does not depend on HTTP: it fails with a `StoreError` and its code, nothing else. Every method
 * may be called detached from the object and concurrently. Results belong to the store: they never change later, and
 * callers must not write to them (`EncodedEvent.bytes` included). Arguments are copied.
 *
 * The rules (the suite in `kube-vitals/testing` tests each): revisions increase with each write and are never reused;
 * an acknowledged write is never lost; a page read `at` a revision shows exactly that state, however late it is
 * requested within the history; the feed is complete, ordered and gap-free from any revision within the history; a
 * write whose condition does not hold changes nothing.
 *
 * Data may be reset to an earlier state while a store is open, by a fail-over to a replica that lags or by the restore
 * of a backup. A store to which that can happen remembers the latest revision it has seen, in reads, writes and feeds.
 * When a call of any kind or the next read of a feed finds the data behind that revision, the store raises the latest
 * revision above every one that can have been issued, and everything before that is `expired`, also for open feeds. So
 * no reader continues from a lost history, and no revision is issued twice.
 */
export interface EventStore {
  /** The name of the store and of its health check. */
  readonly name: string;
  /** What this store can do. */
  readonly capabilities: StoreCapabilities;
  /** The current state of one event. Linearizable. */
  readonly get: GetEvent;
  /** A page of the state at one revision. Fails with `expired`, `future-revision`. */
  readonly list: ListEvents;
  /** Adds an event. Fails with `exists`, `too-large`, `invalid-key`, `full`. */
  readonly create: CreateEvent;
  /** Replaces an event that is at `expected`. Fails with `not-found`, `conflict`, `too-large`, `full`. */
  readonly replace: ReplaceEvent;
  /** Removes an event and returns its last state at the deletion's revision. Fails with `not-found`, `conflict`. */
  remove(key: EventKey, options?: RemoveOptions): Promise<EventRecord>;
  /**
   * Removes events that are due, each with a separate revision, and returns how many. It may stop before `limit` so
   * that other work can run; zero means that nothing more can be removed now. Losing a race is not an error.
   */
  expire(options: ExpireOptions): Promise<number>;
  /**
   * The ordered, gap-free feed of changes, in batches. Ends when the signal is aborted or the store is closed. Fails
   * with `expired` when history does not reach back to `after`, at the start or when the reader is too slow.
   */
  changes(options: ChangesOptions): AsyncIterable<readonly Change[]>;
  /** The latest revision. */
  revision(call?: StoreCall): Promise<Revision>;
  /** Resolves when a write would probably succeed; rejects with the reason otherwise. */
  ping(call?: PingOptions): Promise<void>;
  /**
   * Optional: returns the time of the clock that all processes on this data share, in microseconds since the epoch;
   * read from the engine with each call. The library uses it for timestamps and expiry, and a process whose own clock
   * is wrong expires nothing. A store that is `shared` should have it; without it each process uses its own clock.
   * Fails with `unavailable`.
   */
  readonly now?: ((call?: StoreCall) => Promise<number>) | undefined;
  /**
   * Optional, where feeds call `onProgress`: makes all open feeds of this store report their progress soon, like
   * `RequestProgress` of etcd's client. It costs a call of the engine, so call it rarely.
   */
  readonly requestProgress?: (() => void) | undefined;
  /** Ends feeds, waits for writes in progress, frees all resources; later calls are `closed`. May be called twice. */
  close(): Promise<void>;
}
