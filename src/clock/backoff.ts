import type { Clock } from './clock.js';
import { pause } from './abortable.js';

const FIRST_MS = 100;
const MAX_MS = 5_000;

/**
 * The delay after consecutive failures, the first of which is number 0: twice as long each time. It is shortened at
 * random by up to the share `jitter`, which prevents clients and replicas that lost the same server from coming back all
 * at once.
 */
export const delayAfter = (failures: number, firstMs: number, longestMs: number, jitter: number): number =>
  Math.min(firstMs * 2 ** failures, longestMs) * (1 - Math.random() * jitter);

export function createDelays(firstMs: number = FIRST_MS, longestMs: number = MAX_MS) {
  let failures = 0;
  return {
    /**
     * Returns the next delay, in milliseconds: `firstMs` (100), then twice as long each time, at most `longestMs`
     * (5,000).
     */
    next: (): number => delayAfter(failures++, firstMs, longestMs, 0),
    /** Reports a success: the next delay is short again. */
    reset(): void {
      failures = 0;
    },
  };
}

/** Creates growing pauses between attempts, measured by `clock`: {@link delayAfter}, with a jitter of a half. */
export function createBackoff(clock: Clock, longestMs: number = MAX_MS) {
  let failures = 0;
  return {
    /**
     * Pauses; ends early when the signal is aborted.
     *
     * @param leastMs how long the other side requested to wait; the delay is added to it
     */
    pause: (signal: AbortSignal, leastMs = 0): Promise<void> =>
      pause(clock, leastMs + delayAfter(failures++, FIRST_MS, longestMs, 0.5), signal),
    /** Reports a success: the next pause is short again. */
    reset(): void {
      failures = 0;
    },
  };
}
