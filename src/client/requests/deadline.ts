import { onAbort } from '../../clock/abortable.js';
import type { Clock } from '../../clock/clock.js';
import { connectionError } from '../contract/errors.js';

export type Deadline = ReturnType<typeof createDeadline>;

export function createDeadline(clock: Clock, timeoutMs: number, signal: AbortSignal | undefined) {
  const controller = new AbortController();
  const end = clock.monotonic() + timeoutMs;
  // Whether the request had been sent by then is not known, so that it counts as sent.
  const timer = clock.setTimer(
    () => controller.abort(connectionError(`there was no response within ${timeoutMs} ms`, true)),
    timeoutMs,
  );
  const unlisten = onAbort(signal, () => controller.abort(signal?.reason));
  return {
    /** Aborted with the reason of the caller's signal, or with a ConnectionError when the deadline has passed. */
    signal: controller.signal as AbortSignal,
    remainingMs: (): number => end - clock.monotonic(),
    /** From now on only the caller's signal aborts. */
    cancel: (): void => timer.cancel(),
    release(): void {
      timer.cancel();
      unlisten();
    },
  };
}
