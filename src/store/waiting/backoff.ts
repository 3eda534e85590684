import type { Clock } from '../../clock/clock.js';
import { pause } from './abortable.js';

const FIRST_MS = 100;
const LONGEST_MS = 5_000;

/** How long to wait after failures that follow one another. */
export interface Delays {
  /** The next delay, in milliseconds: 100 at first, twice as long each time, at most 5,000. */
  next(): number;
  /** It worked: the next delay is short again. */
  reset(): void;
}

/** Makes {@link Delays}, with other bounds where they are given. */
export function createDelays(firstMs: number = FIRST_MS, longestMs: number = LONGEST_MS): Delays {
  let delay = firstMs;
  return {
    next() {
      const now = delay;
      delay = Math.min(delay * 2, longestMs);
      return now;
    },
    reset() {
      delay = firstMs;
    },
  };
}

/** Growing pauses between attempts. */
export interface Backoff {
  /** Waits for as long as {@link Delays} says, shortened by up to half at random. */
  pause(signal: AbortSignal): Promise<void>;
  /** It worked: the next pause is short again. */
  reset(): void;
}

/** Makes a {@link Backoff} that waits on `clock`. A pause ends early when its signal is aborted. */
export function createBackoff(clock: Clock): Backoff {
  const delays = createDelays();
  return {
    // Replicas that lost the same database should not all come back in the same moment.
    pause: (signal) => pause(clock, delays.next() * (1 - Math.random() / 2), signal),
    reset: delays.reset,
  };
}
