import type { Clock } from './clock.js';
import { pause } from './abortable.js';

const FIRST_MS = 100;
const MAX_MS = 5_000;

/**
 * The delay after consecutive failures, from number 0: it doubles, and is shortened at random by up to the share
 * `jitter`, so that those that lost the same server do not all come back at once.
 */
export const delayAfter = (failures: number, firstMs: number, longestMs: number, jitter: number): number =>
  Math.min(firstMs * 2 ** failures, longestMs) * (1 - Math.random() * jitter);

export function createDelays(firstMs: number = FIRST_MS, longestMs: number = MAX_MS, jitter = 0) {
  let failures = 0;
  return {
    next: (): number => delayAfter(failures++, firstMs, longestMs, jitter),
    reset(): void {
      failures = 0;
    },
  };
}

/** Creates growing pauses between attempts, measured by `clock`: {@link delayAfter}, with a jitter of a half. */
export function createBackoff(clock: Clock, longestMs: number = MAX_MS) {
  const delays = createDelays(FIRST_MS, longestMs, 0.5);
  return {
    /** Ends early when the signal is aborted. `leastMs`, such as a pause that a server requested, is added. */
    pause: (signal: AbortSignal, leastMs = 0): Promise<void> => pause(clock, leastMs + delays.next(), signal),
    reset: (): void => delays.reset(),
  };
}
