import { monitorEventLoopDelay, performance, type EventLoopUtilization, type IntervalHistogram } from 'node:perf_hooks';
import type { HealthCheck } from '../health/contract.js';
import { aNumber, aPositiveNumber } from '../options/rules.js';
import { LASTING, makeCheck, type CommonOptions } from './make-check.js';

/** Options of {@link eventLoopDelayCheck}. */
export type EventLoopDelayOptions = CommonOptions & {
  /** The longest delay that passes, in milliseconds. Default 1,000. */
  readonly maxMs?: number | undefined;
  /** Of the delays since the last run, the percentile that is looked at. Default 99. */
  readonly percentile?: number | undefined;
};

/** How often the delay is sampled. A sample includes this interval, which is taken off. */
const RESOLUTION_MS = 20;

/**
 * Fails while the event loop is held up: the 99th percentile of its delay since the last run is above a second. It sees
 * synchronous work that starves everything else (large JSON, regular expressions, crypto). Measuring begins with the first run,
 * which passes, and costs a timer every 20 ms.
 *
 * Do not use it in `livez` with a small `maxMs`: under load all replicas would be restarted together, and the rest would get their
 * load. In `readyz` it takes an overloaded replica out of rotation; where all are overloaded, shedding load (429) is better.
 *
 * @throws TypeError that lists every fault of the options
 */
export function eventLoopDelayCheck(options: EventLoopDelayOptions = {}): HealthCheck {
  let histogram: IntervalHistogram | undefined;
  return makeCheck(options, {
    where: 'eventLoopDelayCheck',
    name: 'event-loop-delay',
    rules: { maxMs: aPositiveNumber, percentile: aNumber(1, 100) },
    check: () => {
      if (histogram === undefined) {
        histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
        histogram.enable();
        return true;
      }
      const { maxMs = 1_000, percentile = 99 } = options;
      const ms = histogram.count === 0 ? 0 : histogram.percentile(percentile) / 1e6 - RESOLUTION_MS;
      histogram.reset();
      if (ms <= maxMs) return true;
      return { ok: false, reason: `the event loop was late by ${ms.toFixed(0)} ms, more than ${maxMs}` };
    },
  });
}

/** Options of {@link eventLoopUtilizationCheck}. */
export type EventLoopUtilizationOptions = CommonOptions & {
  /** The largest utilization that passes, from 0 to 1. Default 0.98. */
  readonly max?: number | undefined;
};

/**
 * Fails while the event loop has next to no idle time: its utilization since the last run is above 98 %. The first run passes.
 *
 * Use it with a `periodMs` of some seconds and a `failureThreshold`: a short busy spell is no fault. Do not use it in `livez`, nor for
 * work in batches, which rightly uses all there is.
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

/** A share as text, with a decimal. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
