import type { Clock } from '../clock/clock.js';
import { errorText } from './error-text.js';
import type { Notify } from './observation.js';

/** How many reasons are remembered, so that texts that always differ do not fill the memory. */
const MAX_REASONS = 8;

export type FailureSeries = ReturnType<typeof createFailureSeries>;

/** Reports failures of retried work: each reason once, whatever its numbers, again after eight others or a success. */
export function createFailureSeries(where: string, notify: Notify, clock: Clock) {
  let count = 0;
  let since = 0;
  /** The last reasons, the latest at the end. */
  const reported = new Set<string>();
  let last: unknown;
  return {
    failed(error: unknown): void {
      if (count === 0) since = clock.monotonic();
      count += 1;
      last = error;
      const reason = errorText(error).replace(/\d+/g, '#');
      const isKnown = reported.delete(reason);
      reported.add(reason);
      if (isKnown) return;
      for (const oldest of reported) {
        if (reported.size <= MAX_REASONS) break;
        reported.delete(oldest);
      }
      notify({ type: 'error', error, where, count });
    },
    worked(): void {
      if (count === 0) return;
      notify({ type: 'recovered', error: last, where, count, durationMs: clock.monotonic() - since });
      count = 0;
      last = undefined;
      reported.clear();
    },
  };
}
