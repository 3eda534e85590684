import type { Clock } from '../clock/clock.js';
import { errorText } from './error-text.js';
import type { Notify } from './observation.js';

/** Tells the failures of something that is tried again and again: what is new about them, and that they are over. */
export interface FailureSeries {
  /** It failed. Told where it worked before, or failed for another reason. */
  failed(error: unknown): void;
  /** It worked. Told where it failed before. */
  worked(): void;
}

/** Makes a {@link FailureSeries} of one place. Reasons that differ in numbers only (times, ports) are the same. */
export function createFailureSeries(where: string, notify: Notify, clock: Clock): FailureSeries {
  let count = 0;
  let since = 0;
  let told: string | undefined;
  let last: unknown;
  return {
    failed(error) {
      if (count === 0) since = clock.monotonic();
      count += 1;
      last = error;
      const reason = errorText(error).replace(/\d+/g, '#');
      if (reason === told) return;
      told = reason;
      notify({ type: 'error', error, where, count });
    },
    worked() {
      if (count === 0) return;
      notify({ type: 'recovered', error: last, where, count, durationMs: clock.monotonic() - since });
      count = 0;
      told = last = undefined;
    },
  };
}
