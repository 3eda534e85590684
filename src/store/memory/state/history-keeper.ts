import type { Clock, ClockTimer } from '../../../clock/clock.js';
import type { MemoryState } from './state.js';

/** How many changes a write may forget: more than the one it adds, so that history shrinks back after a burst. */
const STEPS_PER_WRITE = 4;
/** The longest time the timer works before it lets others work, in milliseconds. */
const SLICE_MS = 2;
const STEPS_PER_LOOK = 16;

/** How long and how much history is kept. */
export interface HistoryLimits {
  /** Age up to which a change is kept, as long as it fits. */
  readonly historyMs: number;
  /** What the history may cost; beyond it younger changes are forgotten as well. */
  readonly historyMaxBytes: number;
  /** There is no room for all of it. */
  squeezes(): boolean;
}

/** Forgets old history in small steps: a few with every write, and the rest on a timer. */
export interface HistoryKeeper {
  afterWrite(): void;
  close(): void;
}

/** Makes the keeper of a state's history. */
export function createHistoryKeeper(state: MemoryState, clock: Clock, limits: HistoryLimits): HistoryKeeper {
  const { log } = state;
  let timer: ClockTimer | undefined;

  /** How long the oldest change may stay, in milliseconds; `undefined`: there is none. */
  const grace = (): number | undefined => {
    const oldest = log.oldestAt();
    if (oldest === undefined) return undefined;
    if (log.cost() > limits.historyMaxBytes || limits.squeezes()) return 0;
    return Math.max(0, oldest + limits.historyMs - clock.monotonic());
  };

  /** Forgets up to `steps` changes; true when more are due. */
  const forget = (steps: number): boolean => {
    for (let i = 0; i < steps; i++) {
      if (grace() !== 0) return false;
      state.forgetOldest();
    }
    return true;
  };

  const plan = (): void => {
    if (timer !== undefined) return;
    const wait = grace();
    if (wait !== undefined) timer = clock.setTimer(run, wait);
  };

  const run = (): void => {
    timer?.cancel();
    timer = undefined;
    const end = clock.monotonic() + SLICE_MS;
    while (forget(STEPS_PER_LOOK)) if (clock.monotonic() >= end) break;
    plan();
  };

  return {
    afterWrite() {
      forget(STEPS_PER_WRITE);
      // What a large event pushes out is many small changes.
      if (limits.squeezes()) run();
      else plan();
    },
    close: () => timer?.cancel(),
  };
}
