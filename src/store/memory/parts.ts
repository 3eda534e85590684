import { atNextTurn, type Clock } from '../../clock/clock.js';
import type { Revision } from '../contract/event-store.js';
import { expired } from '../contract/conditions.js';
import { eventSize, type EncodedEvent, type EventKey } from '../contract/record.js';
import { createPagedFeeds, type PagedFeeds } from '../feeds/paged-feed.js';
import type { Bounds } from './bounds.js';
import { createHistoryPruner, type HistoryPruner } from './state/history-pruner.js';
import { createJsonCache, type JsonCache } from './lists/json-cache.js';
import type { MemoryStoreOptions } from './options.js';
import { createCapacity, type Capacity } from './state/capacity.js';
import { createMemoryState, type MemoryState } from './state/state.js';
import type { ExpiryQueue } from './index/expiry-queue.js';
import type { Slot, Version } from './bytes/version.js';

const FEED_BATCH = 1024;

/** The revision before the first: from the wall clock, so that a restarted process continues above earlier ones. */
function startRevision(clock: Clock, { startAt, startAbove = 0 }: MemoryStoreOptions): Revision {
  if (startAt !== undefined) return Math.max(1, startAt);
  return Math.max(1, startAbove, Math.floor(clock.now()));
}

export interface MemoryParts {
  readonly state: MemoryState;
  readonly feeds: PagedFeeds;
  readonly history: HistoryPruner;
  readonly jsonCache: JsonCache;
  readonly capacity: Capacity;
  /** Writes an event, whatever the slot held before. `sequence`: as for {@link MemoryState.put}. Fails with `full`. */
  put(target: Slot | string, key: EventKey, event: EncodedEvent, expiresAt: number, sequence?: number): Version;
  /** Removes a live version, and returns its tombstone. `sequence`: as for {@link MemoryState.put}. */
  remove(version: Version, sequence?: number): Version;
}

/** Creates the components of an empty store. `expiry`: see {@link createMemoryState}. */
export function createParts(
  clock: Clock,
  options: MemoryStoreOptions,
  bounds: Bounds,
  expiry?: ExpiryQueue,
): MemoryParts {
  const state = createMemoryState(startRevision(clock, options), clock, bounds.arenaBytes, expiry);
  const feeds = createPagedFeeds({
    read(after) {
      const { log, start } = state;
      const position = after - start;
      if (position >= log.floor()) return log.read(position, FEED_BATCH).map(state.change);
      throw expired(after, start + log.floor());
    },
  });
  const jsonCache = createJsonCache(state.start, bounds.listCacheMaxBytes);
  let unread = Infinity;
  const onTurn = (): void => {
    unread = Infinity;
    history.afterRead();
  };
  const afterWrite = (): void => {
    if (unread === Infinity && feeds.readers > 0) {
      unread = state.log.latest();
      // Directly before the feeds read: what one of them writes then is unread again.
      atNextTurn(onTurn);
    }
    feeds.wake();
    history.afterWrite();
    capacity.shrink();
  };
  const capacity = createCapacity(state, clock, {
    ...bounds,
    maxEvents: options.maxEvents ?? Infinity,
    evict: options.whenFull === 'evict-oldest',
    others: jsonCache.held,
    evicted: afterWrite,
  });
  const history = createHistoryPruner(state, clock, {
    historyMs: options.historyMs ?? 600_000,
    historyMaxBytes: bounds.historyMaxBytes,
    overLimit: capacity.overLimit,
    unread: () => unread,
  });
  return {
    state,
    feeds,
    history,
    jsonCache,
    capacity,
    put(target, key, event, expiresAt, sequence) {
      const found = capacity.admit(target, eventSize(event), event);
      const version = state.put(found ? target : state.slotOf(key), event, expiresAt, sequence);
      afterWrite();
      return version;
    },
    remove(version, sequence) {
      const tombstone = state.remove(version, sequence);
      afterWrite();
      return tombstone;
    },
  };
}
