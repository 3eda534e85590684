import { systemClock } from '../../clock/clock.js';
import type {
  EventKey,
  EventStore,
  JsonPage,
  ListPage,
  ListQuery,
  Revision,
  StoreCall,
  StoreCapabilities,
  WriteOptions,
} from '../contract.js';
import { storeError } from '../errors.js';
import { nextTurn } from '../../clock/next-turn.js';
import type { EncodedEvent, EventRecord } from '../record.js';
import { createBounds } from './bounds.js';
import { createEngine, type Engine } from './engine.js';
import { checkMemoryStoreOptions, type MemoryStoreOptions } from './options.js';
import { readJson } from './lists/read-json.js';
import { pastOf, readList } from './lists/read-list.js';
import type { Slot, Version } from './index/key-index.js';

/**
 * The longest time one `expire` call works before it yields, in milliseconds. A garbage collection of 4 to 6 ms may be
 * added, and both together should stay below 10.
 */
const EXPIRE_SLICE_MS = 1;
const EXPIRE_STEPS_PER_CLOCK_CHECK = 8;

/**
 * A store in the memory of this process: fast, and lost when the process ends. Revisions start from the wall clock in microseconds;
 * every revision from before the start is `expired`. Create, get and the first page cost the same however much is
 * stored. History (for watches, continue tokens and exact reads) is kept for `historyMs`, as far as it fits into
 * `historyMaxBytes`. Everything together stays below `maxBytes`: history is dropped first, then `whenFull` decides.
 *
 * @throws TypeError that lists every unusable option.
 */
export function memoryStore(options: MemoryStoreOptions = {}): EventStore {
  checkMemoryStoreOptions(options);
  const clock = options.clock ?? systemClock;
  const name = options.name ?? 'memory';
  const bounds = createBounds(options);
  const { maxEventBytes } = bounds;
  /** `undefined` after `close()`. */
  let engine: Engine | undefined = createEngine(clock, options, bounds);

  const begin = (call: StoreCall | undefined): Engine => {
    if (engine === undefined) throw storeError('closed', `the store ${name} is closed`);
    if (call !== undefined && call.aborted !== false) call.signal?.throwIfAborted();
    return engine;
  };

  const put = (
    { state, capacity, afterWrite }: Engine,
    place: Slot | string,
    key: EventKey,
    event: EncodedEvent,
    expiresAt: number,
  ): EventRecord => {
    if (typeof expiresAt !== 'number' || Number.isNaN(expiresAt)) {
      throw new TypeError('expiresAt: give microseconds since the epoch');
    }
    if (event.bytes.length > maxEventBytes) {
      throw storeError('too-large', `the event has ${event.bytes.length} bytes, at most ${maxEventBytes} are kept`);
    }
    const retentionMs = (expiresAt - clock.now()) / 1000;
    const found = capacity.admit(place, event.bytes.length);
    const version = state.put(found ? place : state.place(key), event, {
      expiresAt,
      retentionMs,
      at: clock.monotonic(),
    });
    afterWrite();
    return state.record(version, version.step, key);
  };

  /** The newest version of the key, at the expected revision if there is one. */
  const current = ({ state }: Engine, key: EventKey, expected: Revision | undefined): Version => {
    const version = state.find(key);
    if (version === undefined) throw storeError('not-found', `${key.namespace}/${key.name} does not exist`);
    const revision = state.start + version.step;
    if (expected !== undefined && revision !== expected) {
      throw storeError('conflict', `${key.namespace}/${key.name} is at ${revision}, not at ${expected}`);
    }
    return version;
  };

  const getSync = (key: EventKey, call?: StoreCall): EventRecord | undefined => {
    const { state } = begin(call);
    const version = state.find(key);
    return version === undefined ? undefined : state.record(version, version.step, key);
  };

  const list = async (query: ListQuery): Promise<ListPage> => {
    const past = pastOf(begin(query).state, query);
    while (past?.catchUp() === false) {
      await nextTurn();
      begin(query);
    }
    const { page, incomplete } = readList(begin(query).state, query, past);
    if (!incomplete) return page;
    // A scan over all events is split into many pages, and yields to the event loop between two of them.
    await nextTurn();
    begin(query);
    const { next, records, revision } = page;
    if ((query.terms ?? []).length > 0 || next === undefined) return page;
    // A page without terms must be full and have `remaining`: continue where it ended.
    const left = query.limit - records.length;
    const rest = await list({ ...query, at: revision, after: next, limit: Math.max(left, 1) });
    if (left > 0) return { ...rest, records: [...records, ...rest.records] };
    if (rest.records.length === 0) return { records, revision, remaining: 0 };
    return { ...page, remaining: rest.remaining === undefined ? undefined : rest.remaining + 1 };
  };

  const json = (query: ListQuery): JsonPage | undefined => {
    const { state, jsonCache } = begin(query);
    return readJson(state, jsonCache, query);
  };

  const createSync = (key: EventKey, event: EncodedEvent, call: WriteOptions): EventRecord => {
    const open = begin(call);
    const place = open.state.place(key);
    if (typeof place !== 'string' && place.head.event !== undefined) {
      throw storeError('exists', `${key.namespace}/${key.name} exists already`);
    }
    return put(open, place, key, event, call.expiresAt);
  };

  return Object.freeze<EventStore>({
    name,
    capabilities: Object.freeze<StoreCapabilities>({
      durable: false,
      shared: false,
      newestFirst: 'indexed',
      remaining: true,
      maxEventBytes,
    }),
    get: Object.assign(async (key: EventKey, call?: StoreCall) => getSync(key, call), { sync: getSync }),
    list: Object.assign(list, { json }),
    create: Object.assign(
      async (key: EventKey, event: EncodedEvent, call: WriteOptions) => createSync(key, event, call),
      { sync: createSync },
    ),
    async replace(key, event, call) {
      const open = begin(call);
      const { slot } = current(open, key, call.expected);
      return put(open, slot, key, event, call.expiresAt);
    },
    async remove(key, call) {
      const open = begin(call);
      const living = current(open, key, call?.expected);
      const { step } = open.state.remove(living, clock.monotonic());
      open.afterWrite();
      return open.state.record(living, step);
    },
    async expire(call) {
      for (;;) {
        const { state, afterWrite } = begin(call);
        const end = clock.monotonic() + EXPIRE_SLICE_MS;
        let count = 0;
        let slot: Slot | 'later' | undefined;
        while (count < call.limit) {
          slot = state.expiry.take(call.now);
          if (slot === undefined) break;
          if (slot === 'later') {
            if (clock.monotonic() >= end) break;
            continue;
          }
          state.remove(slot.head, clock.monotonic());
          afterWrite();
          count++;
          if (count % EXPIRE_STEPS_PER_CLOCK_CHECK === 0 && clock.monotonic() >= end) break;
        }
        if (count > 0 || slot !== 'later') return count;
        // Zero would mean that nothing is due, so continue after yielding.
        await nextTurn();
      }
    },
    changes(call) {
      return {
        [Symbol.asyncIterator]() {
          if (engine !== undefined) return engine.feeds.open(call);
          return { next: () => Promise.reject(storeError('closed', `the store ${name} is closed`)) };
        },
      };
    },
    async revision(call) {
      const { state } = begin(call);
      return state.start + state.log.latest();
    },
    async ping(call) {
      begin(call);
    },
    async close() {
      const last = engine;
      engine = undefined;
      last?.history.close();
      last?.feeds.close();
    },
  });
}
