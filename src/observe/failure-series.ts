import type { Clock } from '../clock/clock.js';
import { errorText } from './error-text.js';
import type { Notify } from './observation.js';

/** See {@link createFailureSeries}. */
export type FailureSeries = ReturnType<typeof createFailureSeries>;

/**
 * Reports the failures of retried work: each new reason once, and the recovery. Reasons that differ only in numbers
 * (times, ports) count as the same.
 */
export function createFailureSeries(where: string, notify: Notify, clock: Clock) {
  let count = 0;
  let since = 0;
  let reportedReason: string | undefined;
  let last: unknown;
  return {
    /** Records a failure. It is reported if the work succeeded before, or failed for another reason. */
    failed(error: unknown): void {
      if (count === 0) since = clock.monotonic();
      count += 1;
      last = error;
      const reason = errorText(error).replace(/\d+/g, '#');
      if (reason === reportedReason) return;
      reportedReason = reason;
      notify({ type: 'error', error, where, count });
    },
    /** Records a success. It is reported if the work failed before. */
    worked(): void {
      if (count === 0) return;
      notify({ type: 'recovered', error: last, where, count, durationMs: clock.monotonic() - since });
      count = 0;
      reportedReason = last = undefined;
    },
  };
}
