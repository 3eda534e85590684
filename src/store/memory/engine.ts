import type { Clock } from '../../clock/clock.js';
import type { Revision } from '../contract.js';
import type { Bounds } from './bounds.js';
import { createFeeds, type Feeds } from './state/feed.js';
import { createHistoryKeeper, type HistoryKeeper } from './state/history-keeper.js';
import { createJoinedLists, type JoinedLists } from './lists/joined-lists.js';
import type { MemoryStoreOptions } from './options.js';
import { createRoof, type Roof } from './state/roof.js';
import { createMemoryState, type MemoryState } from './state/state.js';

/** The revision before the first: the wall clock, so that a restarted process goes on above its former revisions. */
function startRevision(clock: Clock, { startAt, startAbove = 0 }: MemoryStoreOptions): Revision {
  if (startAt !== undefined) return Math.max(1, startAt);
  return Math.max(1, startAbove, Math.floor(clock.now()));
}

/** What a memory store consists of. */
export interface Engine {
  readonly state: MemoryState;
  readonly feeds: Feeds;
  readonly history: HistoryKeeper;
  readonly lists: JoinedLists;
  readonly roof: Roof;
  afterWrite(): void;
  /** What it all takes in memory, in bytes. */
  held(): number;
}

/** Puts an empty store together. */
export function createEngine(clock: Clock, options: MemoryStoreOptions, bounds: Bounds): Engine {
  const state = createMemoryState(startRevision(clock, options), bounds.slabBytes);
  const feeds = createFeeds(state);
  const lists = createJoinedLists(state.start, bounds.listCacheMaxBytes);
  const afterWrite = (): void => {
    history.afterWrite();
    feeds.wake();
  };
  const roof = createRoof(
    { state, clock, others: lists.held, evicted: afterWrite },
    { ...bounds, maxEvents: options.maxEvents ?? Infinity, evict: options.whenFull === 'evict-oldest' },
  );
  const history = createHistoryKeeper(state, clock, {
    historyMs: options.historyMs ?? 600_000,
    historyMaxBytes: bounds.historyMaxBytes,
    squeezes: roof.squeezes,
  });
  const held = (): number => {
    const { current, history: past } = state.held();
    return current + past + lists.held();
  };
  return { state, feeds, history, lists, roof, afterWrite, held };
}
