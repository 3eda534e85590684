/** The same result, or the signal's reason, whichever is first. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    const settle = (): void => signal.removeEventListener('abort', leave);
    promise.finally(settle).then(resolve, reject);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}
