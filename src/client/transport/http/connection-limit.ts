import { onAbort } from '../../../clock/abortable.js';
import { createSemaphore } from '../../../clock/semaphore.js';

/** Lets `max` requests through at a time. undici's own limit would give connections to requests that were aborted. */
export function createConnectionLimit(max: number) {
  const semaphore = createSemaphore(max);
  /** Waits for a free connection until the signal is aborted. Returns the function that releases it. */
  return async (signal: AbortSignal | undefined): Promise<() => void> => {
    if (!semaphore.tryAcquire()) {
      await new Promise<void>((resolve, reject) => {
        const stopWaiting = semaphore.wait(() => {
          unlisten();
          resolve();
        });
        const unlisten = onAbort(signal, () => {
          stopWaiting();
          reject(signal?.reason as Error);
        });
      });
    }
    let isHeld = true;
    return () => {
      if (isHeld) semaphore.release();
      isHeld = false;
    };
  };
}
