import type { Clock } from './clock.js';
import { pause } from './abortable.js';

const FIRST_MS = 100;
const MAX_MS = 5_000;

/**
 * The delay after `failures` consecutive failures, twice as long each time. `jitter`, the share by which it is
 * shortened at random, prevents clients and replicas that lost the same server from coming back all at once.
 */
export const delayAfter = (failures: number, firstMs: number, longestMs: number, jitter: number): number =>
  Math.min(firstMs * 2 ** failures, longestMs) * (1 - Math.random() * jitter);

export function createDelays(firstMs: number = FIRST_MS, longestMs: number = MAX_MS) {
  let failures = 0;
  return {
    next: (): number => delayAfter(failures++, firstMs, longestMs, 0),
    reset(): void {
      failures = 0;
    },
  };
}

/** Creates growing pauses between attempts, measured by `clock`: {@link delayAfter}, with a jitter of a half. */
export function createBackoff(clock: Clock, longestMs: number = MAX_MS) {
  let failures = 0;
  return {
    /** Pauses until the signal is aborted. `leastMs`: how long the other side requested to wait, in addition. */
    pause: (signal: AbortSignal, leastMs = 0): Promise<void> =>
      pause(clock, leastMs + delayAfter(failures++, FIRST_MS, longestMs, 0.5), signal),
    reset(): void {
      failures = 0;
    },
  };
}
