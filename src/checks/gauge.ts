import type { CheckContext, HealthCheck } from '../health/contract.js';
import { aFunction, mustBe, required } from '../options/rules.js';
import { makeCheck, type CommonOptions } from './make-check.js';

/** Options of {@link gaugeCheck}. */
export type GaugeOptions = CommonOptions & {
  /** Returns the current number, such as the length of a queue or the age of the last message. */
  readonly value: (context: CheckContext) => number | PromiseLike<number>;
  /** The smallest number that passes. Default: none. */
  readonly min?: number | undefined;
  /** The largest number that passes. Default: none. */
  readonly max?: number | undefined;
};

/** Infinity is no bound. */
const aBound = mustBe((value) => typeof value === 'number' && !Number.isNaN(value), 'a number');

/**
 * Fails while a number is out of bounds, or the value is not a number.
 *
 * For queues, pools, ages and the like. Do not use it for a number that only grows (a counter), which has no useful
 * bound, nor for a number that all replicas share (the length of a common queue), which takes all of them out of
 * rotation at once: use an alert for it.
 *
 * @throws TypeError that lists every fault of the options
 */
export function gaugeCheck(options: GaugeOptions): HealthCheck {
  return makeCheck(options, {
    where: 'gaugeCheck',
    name: 'gauge',
    rules: { value: required(aFunction), min: aBound, max: aBound },
    crossCheck: ({ min, max }) => [
      min === undefined && max === undefined && 'give min, max, or both',
      min !== undefined && max !== undefined && min > max && 'min must not be above max',
    ],
    check: async (context) => {
      const { value, min = -Infinity, max = Infinity } = options;
      const now: unknown = await value(context);
      if (typeof now !== 'number' || Number.isNaN(now)) return { ok: false, reason: `${String(now)} is not a number` };
      if (now < min) return { ok: false, reason: `${now} is below ${min}` };
      return now <= max || { ok: false, reason: `${now} is above ${max}` };
    },
  });
}
