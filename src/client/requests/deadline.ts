import { onAbort } from '../../clock/abortable.js';
import type { Clock } from '../../clock/clock.js';
import { connectionError } from '../contract/errors.js';

export interface Deadline {
  /** Aborted with the reason of the caller's signal, or with a ConnectionError when the deadline has passed. */
  readonly signal: AbortSignal;
  remainingMs(): number;
  /** From now on only the caller's signal aborts. */
  cancel(): void;
  release(): void;
}

export function createDeadline(clock: Clock, timeoutMs: number, signal: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const end = clock.monotonic() + timeoutMs;
  // Whether the request had been sent by then is not known, so that it counts as sent.
  const timer = clock.setTimer(
    () => controller.abort(connectionError(`there was no response within ${timeoutMs} ms`, true)),
    timeoutMs,
  );
  const unlisten = onAbort(signal, () => controller.abort(signal?.reason));
  return {
    signal: controller.signal,
    remainingMs: () => end - clock.monotonic(),
    cancel: () => timer.cancel(),
    release() {
      timer.cancel();
      unlisten();
    },
  };
}
