import type { Clock } from '../../clock/clock.js';
import type {
  ExpireOptions,
  ListEvents,
  ListPage,
  ListQuery,
  PingOptions,
  RemoveOptions,
  ReplaceOptions,
  StoreCall,
  StoreCapabilities,
  WriteOptions,
} from '../contract/event-store.js';
import type { FeedOptions, FeedSource } from '../feeds/paged-feed.js';
import type { LATER } from '../contract/read-hints.js';
import type { EncodedEvent, EventKey, EventRecord, Revision } from '../contract/record.js';

/** A result, or a promise of one. */
export type Awaitable<T> = T | Promise<T>;

/**
 * What an engine has to implement so that `createEventStore` can create an `EventStore` from it. Its functions are
 * called only while the store is open, with checked arguments, and before a signal is aborted; if the signal is aborted
 * later, the caller's promise is rejected at once. So an engine only handles its data and the conditions of writes. It
 * throws StoreErrors where the contract names them (`exists`, `conflict`, `expired` …) and may throw any other error:
 * see `createEventStore`.
 */
export interface StoreEngine {
  /** See `EventStore.name`. */
  readonly name: string;
  /** See `EventStore.capabilities`. */
  readonly capabilities: StoreCapabilities;
  /**
   * `get`, `create` and `replace` never return a promise: the store has `get.sync`, `create.sync` and `replace.sync`,
   * which run as part of the caller. Default: false.
   */
  readonly synchronous?: boolean | undefined;
  /**
   * `create`, `replace` and `remove` copy their arguments before they return, so that these need not be copied for
   * them. Default: false. Has no effect in an engine with `open`.
   */
  readonly copies?: boolean | undefined;
  /**
   * Opens the engine. Absent: the engine is open from the start. It is called in the background at once, and after a
   * failure again by the first call after a pause; calls wait for it. `close()` of the store does not: an opening that
   * ends after `stop` has to free what it has opened itself.
   */
  open?(): Promise<void>;
  /** The pauses between failed openings, and the clock they are measured with. Default: 100 ms, doubled up to 5 s. */
  readonly reopening?: ReopeningPauses | undefined;
  /** See `EventStore.get`. */
  get(key: EventKey, call?: StoreCall): Awaitable<EventRecord | undefined>;
  /**
   * See {@link GetEvent.sync}, for an engine that can only do it sometimes: `LATER` makes the caller use `get`. Has no
   * effect in an engine that is `synchronous` or has `open`.
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
  /** Opens a feed: most engines use `open` of `createPagedFeeds`. */
  feed(options: FeedOptions): FeedSource;
  /** See `EventStore.revision`. */
  revision(call?: StoreCall): Awaitable<Revision>;
  /** See `EventStore.ping`. */
  ping(call?: PingOptions): Awaitable<void>;
  /** See `EventStore.now`. */
  now?(call?: StoreCall): Awaitable<number>;
  /** See `EventStore.requestProgress`. */
  requestProgress?(): void;
  /**
   * The first step of `close()`: no more calls follow. An engine may reject work that it has not begun, with `closed`.
   */
  stop?(): void;
  /** The last step of `close()`, when all feeds and calls have ended: frees all resources. */
  close?(): Awaitable<void>;
}

/** See {@link StoreEngine.reopening}. */
export interface ReopeningPauses {
  /** The clock that measures the pauses. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** The first pause, in milliseconds. */
  readonly firstMs?: number | undefined;
  /** The longest pause, in milliseconds. */
  readonly longestMs?: number | undefined;
}
