import type {
  Change,
  ChangesOptions,
  EventStore,
  ListQuery,
  ReplaceOptions,
  StoreCall,
  WriteOptions,
} from '../contract/event-store.js';
import { throwFaults } from '../../options/check-options.js';
import { required } from '../../options/rules.js';
import { aStoreEngine } from '../contract/store-rule.js';
import { copyOfKey } from '../contract/keys.js';
import { isStoreError, storeError, type StoreError } from '../contract/errors.js';
import type { LATER } from '../contract/read-hints.js';
import { createParkedIterator, type ParkedIterator } from '../feeds/parked-iterator.js';
import type { FeedSource } from '../feeds/paged-feed.js';
import type { EncodedEvent, EventKey, EventRecord } from '../contract/record.js';
import { untilAborted } from '../../clock/abortable.js';
import { createOpening, type Opening } from './opening.js';
import type { Awaitable, StoreEngine } from './store-engine.js';

function checkListQuery({ limit, order, after }: ListQuery): void {
  if (!(Number.isSafeInteger(limit) && limit >= 1)) {
    throw new TypeError('list: give a limit that is a whole number of at least 1');
  }
  if (order === 'newest-first' && after !== undefined && after.revision === undefined) {
    throw new TypeError('list: newest-first goes on after a position with a revision');
  }
}

function checkPut({ bytes }: EncodedEvent, { expiresAt }: WriteOptions, maxEventBytes: number): void {
  if (typeof expiresAt !== 'number' || Number.isNaN(expiresAt)) {
    throw new TypeError('expiresAt: give microseconds since the epoch');
  }
  if (bytes.length > maxEventBytes) {
    throw storeError('too-large', `the event has ${bytes.length} bytes, at most ${maxEventBytes} are kept`);
  }
}

function checkExpected({ expected }: ReplaceOptions): void {
  if (!Number.isSafeInteger(expected)) throw new TypeError('replace: give the expected revision');
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
 * Makes an {@link EventStore} of an engine. What holds for every operation of every store is done here, once:
 *
 * - After `close()` every call fails with `closed`, and open feeds have ended. `close()` waits for the calls under way.
 * - An aborted signal ends a call with its reason, before it begins or while it is under way, and ends a feed.
 * - A limit, a position, a moment or an expected revision that no store could use is a TypeError; an event with more than
 *   `capabilities.maxEventBytes` is `too-large`.
 * - Keys and events are copied.
 * - Calls and feeds wait until the engine is open; a failed opening is tried again, with growing pauses.
 * - What an engine throws is passed on. An error that is no StoreError is a bug: 500 on the wire, and reported to `observe`.
 *
 * @throws TypeError when `engine` lacks a function that a store needs
 */
export function createEventStore(engine: StoreEngine): EventStore {
  throwFaults('createEventStore', required(aStoreEngine)(engine, 'engine'));
  const { name, capabilities, synchronous } = engine;
  const { maxEventBytes } = capabilities;
  const copies = engine.copies === true && engine.open === undefined;
  const opening = openingOf(engine);
  /** `undefined` after `close()`, so that the engine's memory is freed even while the store is referenced. */
  let opened: StoreEngine | undefined = engine;
  let closing: Promise<void> | undefined;
  let underWay = 0;
  let whenIdle: (() => void) | undefined;
  const feeds = new Set<ParkedIterator<readonly Change[]>>();

  const closedError = (): StoreError => storeError('closed', `the store ${name} is closed`);

  const begin = (call: StoreCall | undefined): StoreEngine => {
    if (opened === undefined) throw closedError();
    // Where `aborted` is given, reading `signal` may create it.
    if (call !== undefined && call.aborted !== false) call.signal?.throwIfAborted();
    return opened;
  };

  const isOver = (): void => {
    underWay -= 1;
    if (underWay === 0) whenIdle?.();
  };
  const passed = <T>(value: T): T => {
    isOver();
    return value;
  };
  const thrown = (error: unknown): never => {
    isOver();
    throw error;
  };
  /** `close()` waits for it, even when the caller no longer does. One promise and no closures, because every write is counted. */
  const counted = <T>(work: Promise<T>): Promise<T> => {
    underWay += 1;
    return work.then(passed<T>, thrown);
  };

  const waited = async <T>(call: StoreCall | undefined, work: () => Awaitable<T>): Promise<T> => {
    try {
      if (opening?.isOpen === false) {
        await untilAborted(opening.ready(), call?.signal);
        begin(call);
      }
      const result = work();
      return result instanceof Promise ? await untilAborted(counted(result), call?.signal) : result;
    } catch (error) {
      // The engine's own error for an aborted call is not passed on.
      throw !isStoreError(error) && call?.signal?.aborted === true ? call.signal.reason : error;
    }
  };

  /** A call that was begun and checked. A result that is no promise costs no promise and no signal. */
  const run = <T>(call: StoreCall | undefined, work: () => Awaitable<T>): Awaitable<T> => {
    if (opening?.isOpen === false) return waited(call, work);
    const result = work();
    if (!(result instanceof Promise)) return result;
    return call?.signal === undefined ? counted(result) : waited(call, () => result);
  };

  /** As an async function, with fewer promises. */
  const promised = <T>(work: () => Awaitable<T>): Promise<T> => {
    try {
      return Promise.resolve(work());
    } catch (error) {
      return Promise.reject(error as Error);
    }
  };

  const ownKey = (key: EventKey): EventKey => (copies ? key : copyOfKey(key));
  const ownEvent = (event: EncodedEvent): EncodedEvent => (copies ? event : copyOfEvent(event));

  const get = async (key: EventKey, call?: StoreCall): Promise<EventRecord | undefined> => {
    const open = begin(call);
    const own = ownKey(key);
    return run(call, () => open.get(own, call));
  };

  const getSync = (key: EventKey, call?: StoreCall): EventRecord | undefined =>
    begin(call).get(key, call) as EventRecord | undefined;

  const getNowAndThen = (key: EventKey, call?: StoreCall): EventRecord | undefined | typeof LATER =>
    begin(call).getSync?.(key, call);

  /** `get` without a promise. */
  const sync = synchronous === true ? getSync : engine.getSync && opening === undefined && getNowAndThen;

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
    checkListQuery(query);
    return run(query, () => open.list(query));
  };

  const json: EventStore['list']['json'] =
    engine.json &&
    ((query) => {
      const open = begin(query);
      checkListQuery(query);
      return open.json && run(query, () => open.json?.(query));
    });

  const openFeed = (
    { after, signal, onProgress }: ChangesOptions,
    open: StoreEngine,
  ): AsyncIterator<readonly Change[]> => {
    let source: FeedSource | undefined;
    let failure: { readonly error: unknown } | undefined;
    const feed: ParkedIterator<readonly Change[]> = createParkedIterator({
      signal,
      poll() {
        if (failure !== undefined) throw failure.error;
        return source?.take();
      },
      onEnd() {
        feeds.delete(feed);
        source?.end?.();
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
    else start();
    return feed;
  };

  const close = async (last: StoreEngine): Promise<void> => {
    opened = undefined;
    for (const feed of [...feeds]) feed.end();
    opening?.close(closedError());
    last.stop?.();
    if (underWay > 0) await new Promise<void>((resolve) => (whenIdle = resolve));
    await last.close?.();
  };

  return Object.freeze<EventStore>({
    name,
    capabilities: Object.freeze({ ...capabilities }),
    get: sync ? Object.assign(get, { sync }) : get,
    list: json === undefined ? list : Object.assign(list, { json }),
    create: writer((open, key, event, call) => open.create(key, event, call)),
    replace: writer<ReplaceOptions>((open, key, event, call) => open.replace(key, event, call), checkExpected),
    async remove(key, call = {}) {
      const open = begin(call);
      const own = copyOfKey(key);
      return run(call, () => open.remove(own, call));
    },
    async expire(call) {
      const open = begin(call);
      return call.limit >= 1 ? run(call, () => open.expire(call)) : 0;
    },
    changes: (options) => ({
      [Symbol.asyncIterator]: () =>
        opened === undefined ? { next: () => Promise.reject(closedError()) } : openFeed(options, opened),
    }),
    async revision(call) {
      const open = begin(call);
      return run(call, () => open.revision(call));
    },
    async ping(call) {
      const open = begin(call);
      return run(call, () => open.ping(call));
    },
    ...(engine.now && {
      async now(call?: StoreCall) {
        const open = begin(call);
        return run(call, async () => (open.now as NonNullable<StoreEngine['now']>)(call));
      },
    }),
    ...(engine.requestProgress && { requestProgress: () => opened?.requestProgress?.() }),
    close: () => (closing ??= opened === undefined ? Promise.resolve() : close(opened)),
  });
}
