import { systemClock, nextTurn, type Clock } from '../../clock/clock.js';
import type { EventKey, EventStore, Revision } from '../contract/event-store.js';
import { closed, conflict, exists, notFound } from '../contract/conditions.js';
import { keyText } from '../contract/keys.js';
import type { EncodedEvent, EventRecord } from '../contract/record.js';
import { createEventStore } from '../shell/create-event-store.js';
import type { StoreEngine } from '../shell/store-engine.js';
import { createBounds, type Bounds } from './bounds.js';
import { createParts } from './parts.js';
import type { Slot, Version } from './bytes/version.js';
import { checkMemoryStoreOptions, type MemoryStoreOptions } from './options.js';
import { createReads, type Reads } from './reads.js';

/** The longest time until `expire` yields: with a garbage collection of 4 to 6 ms it should stay below 10. */
const EXPIRE_SLICE_MS = 1;
const EXPIRE_STEPS_PER_CLOCK_CHECK = 8;

/**
 * Creates a store in the memory of this process: fast, but lost when the process ends. Revisions start from the wall
 * clock in microseconds; every revision from before the start is `expired`. Create, get and the first page of a list
 * take nearly the same time however many events are stored. History (for watches, continue tokens and exact reads) is
 * stored for `historyMs`, as far as it fits into `historyMaxBytes`. The total memory stays below `maxBytes`: history is
 * dropped first, then `whenFull` applies.
 *
 * @throws TypeError that lists every unusable option.
 */
export function memoryStore(options: MemoryStoreOptions = {}): EventStore {
  checkMemoryStoreOptions(options);
  const { clock = systemClock, name = 'memory' } = options;
  const bounds = createBounds(options);
  // Created at first use: revisions start from the wall clock, which Cloudflare Workers stop at 0 while modules are
  // evaluated.
  let made: Operations | undefined;
  const operations = (): Operations => (made ??= createOperations(clock, name, options, bounds));

  return createEventStore({
    name,
    capabilities: {
      durable: false,
      shared: false,
      newestFirst: true,
      remaining: true,
      maxEventBytes: bounds.maxEventBytes,
    },
    synchronous: true,
    copies: true,
    get: (key) => operations().get(key),
    list: (query) => operations().list(query),
    json: (query) => operations().json(query),
    create: (key, event, call) => operations().create(key, event, call),
    replace: (key, event, call) => operations().replace(key, event, call),
    remove: (key, call) => operations().remove(key, call),
    expire: (call) => operations().expire(call),
    feed: (feed) => operations().feed(feed),
    revision: () => operations().revision(),
    ping: () => undefined,
    stop: () => made?.stop(),
  });
}

/** Synchronous, unless the work must yield to the event loop. */
type Operations = Reads &
  Required<Pick<StoreEngine, 'create' | 'replace' | 'remove' | 'expire' | 'feed' | 'revision' | 'stop'>>;

function createOperations(clock: Clock, name: string, options: MemoryStoreOptions, bounds: Bounds): Operations {
  const parts = createParts(clock, options, bounds);
  const { state, feeds, history } = parts;

  const put = (target: Slot | string, key: EventKey, event: EncodedEvent, expiresAt: number): EventRecord => {
    const version = parts.put(target, key, event, expiresAt);
    return state.record(version, version.sequence, key);
  };

  /** Returns the newest version of the key. Fails when it is not at the expected revision, if one is given. */
  const current = (key: EventKey, expected: Revision | undefined): Version => {
    const version = state.find(key);
    if (version === undefined) throw notFound(keyText(key));
    const revision = state.start + version.sequence;
    if (expected !== undefined && revision !== expected) throw conflict(keyText(key), revision, expected);
    return version;
  };

  let stopped = false;
  const checkOpen = (): void => {
    if (stopped) throw closed(name);
  };
  const reads = createReads(parts, checkOpen);

  return {
    ...reads,
    create(key, event, { expiresAt }) {
      const target = state.slotOf(key);
      if (typeof target !== 'string' && target.head.event !== undefined) throw exists(keyText(key));
      return put(target, key, event, expiresAt);
    },
    replace(key, event, { expected, expiresAt }) {
      const { slot } = current(key, expected);
      return put(slot, key, event, expiresAt);
    },
    remove(key, { expected }) {
      const living = current(key, expected);
      const { sequence } = parts.remove(living);
      return state.record(living, sequence);
    },
    async expire({ now, limit, signal }) {
      for (;;) {
        const end = clock.monotonic() + EXPIRE_SLICE_MS;
        let count = 0;
        let slot: Slot | 'later' | undefined;
        while (count < limit) {
          slot = state.expiry.take(now);
          if (slot === undefined) break;
          if (slot === 'later') {
            if (clock.monotonic() >= end) break;
            continue;
          }
          parts.remove(slot.head);
          count++;
          if (count % EXPIRE_STEPS_PER_CLOCK_CHECK === 0 && clock.monotonic() >= end) break;
        }
        if (count > 0 || slot !== 'later') return count;
        // Returning zero would mean that nothing is due.
        await nextTurn();
        signal?.throwIfAborted();
        checkOpen();
      }
    },
    feed: feeds.open,
    revision: () => state.start + state.log.latest(),
    stop() {
      stopped = true;
      history.close();
    },
  };
}
