import type { Clock } from './clock.js';
import { pause } from './abortable.js';

const FIRST_MS = 100;
const LONGEST_MS = 5_000;

/** How long to wait after failures that follow one another. */
export function createDelays(firstMs: number = FIRST_MS, longestMs: number = LONGEST_MS) {
  let delay = firstMs;
  return {
    /** The next delay, in milliseconds: `firstMs` (100), then twice as long each time, at most `longestMs` (5,000). */
    next(): number {
      const now = delay;
      delay = Math.min(delay * 2, longestMs);
      return now;
    },
    /** It worked: the next delay is short again. */
    reset(): void {
      delay = firstMs;
    },
  };
}

/** Growing pauses between attempts, by `clock`: as long as {@link createDelays} says, shortened by up to half at random. */
export function createBackoff(clock: Clock, longestMs: number = LONGEST_MS) {
  const delays = createDelays(FIRST_MS, longestMs);
  return {
    /**
     * Ends early when the signal is aborted. The random part keeps replicas that lost the same database from returning
     * all at once.
     *
     * @param leastMs how long the other side asks to wait; the delay is added to it
     */
    pause: (signal: AbortSignal, leastMs = 0): Promise<void> =>
      pause(clock, leastMs + delays.next() * (1 - Math.random() / 2), signal),
    /** It worked: the next pause is short again. */
    reset: (): void => delays.reset(),
  };
}
