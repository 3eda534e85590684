import type { JsonSource } from '../../json/json-source.js';
import type { LATER, ReadHints } from './read-hints.js';
import type { EncodedEvent, EventKey, EventRecord, Revision } from './record.js';

export type { JsonSource, JsonWriter } from '../../json/json-source.js';
export type { EventKey, Revision } from './record.js';

/**
 * Where a walk over a list goes on: strictly after this key (order `key`), or strictly below `revision` (order
 * `newest-first`). The key need not exist any more.
 */
export interface Position extends EventKey {
  /** The revision of the last event, where the order is newest first. */
  readonly revision?: Revision | undefined;
}

/**
 * A hint: only events whose `field` (see {@link EncodedEvent.fields}) equals `value` are wanted. A store may use it to
 * read less, or ignore it: the library checks every record it is given.
 */
export interface FieldTerm {
  /** The field that is compared. */
  readonly field: string;
  /** The value that it must have. */
  readonly value: string;
}

/** Given to every operation that may wait. An aborted signal ends it with the signal's reason. */
export interface StoreCall extends ReadHints {
  /** Ends the call when it is aborted. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /**
   * What `signal.aborted` would say. Given where signals are only created when they are read, which costs more than
   * a whole read from memory: a store that never waits may look here first.
   */
  readonly aborted?: boolean | undefined;
}

/** What to read with {@link EventStore.list}. */
export interface ListQuery extends StoreCall {
  /** One namespace; absent for all. */
  readonly namespace?: string | undefined;
  /** What events must have: a hint, which a store may ignore. */
  readonly terms?: readonly FieldTerm[] | undefined;
  /** Read the state at this revision; absent: now. Older than history is `expired`, newer than now `future-revision`. */
  readonly at?: Revision | undefined;
  /** The position of the last event of the page before. Default: from the beginning. */
  readonly after?: Position | undefined;
  /** The most records to return, at least 1. */
  readonly limit: number;
  /**
   * `key` (default): byte order of `namespace/name`. `newest-first`: descending revision of the version visible in the
   * snapshot.
   */
  readonly order?: 'key' | 'newest-first' | undefined;
}

/** One page of a list. With `terms` it may hold fewer records than the limit, even none, and still have a `next`. */
export interface ListPage {
  /** The events of the page, in order. */
  readonly records: readonly EventRecord[];
  /** The revision that was read: the query's `at`, or the latest one. */
  readonly revision: Revision;
  /** Where the next page begins; absent when nothing is left. */
  readonly next?: Position | undefined;
  /** How many records are left after this page; absent where the store does not know or `terms` were used. */
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

/** With {@link EventStore.create} and {@link EventStore.replace}. */
export interface WriteOptions extends StoreCall {
  /** When the event expires, microseconds since the epoch. */
  readonly expiresAt: number;
}

/** With {@link EventStore.replace}. */
export interface ReplaceOptions extends WriteOptions {
  /** The revision the stored event must have, else `conflict`. */
  readonly expected: Revision;
}

/** With {@link EventStore.remove}. */
export interface RemoveOptions extends StoreCall {
  /** The revision the stored event must have, else `conflict`; absent: any. */
  readonly expected?: Revision | undefined;
}

/** With {@link EventStore.expire}. */
export interface ExpireOptions extends StoreCall {
  /**
   * Everything whose `expiresAt` is at or before this moment (microseconds) is due. A store with a clock of its own (see
   * {@link EventStore.now}) does not go beyond that clock, whatever is asked for.
   */
  readonly now: number;
  /** The most events to remove in this call. */
  readonly limit: number;
}

/** With {@link EventStore.changes}. */
export interface ChangesOptions extends StoreCall {
  /** The feed begins with the first change after this revision. One that lies ahead is waited for. */
  readonly after: Revision;
  /**
   * Told now and then how far the feed has come where nothing changed: everything up to this revision was handed out.
   * Only where revisions also rise by what is not in the feed, as in etcd; other stores never call it. It must not throw.
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
  /** The state written; for a deletion the last state, at the deletion's revision. */
  readonly record: EventRecord;
  /** The state before, whenever there was one. Selector transitions need it. */
  readonly previous?: EventRecord | undefined;
}

/** What a store can do beyond the rules that hold for all. A test of the published suite is skipped only because of these. */
export interface StoreCapabilities {
  /** An acknowledged write survives the end of the process. */
  readonly durable: boolean;
  /** Several stores, in several processes, may work on the same data. */
  readonly shared: boolean;
  /** How `newest-first` is answered: from an index, by a scan of everything, or not at all. */
  readonly newestFirst: 'indexed' | 'scan' | 'none';
  /** `remaining` is filled for every list without terms. A store that says `false` may fill it where that is cheap. */
  readonly remaining: boolean;
  /** The largest `EncodedEvent.bytes` a write may carry, in bytes; more is `too-large`. */
  readonly maxEventBytes: number;
}

/** How one event is read. */
export interface GetEvent {
  (key: EventKey, call?: StoreCall): Promise<EventRecord | undefined>;
  /**
   * Optional: the same, synchronously, for a store that has events in memory; {@link LATER} where it has to wait. It throws
   * what the promise would be rejected with. It is a property of the function, so that a wrapper of `get` drops it.
   */
  readonly sync?: ((key: EventKey, call?: StoreCall) => EventRecord | undefined | typeof LATER) | undefined;
}

/** How a page of events is read. */
export interface ListEvents {
  (query: ListQuery): Promise<ListPage>;
  /**
   * Optional: the same page as JSON, for a store that has the bytes at hand, such as a cache of pages that are read often;
   * synchronously, but where the store has to find out first whether its copy is up to date. Every record has all the `terms`, and the page is as long as the limit allows. `undefined`: the caller
   * has to read the records. It throws what the promise would be rejected with. It is a property of the function, so that
   * a wrapper of `list` drops it.
   */
  readonly json?: ((query: ListQuery) => JsonPage | undefined | Promise<JsonPage | undefined>) | undefined;
}

/** How one event is added. */
export interface CreateEvent {
  (key: EventKey, event: EncodedEvent, options: WriteOptions): Promise<EventRecord>;
  /** Optional, as {@link GetEvent.sync}: for a store whose writes are synchronous. */
  readonly sync?: ((key: EventKey, event: EncodedEvent, options: WriteOptions) => EventRecord) | undefined;
}

/** How one event is replaced. */
export interface ReplaceEvent {
  (key: EventKey, event: EncodedEvent, options: ReplaceOptions): Promise<EventRecord>;
  /** Optional, as {@link CreateEvent.sync}. */
  readonly sync?: ((key: EventKey, event: EncodedEvent, options: ReplaceOptions) => EventRecord) | undefined;
}

/**
 * Where events are kept. Stores know no HTTP: they fail with a `StoreError` and its code, nothing else. Every method may
 * be called detached from the object and from many places at once. What they return belongs to the store: it never
 * changes later, and callers must not write to it (`EncodedEvent.bytes` included). Arguments are copied.
 *
 * The rules (the suite in `kube-vitals/testing` proves each): revisions rise by write and are never reused; what was
 * acknowledged is never lost; a page read `at` a revision shows exactly that state, however late it is asked for within
 * the history; the feed is complete, ordered and gap-free from any revision within the history; a condition that does not
 * hold changes nothing.
 *
 * Data may be put back to an earlier state while a store is open, by a fail-over to a replica that lags or by the
 * restore of a backup. A store to which that can happen remembers the latest revision it has met, in reads, writes and
 * feeds. When the data is behind it, with the next call of any kind or the next look of a feed, the store raises the latest
 * revision above everything that can have been given out, and whatever is before that is `expired`, for feeds that are open
 * as well. So no reader continues from a history that is lost, and no revision is given out twice.
 */
export interface EventStore {
  /** Also the name of its health check. */
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
   * Removes what is due, each with a revision of its own, and says how many. It may stop before `limit` to let others
   * work; zero means that nothing more can be done now. Losing a race is no error.
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
  ping(call?: StoreCall): Promise<void>;
  /**
   * Optional: the time by the clock that all processes on this data share, microseconds since the epoch; read from the
   * engine with each call. The library stamps and expires by it, and a process whose own clock is off expires nothing. A
   * store that is `shared` should have it; without it each process goes by its own clock. Fails with `unavailable`.
   */
  readonly now?: ((call?: StoreCall) => Promise<number>) | undefined;
  /**
   * Optional, where feeds call `onProgress`: asks all open feeds of this store to tell soon how far they have come, as
   * `RequestProgress` of etcd's client does. It costs a write or a message in the engine, so callers ask seldom.
   */
  readonly requestProgress?: (() => void) | undefined;
  /** Ends feeds, waits for writes under way, frees everything. Afterwards every call fails with `closed`. May be called twice. */
  close(): Promise<void>;
}
