import type { CheckContext, HealthCheck } from '../health/contract.js';
import { aFunction, aNumber, required } from '../options/rules.js';
import { makeCheck, type CommonOptions } from './make-check.js';

/** Options of {@link gaugeCheck}. */
export type GaugeOptions = CommonOptions & {
  /** The number now, such as the length of a queue or the age of the last message. */
  readonly value: (context: CheckContext) => number | PromiseLike<number>;
  /** The smallest number that passes. Default: none. */
  readonly min?: number | undefined;
  /** The largest number that passes. Default: none. */
  readonly max?: number | undefined;
};

/**
 * Fails while a number is out of bounds, or no number at all.
 *
 * For queues, pools, ages and the like. What only grows (a counter) has no bound to compare with, and what all replicas share (the length of
 * a common queue) takes all of them out of rotation at once: an alert is better there.
 *
 * @throws TypeError that lists every fault of the options
 */
export function gaugeCheck(options: GaugeOptions): HealthCheck {
  return makeCheck(options, {
    where: 'gaugeCheck',
    name: 'gauge',
    rules: { value: required(aFunction), min: aNumber(-Infinity), max: aNumber(-Infinity) },
    crossCheck: ({ min, max }) => [
      min === undefined && max === undefined && 'give min, max, or both',
      min !== undefined && max !== undefined && min > max && 'min must not be above max',
    ],
    check: async (context) => {
      const { value, min = -Infinity, max = Infinity } = options;
      const now: unknown = await value(context);
      if (typeof now !== 'number' || Number.isNaN(now)) return { ok: false, reason: `${String(now)} is no number` };
      if (now < min) return { ok: false, reason: `${now} is below ${min}` };
      return now <= max || { ok: false, reason: `${now} is above ${max}` };
    },
  });
}
