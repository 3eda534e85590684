import type { Clock } from './clock.js';
import { pause } from './abortable.js';

const FIRST_MS = 100;
const MAX_MS = 5_000;

/** Creates the delays after consecutive failures. */
export function createDelays(firstMs: number = FIRST_MS, longestMs: number = MAX_MS) {
  let delay = firstMs;
  return {
    /**
     * Returns the next delay, in milliseconds: `firstMs` (100), then twice as long each time, at most `longestMs`
     * (5,000).
     */
    next(): number {
      const now = delay;
      delay = Math.min(delay * 2, longestMs);
      return now;
    },
    /** Reports a success: the next delay is short again. */
    reset(): void {
      delay = firstMs;
    },
  };
}

/**
 * Creates growing pauses between attempts, measured by `clock`: the delays of {@link createDelays}, shortened by up to
 * half at random.
 */
export function createBackoff(clock: Clock, longestMs: number = MAX_MS) {
  const delays = createDelays(FIRST_MS, longestMs);
  return {
    /**
     * Pauses; ends early when the signal is aborted. The random part prevents replicas that lost the same database from
     * reconnecting all at once.
     *
     * @param leastMs how long the other side requested to wait; the delay is added to it
     */
    pause: (signal: AbortSignal, leastMs = 0): Promise<void> =>
      pause(clock, leastMs + delays.next() * (1 - Math.random() / 2), signal),
    /** Reports a success: the next pause is short again. */
    reset: (): void => delays.reset(),
  };
}
