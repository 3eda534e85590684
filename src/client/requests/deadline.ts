import { onAbort } from '../../clock/abortable.js';
import type { Clock } from '../../clock/clock.js';
import { messageOf } from '../../model/error-message.js';
import { connectionError } from '../contract/errors.js';
import { waitOf } from '../contract/waits.js';

export type Deadline = ReturnType<typeof createDeadline>;

export function createDeadline(clock: Clock, timeoutMs: number, signal: AbortSignal | undefined, from: string) {
  const controller = new AbortController();
  const end = clock.monotonic() + timeoutMs;
  let late: Error | undefined;
  const timer = clock.setTimer(
    () => controller.abort((late = lateError(timeoutMs, controller.signal, from))),
    timeoutMs,
  );
  const unlisten = onAbort(signal, () => controller.abort(signal?.reason));
  return {
    /** Aborted with the reason of the caller's signal, or with a ConnectionError when the deadline has passed. */
    signal: controller.signal as AbortSignal,
    /** The signal's reason; where it is that of the deadline, with the failure of the attempt before as its cause. */
    reasonAfter: (failure: unknown): unknown =>
      failure !== undefined && late !== undefined && controller.signal.reason === late
        ? connectionError(`${late.message}; the attempt before failed: ${messageOf(failure)}`, true, failure)
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

/** Where no transport says that the request still waits, it counts as sent. */
function lateError(timeoutMs: number, signal: AbortSignal, from: string): Error {
  const wait = waitOf(signal);
  return wait === undefined
    ? connectionError(`there was no response${from} within ${timeoutMs} ms`, true)
    : connectionError(`the request was not sent within ${timeoutMs} ms: ${wait}`, false);
}
