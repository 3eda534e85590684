import type { Clock } from '../../clock/clock.js';
import type {
  ExpireOptions,
  ListEvents,
  ListPage,
  ListQuery,
  RemoveOptions,
  ReplaceOptions,
  StoreCall,
  StoreCapabilities,
  WriteOptions,
} from '../contract/event-store.js';
import type { FeedOptions, FeedSource } from '../feeds/paged-feed.js';
import type { LATER } from '../contract/read-hints.js';
import type { EncodedEvent, EventKey, EventRecord, Revision } from '../contract/record.js';

/** A result that is there, or will be. */
export type Awaitable<T> = T | Promise<T>;

/**
 * What an engine has to do so that `createEventStore` can make an `EventStore` of it. Its functions are called only
 * while the store is open, with arguments that were checked, and before a signal is aborted; the caller is let go when the
 * signal is aborted meanwhile. So an engine deals with its data and with the conditions of writes, and nothing else. It
 * throws StoreErrors where the contract names them (`exists`, `conflict`, `expired` …) and may let any other error through:
 * see `createEventStore`.
 */
export interface StoreEngine {
  /** See `EventStore.name`. */
  readonly name: string;
  /** See `EventStore.capabilities`. */
  readonly capabilities: StoreCapabilities;
  /**
   * `get`, `create` and `replace` never return a promise: the store has `get.sync`, `create.sync` and `replace.sync`, which
   * run as part of the caller. Default: false.
   */
  readonly synchronous?: boolean | undefined;
  /**
   * `create`, `replace` and `remove` copy what they are given before they return, so that it need not be copied for them.
   * Default: false. Of no effect in an engine with `open`.
   */
  readonly copies?: boolean | undefined;
  /**
   * Absent: the engine is open from the start. It is called in the background at once, and again by the next call after a
   * failure, once a pause is over; calls wait for it.
   */
  open?(): Promise<void>;
  /** The pauses between failed openings, and the clock they are measured with. Default: 100 ms, doubled up to 5 s. */
  readonly reopening?: ReopeningPauses | undefined;
  /** See `EventStore.get`. */
  get(key: EventKey, call?: StoreCall): Awaitable<EventRecord | undefined>;
  /**
   * See {@link GetEvent.sync}, for an engine that can do it now and then: `LATER` has the caller use `get`. Of no effect in an
   * engine that is `synchronous` or has `open`.
   */
  getSync?(key: EventKey, call?: StoreCall): EventRecord | undefined | typeof LATER;
  /** See `EventStore.list`. */
  list(query: ListQuery): Awaitable<ListPage>;
  /** See {@link ListEvents.json}. */
  readonly json?: ListEvents['json'];
  /** See `EventStore.create`. */
  create(key: EventKey, event: EncodedEvent, options: WriteOptions): Awaitable<EventRecord>;
  /** See `EventStore.replace`. */
  replace(key: EventKey, event: EncodedEvent, options: ReplaceOptions): Awaitable<EventRecord>;
  /** See `EventStore.remove`. */
  remove(key: EventKey, options: RemoveOptions): Awaitable<EventRecord>;
  /** `limit` is at least 1. */
  expire(options: ExpireOptions): Awaitable<number>;
  /** Opens a feed: most engines have `open` of `createPagedFeeds` here. */
  feed(options: FeedOptions): FeedSource;
  /** See `EventStore.revision`. */
  revision(call?: StoreCall): Awaitable<Revision>;
  /** See `EventStore.ping`. */
  ping(call?: StoreCall): Awaitable<void>;
  /** See `EventStore.now`. */
  now?(call?: StoreCall): Awaitable<number>;
  /** See `EventStore.requestProgress`. */
  requestProgress?(): void;
  /** The first step of `close()`: no more calls come. An engine may fail here what it has not begun, with `closed`. */
  stop?(): void;
  /** The last step of `close()`, when feeds have ended and calls are over: frees everything. */
  close?(): Awaitable<void>;
}

/** See {@link StoreEngine.reopening}. */
export interface ReopeningPauses {
  /** Where time is taken from. Default: the system's clock. */
  readonly clock?: Clock | undefined;
  /** Milliseconds. */
  readonly firstMs?: number | undefined;
  /** Milliseconds. */
  readonly longestMs?: number | undefined;
}
