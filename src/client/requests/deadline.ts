import { onAbort } from '../../clock/abortable.js';
import type { Clock } from '../../clock/clock.js';
import { messageOf } from '../../model/error-message.js';
import { connectionError } from '../contract/errors.js';

export type Deadline = ReturnType<typeof createDeadline>;

export function createDeadline(clock: Clock, timeoutMs: number, signal: AbortSignal | undefined) {
  const controller = new AbortController();
  const end = clock.monotonic() + timeoutMs;
  const message = `there was no response within ${timeoutMs} ms`;
  let late: Error | undefined;
  // Whether the request had been sent by then is not known, so that it counts as sent.
  const timer = clock.setTimer(() => controller.abort((late = connectionError(message, true))), timeoutMs);
  const unlisten = onAbort(signal, () => controller.abort(signal?.reason));
  return {
    /** Aborted with the reason of the caller's signal, or with a ConnectionError when the deadline has passed. */
    signal: controller.signal as AbortSignal,
    /** The signal's reason; where it is that of the deadline, with the failure of the attempt before as its cause. */
    reasonAfter: (failure: unknown): unknown =>
      failure !== undefined && controller.signal.reason === late
        ? connectionError(`${message}; the attempt before failed: ${messageOf(failure)}`, true, failure)
        : controller.signal.reason,
    remainingMs: (): number => end - clock.monotonic(),
    /** From now on only the caller's signal aborts. */
    cancel: (): void => timer.cancel(),
    release(): void {
      timer.cancel();
      unlisten();
    },
  };
}
