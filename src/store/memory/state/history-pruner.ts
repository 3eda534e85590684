import type { Clock, ClockTimer } from '../../../clock/clock.js';
import type { MemoryState } from './state.js';

/** Changes that one write may drop: more than the one it adds, so that history shrinks again after a burst. */
const STEPS_PER_WRITE = 4;
/** The longest time the timer works before it yields to the event loop, in milliseconds. */
const SLICE_MS = 2;
const STEPS_PER_CLOCK_CHECK = 16;

export interface HistoryLimits {
  readonly historyMs: number;
  /** Above it changes younger than `historyMs` are dropped as well. */
  readonly historyMaxBytes: number;
  /** True while the store has no space for all of its history. */
  overLimit(): boolean;
  /** The first change that open feeds had no turn to read yet; it and later ones stay. */
  unread(): number;
}

export type HistoryPruner = ReturnType<typeof createHistoryPruner>;

/** Drops old history of a state in small steps: a few with every write, and the rest on a timer. */
export function createHistoryPruner(state: MemoryState, clock: Clock, limits: HistoryLimits) {
  const { log } = state;
  let timer: ClockTimer | undefined;
  let closed = false;

  const msUntilDue = (): number | undefined => {
    const oldest = log.oldestAt();
    if (oldest === undefined) return undefined;
    if (log.cost() > limits.historyMaxBytes || limits.overLimit()) return 0;
    return Math.max(0, oldest + limits.historyMs - clock.monotonic());
  };

  const isUnread = (): boolean => log.floor() + 1 >= limits.unread();

  /** Drops up to `steps` changes; returns true when more can be dropped. */
  const prune = (steps: number): boolean => {
    for (let i = 0; i < steps; i++) {
      if (msUntilDue() !== 0 || isUnread()) return false;
      state.pruneOldest();
    }
    return true;
  };

  const plan = (): void => {
    if (timer !== undefined || closed) return;
    const wait = msUntilDue();
    if (wait === 0 && isUnread()) return;
    if (wait !== undefined) timer = clock.setTimer(run, wait);
  };

  const run = (): void => {
    timer?.cancel();
    timer = undefined;
    const end = clock.monotonic() + SLICE_MS;
    while (prune(STEPS_PER_CLOCK_CHECK)) if (clock.monotonic() >= end) break;
    plan();
  };

  return {
    afterWrite(): void {
      prune(STEPS_PER_WRITE);
      // One large event may displace many small changes.
      if (limits.overLimit()) run();
      else plan();
    },
    /** Goes on with what was unread. */
    afterRead: (): void => plan(),
    close(): void {
      closed = true;
      timer?.cancel();
    },
  };
}
