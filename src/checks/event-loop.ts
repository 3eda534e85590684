import { monitorEventLoopDelay, performance, type EventLoopUtilization, type IntervalHistogram } from 'node:perf_hooks';
import type { HealthCheck } from '../health/contract.js';
import { aNumber, aPositiveNumber } from '../options/rules.js';
import { LASTING, makeCheck, percent, type CommonOptions } from './make-check.js';

/** Options of {@link eventLoopDelayCheck}. */
export type EventLoopDelayOptions = CommonOptions & {
  /** The longest delay that passes, in milliseconds. Default: 1,000. */
  readonly maxMs?: number | undefined;
  /** The percentile of the delays since the last run that is compared, from 1 to 100. Default: 99. */
  readonly percentile?: number | undefined;
};

/** How often the delay is sampled. A sample includes this interval, which is subtracted. */
const RESOLUTION_MS = 20;

/** Stops measuring for a check that nothing refers to any more. */
const unused = /* @__PURE__ */ new FinalizationRegistry<IntervalHistogram>((histogram) => void histogram.disable());

/**
 * Fails while the event loop is delayed: the 99th percentile of its delay since the last run is above a second. It
 * detects synchronous work that blocks all other work (large JSON, regular expressions, crypto). Measuring begins with
 * the first run, which passes, and costs a timer every 20 ms until the check is removed and collected as garbage.
 *
 * Do not use it in `livez` with a small `maxMs`: under load all replicas would be restarted together, and the remaining
 * ones would get their load. In `readyz` it takes an overloaded replica out of rotation; if all replicas are
 * overloaded, refusing requests (429) is better.
 *
 * @throws TypeError that lists every fault of the options
 */
export function eventLoopDelayCheck(options: EventLoopDelayOptions = {}): HealthCheck {
  let histogram: IntervalHistogram | undefined;
  const made = makeCheck(options, {
    where: 'eventLoopDelayCheck',
    name: 'event-loop-delay',
    rules: { maxMs: aPositiveNumber, percentile: aNumber(1, 100) },
    check: () => {
      if (histogram === undefined) {
        histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
        histogram.enable();
        unused.register(made.check, histogram);
        return true;
      }
      const { maxMs = 1_000, percentile = 99 } = options;
      const ms = histogram.count === 0 ? 0 : histogram.percentile(percentile) / 1e6 - RESOLUTION_MS;
      histogram.reset();
      if (ms <= maxMs) return true;
      return { ok: false, reason: `the event loop was delayed by ${ms.toFixed(0)} ms, more than ${maxMs}` };
    },
  });
  return made;
}

/** Options of {@link eventLoopUtilizationCheck}. */
export type EventLoopUtilizationOptions = CommonOptions & {
  /** The largest utilization that passes, from 0 to 1. Default: 0.98. */
  readonly max?: number | undefined;
};

/**
 * Fails while the event loop has next to no idle time: its utilization since the last run is above 98 %. The first run
 * passes.
 *
 * Use it with a `periodMs` of some seconds and a `failureThreshold`: a short period of full load is not a fault. Do not
 * use it in `livez`, nor for batch work, which is meant to use all CPU time.
 *
 * @throws TypeError that lists every fault of the options
 */
export function eventLoopUtilizationCheck(options: EventLoopUtilizationOptions = {}): HealthCheck {
  let last: EventLoopUtilization | undefined;
  return makeCheck(options, {
    where: 'eventLoopUtilizationCheck',
    name: 'event-loop-utilization',
    rules: { max: aNumber(0, 1) },
    timing: LASTING,
    check: () => {
      const { max = 0.98 } = options;
      const now = performance.eventLoopUtilization();
      const { utilization } = last === undefined ? { utilization: 0 } : performance.eventLoopUtilization(now, last);
      last = now;
      if (utilization <= max) return true;
      return {
        ok: false,
        reason: `the event loop is busy ${percent(utilization)} of the time, more than ${percent(max)}`,
      };
    },
  });
}
