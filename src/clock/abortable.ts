import type { Clock } from './clock.js';

/** The callbacks of a signal, as if they were a property of it. */
const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when a signal is aborted; at once if it already is. The callbacks of a signal share one listener, because
 * Node warns of a memory leak at eleven. Each call needs a new function. Returns a function that removes it.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined;
  if (signal.aborted) {
    callback();
    return () => undefined;
  }
  const waiting = callbacks.get(signal) ?? new Set();
  if (waiting.size === 0) {
    callbacks.set(signal, waiting);
    signal.addEventListener('abort', onShared, { once: true });
  }
  waiting.add(callback);
  return () => {
    if (waiting.delete(callback) && waiting.size === 0) signal.removeEventListener('abort', onShared);
  };
}

function onShared(this: AbortSignal): void {
  const waiting = callbacks.get(this) ?? [];
  callbacks.delete(this);
  for (const callback of waiting) callback();
}

/** The same result, or a rejection with the signal's reason if that comes first. The work continues. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const leave = onAbort(signal, () => reject(signal.reason as Error));
    promise.finally(leave).then(resolve, reject);
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
