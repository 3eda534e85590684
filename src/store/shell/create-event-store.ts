import type {
  Change,
  ChangesOptions,
  EventStore,
  ExpireOptions,
  ListQuery,
  PingOptions,
  ReplaceOptions,
  StoreCapabilities,
  StoreCall,
  WriteOptions,
} from '../contract/event-store.js';
import { callHook } from '../../observe/call-hook.js';
import { throwFaults } from '../../options/check-options.js';
import { required } from '../../options/rules.js';
import { notFound } from '../contract/conditions.js';
import { storeError } from '../contract/errors.js';
import { aStoreEngine } from '../contract/store-rule.js';
import { copyOfKey, isWellFormedKey, keyText } from '../contract/keys.js';
import type { LATER } from '../contract/read-hints.js';
import { ParkedIterator } from '../feeds/parked-iterator.js';
import type { FeedSource } from '../feeds/paged-feed.js';
import type { EncodedEvent, EventKey, EventRecord } from '../contract/record.js';
import { createOpening, type Opening } from './opening.js';
import { createStoreCalls } from './store-calls.js';
import type { Awaitable, StoreEngine } from './store-engine.js';

/** Calls `work` as an async function would, with fewer promises. */
function promised<T>(work: () => Awaitable<T>): Promise<T> {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

function checkListQuery({ limit, order, after }: ListQuery, { newestFirst }: StoreCapabilities): void {
  if (!(Number.isSafeInteger(limit) && limit >= 1)) {
    throw new TypeError('list: limit must be a whole number of at least 1');
  }
  if (order !== 'newest-first') return;
  if (!newestFirst) throw new TypeError('list: order must be key, the only one of this store');
  if (after !== undefined && after.revision === undefined) {
    throw new TypeError('list: with order newest-first, after must have a revision');
  }
}

function checkPut({ bytes }: EncodedEvent, { expiresAt }: WriteOptions, maxEventBytes: number): void {
  if (!Number.isSafeInteger(expiresAt)) {
    throw new TypeError('expiresAt must be whole microseconds since the epoch');
  }
  if (bytes.length > maxEventBytes) {
    throw storeError('too-large', `the event has ${bytes.length} bytes, the limit is ${maxEventBytes}`);
  }
}

function checkExpected({ expected }: ReplaceOptions): void {
  if (!Number.isSafeInteger(expected)) throw new TypeError('replace: expected must be a revision');
}

function checkExpire({ now, limit }: ExpireOptions): void {
  if (!Number.isSafeInteger(limit)) throw new TypeError('expire: limit must be a whole number');
  if (!Number.isFinite(now)) throw new TypeError('expire: now must be microseconds since the epoch');
}

function copyOfEvent({ bytes, cut, uid, fields, labels }: EncodedEvent): EncodedEvent {
  return { bytes: new Uint8Array(bytes), cut, uid, fields: { ...fields }, labels: { ...labels } };
}

/** A separate function, so that the closures of the store do not hold the engine. */
function openingOf(engine: StoreEngine): Opening | undefined {
  const { open } = engine;
  return open && createOpening(() => open.call(engine), engine.reopening);
}

/**
 * Creates an {@link EventStore} from an engine. The rules for every operation of every store are implemented here,
 * once:
 *
 * - After `close()` every call fails with `closed`, and open feeds have ended. `close()` waits for the calls in
 *   progress.
 * - An aborted signal ends a call with its reason, before it begins or while it is in progress, and ends a feed.
 * - An invalid limit, position, expiry time or expected revision is a TypeError; an event with more bytes than
 *   `capabilities.maxEventBytes` is `too-large`.
 * - A key with a lone surrogate is `invalid-key` in writes, and no event has it.
 * - Keys and events are copied.
 * - Calls and feeds wait until the engine is open; a failed opening is retried, with growing pauses.
 * - Errors of an engine are passed on. One that is not a StoreError is a bug: a response 500, and reported to
 *   `observe`.
 *
 * @throws TypeError when `engine` lacks a function that a store needs
 */
export function createEventStore(engine: StoreEngine): EventStore {
  throwFaults('createEventStore', required(aStoreEngine)(engine, 'engine'));
  const { name, capabilities, synchronous } = engine;
  const { maxEventBytes } = capabilities;
  const copies = engine.copies === true && engine.open === undefined;
  const opening = openingOf(engine);
  const { begin, run, opened, closedError, end, idle } = createStoreCalls(engine, opening);
  let closing: Promise<void> | undefined;
  const feeds = new Set<ParkedIterator<readonly Change[]>>();

  const ownKey = (key: EventKey): EventKey => (copies ? key : copyOfKey(key));
  const ownEvent = (event: EncodedEvent): EncodedEvent => (copies ? event : copyOfEvent(event));

  const get = async (key: EventKey, call?: StoreCall): Promise<EventRecord | undefined> => {
    const open = begin(call);
    if (!isWellFormedKey(key)) return undefined;
    const own = ownKey(key);
    return run(call, () => open.get(own, call));
  };

  const getSync = (key: EventKey, call?: StoreCall): EventRecord | undefined =>
    begin(call).get(key, call) as EventRecord | undefined;

  const getSyncOrLater = (key: EventKey, call?: StoreCall): EventRecord | undefined | typeof LATER =>
    begin(call).getSync?.(key, call);

  /** `get` without a promise. */
  const sync = synchronous === true ? getSync : engine.getSync && opening === undefined && getSyncOrLater;

  type Write<Call> = (key: EventKey, event: EncodedEvent, call: Call) => Promise<EventRecord>;

  /** A conditional write, with its synchronous form if the engine is synchronous. */
  const writer = <Call extends WriteOptions>(
    write: (open: StoreEngine, key: EventKey, event: EncodedEvent, call: Call) => Awaitable<EventRecord>,
    check?: (call: Call) => void,
  ): Write<Call> => {
    const begun = (key: EventKey, event: EncodedEvent, call: Call): (() => Awaitable<EventRecord>) => {
      const open = begin(call);
      check?.(call);
      checkPut(event, call, maxEventBytes);
      if (!isWellFormedKey(key)) throw storeError('invalid-key', 'the key has a lone surrogate');
      const own = ownKey(key);
      const content = ownEvent(event);
      return () => write(open, own, content, call);
    };
    const later: Write<Call> = (key, event, call) => promised(() => run(call, begun(key, event, call)));
    if (synchronous !== true) return later;
    const sync = (key: EventKey, event: EncodedEvent, call: Call): EventRecord =>
      begun(key, event, call)() as EventRecord;
    return Object.assign(later, { sync });
  };

  const list = async (query: ListQuery): ReturnType<EventStore['list']> => {
    const open = begin(query);
    checkListQuery(query, capabilities);
    return run(query, () => open.list(query));
  };

  const json: EventStore['list']['json'] =
    engine.json &&
    ((query) => {
      const open = begin(query);
      checkListQuery(query, capabilities);
      return run(query, () => open.json?.(query));
    });

  /** An operation whose only argument is the call. */
  const asking =
    <T>(ask: (open: StoreEngine, call: PingOptions | undefined) => Awaitable<T>) =>
    async (call?: PingOptions): Promise<T> => {
      const open = begin(call);
      return run(call, () => ask(open, call));
    };

  const openFeed = (
    { after, signal, onProgress }: ChangesOptions,
    open: StoreEngine,
  ): AsyncIterator<readonly Change[]> => {
    let source: FeedSource | undefined;
    let failure: { readonly error: unknown } | undefined;
    const feed: ParkedIterator<readonly Change[]> = new ParkedIterator({
      signal,
      poll() {
        if (failure !== undefined) throw failure.error;
        return source?.take();
      },
      onEnd() {
        feeds.delete(feed);
        // The reader has left. What throws here would end a process, or leave other feeds open.
        void callHook(() => source?.end?.());
      },
    });
    if (signal?.aborted) return feed;
    feeds.add(feed);
    const start = (): void => {
      if (!feeds.has(feed)) return;
      source = open.feed({ after, onProgress, wake: () => feed.wake() });
      feed.wake();
    };
    const fail = (error: unknown): void => {
      failure = { error };
      feed.wake();
    };
    if (opening?.isOpen === false) opening.ready().then(start).catch(fail);
    else {
      try {
        start();
      } catch (error) {
        fail(error);
      }
    }
    return feed;
  };

  const close = async (): Promise<void> => {
    const last = begin(undefined);
    end();
    for (const feed of [...feeds]) feed.end();
    opening?.close(closedError());
    try {
      // An async function fits its type as well.
      await (last.stop?.() as unknown);
    } finally {
      await idle();
      await last.close?.();
    }
  };

  return Object.freeze<EventStore>({
    name,
    capabilities: Object.freeze({ ...capabilities }),
    get: Object.assign(get, sync && { sync }),
    list: Object.assign(list, json && { json }),
    create: writer((open, key, event, call) => open.create(key, event, call)),
    replace: writer<ReplaceOptions>((open, key, event, call) => open.replace(key, event, call), checkExpected),
    async remove(key, call = {}) {
      const open = begin(call);
      if (!isWellFormedKey(key)) throw notFound(keyText(key));
      const own = copyOfKey(key);
      return run(call, () => open.remove(own, call));
    },
    async expire(call) {
      const open = begin(call);
      checkExpire(call);
      return call.limit >= 1 ? run(call, () => open.expire(call)) : 0;
    },
    changes: (options) => ({
      [Symbol.asyncIterator]() {
        const open = opened();
        const { after } = options;
        const isRevision = typeof after === 'number' && !Number.isNaN(after);
        if (open !== undefined && isRevision) return openFeed(options, open);
        const error = isRevision ? closedError() : new TypeError('changes: after must be a revision');
        return { next: () => Promise.reject(error) };
      },
    }),
    revision: asking((open, call) => open.revision(call)),
    ping: asking((open, call) => open.ping(call)),
    ...(engine.now && { now: asking(async (open, call) => (open.now as NonNullable<StoreEngine['now']>)(call)) }),
    ...(engine.requestProgress && { requestProgress: () => opened()?.requestProgress?.() }),
    close: () => (closing ??= close()),
  });
}
