import { pause } from '../../clock/abortable.js';
import { delayAfter } from '../../clock/backoff.js';
import type { Clock } from '../../clock/clock.js';
import { keepProcessAlive } from '../../clock/keep-process-alive.js';
import { isConnectionError, isStatusError, isTransportClosed } from '../contract/errors.js';
import type { Deadline } from './deadline.js';
import type { RetryOptions } from './options.js';

export type RetryPolicy = { readonly [Name in keyof RetryOptions]-?: number };

/** The longest pause that a server can request of a recorder or a watch, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 300_000;

/** Whether a request that failed with this error may be sent again. */
export type MayRepeat = (error: unknown) => boolean;

/** The server was not reached, or has done nothing and requests that the client try again later. */
export const notCarriedOut: MayRepeat = (error) =>
  (isConnectionError(error) && !error.sent) ||
  (isStatusError(error) && (error.code === 429 || error.code === 503) && error.retryAfterMs !== undefined);

/** True where it is unknown whether a write was carried out: no response, or a gateway's response that it got none. */
export const hasUnknownOutcome = (error: unknown): boolean =>
  (isConnectionError(error) && error.sent) || (isStatusError(error) && (error.code === 502 || error.code === 504));

/** For requests that change nothing: any failure that may pass by itself. */
export const readFailed: MayRepeat = (error) =>
  isConnectionError(error) ||
  (isStatusError(error) &&
    ([429, 502, 503, 504].includes(error.code) || (error.code === 500 && error.retryAfterMs !== undefined)));

/** The pause after a failed attempt, in milliseconds: {@link delayAfter}, and at least what the error requests. */
export const pauseAfter = (
  error: unknown,
  tries: number,
  firstMs: number,
  longestMs: number,
  longestRequestedMs: number,
): number => Math.max(delayAfter(tries, firstMs, longestMs, 0.5), requestedPause(error, longestRequestedMs));

/** The pause that an error requests with `retryAfterMs`, at most `longestMs`; 0 where it requests none. */
export function requestedPause(error: unknown, longestMs: number): number {
  const asked = (error as { readonly retryAfterMs?: unknown } | undefined)?.retryAfterMs;
  return typeof asked === 'number' && asked > 0 ? Math.min(asked, longestMs) : 0;
}

/** Attempts until one succeeds, fails for good, or would come too late. A pause that the server requests is kept. */
export async function repeat<T>(
  { clock, retry }: { readonly clock: Clock; readonly retry: RetryPolicy },
  deadline: Deadline,
  mayRepeat: MayRepeat,
  attempt: () => Promise<T>,
): Promise<T> {
  let failure: unknown;
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.reasonAfter(failure);
      failure = error;
      if (tries >= retry.retries || isTransportClosed(error) || !mayRepeat(error)) throw error;
      const wait = pauseAfter(error, tries, retry.firstDelayMs, retry.longestDelayMs, Infinity);
      if (wait >= deadline.remainingMs()) throw error;
      // A process that waits only for this call would otherwise exit during the pause.
      await pause(clock, wait, deadline.signal).finally(keepProcessAlive());
      if (deadline.signal.aborted) throw deadline.reasonAfter(failure);
    }
  }
}
