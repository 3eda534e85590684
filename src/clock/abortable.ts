import type { Clock } from './clock.js';

/**
 * Returns a promise with the same result, which rejects with the signal's reason if the signal is aborted first. The
 * work behind the promise continues.
 */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    promise.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** Resolves after `ms` milliseconds, or as soon as the signal is aborted. */
export function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimer(done, ms);
    if (signal?.aborted) done();
    else signal?.addEventListener('abort', done);
  });
}
