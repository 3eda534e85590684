import { systemClock, type Clock } from '../../clock/clock.js';
import { pause } from '../../clock/abortable.js';
import { isConnectionError } from '../contract/connection-error.js';
import { isStatusError } from '../contract/status-error.js';
import type { Deadline } from './deadline.js';

/** How often and how soon requests are repeated. */
export interface RetryPolicy {
  readonly retries: number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
}

/** Whether a request that failed so may be sent again. */
export type MayRepeat = (error: unknown) => boolean;

/** Neither was the server reached, nor has it done anything: it asks to come back later. */
export const notCarriedOut: MayRepeat = (error) =>
  (isConnectionError(error) && !error.sent) ||
  (isStatusError(error) && (error.code === 429 || error.code === 503) && error.retryAfterMs !== undefined);

/** True where nobody can say whether a write was carried out: no answer, or one of a gateway that had none. */
export const hasUnknownOutcome = (error: unknown): boolean =>
  (isConnectionError(error) && error.sent) || (isStatusError(error) && (error.code === 502 || error.code === 504));

/** For requests that change nothing: whatever may pass by itself. */
export const readFailed: MayRepeat = (error) =>
  isConnectionError(error) ||
  (isStatusError(error) &&
    ([429, 502, 503, 504].includes(error.code) || (error.code === 500 && error.retryAfterMs !== undefined)));

/**
 * Attempts until one succeeds, fails for good, or would come too late. Pauses grow exponentially and are shortened by up to half
 * at random; one that the server asks for is kept.
 */
export async function repeat<T>(
  { clock, retry }: { readonly clock: Clock; readonly retry: RetryPolicy },
  deadline: Deadline,
  mayRepeat: MayRepeat,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason;
      if (tries >= retry.retries || !mayRepeat(error)) throw error;
      const delay = Math.min(retry.firstDelayMs * 2 ** tries, retry.longestDelayMs) * (1 - Math.random() / 2);
      const asked = isStatusError(error) ? (error.retryAfterMs ?? 0) : 0;
      const wait = Math.max(delay, asked);
      if (wait >= deadline.remainingMs()) throw error;
      await keepAwake(clock, wait, deadline.signal);
      if (deadline.signal.aborted) throw deadline.signal.reason;
    }
  }
}

/**
 * Waits. Timers of the clock let the process end, and nothing else of a call keeps it alive while no request is under way: a
 * program that awaits the call would end in the middle of it.
 */
async function keepAwake(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const hold = clock === systemClock ? setTimeout(() => undefined, ms) : undefined;
  try {
    await pause(clock, ms, signal);
  } finally {
    clearTimeout(hold);
  }
}
