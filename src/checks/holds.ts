import { MAX_DELAY_MS, systemClock, type Clock } from '../clock/clock.js';
import { settle } from '../http/promise.js';
import type { CheckResult, HealthCheck } from '../health/contract.js';
import { checkRules } from '../health/definition.js';
import { thrown, toOutcome, type Outcome } from '../health/outcome.js';
import { checkOptions, throwFaults } from '../options/check-options.js';
import { aClock, aNonEmptyString, mustBe, orInfinity, required } from '../options/rules.js';
import { makeCheck, type CommonOptions } from './make-check.js';

/** Options of {@link createHolds}. */
export type HoldsOptions = CommonOptions & {
  /**
   * The time after which a hold is released automatically, in milliseconds, at most 2,147,483,647 (24 days), or
   * `Infinity`. Default: 600,000 (10 minutes).
   */
  readonly maxMs?: number | undefined;
  /** The source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
};

/** Options of one hold. */
export interface HoldOptions {
  /** Replaces `maxMs` of {@link HoldsOptions} for this hold, in milliseconds, or `Infinity`. */
  readonly maxMs?: number | undefined;
}

/** Releases a hold. May be called twice. */
export type Release = () => void;

/** Lets long tasks change readiness while they run. All functions may be detached. */
export interface Holds {
  /** Fails while a `notReady` hold is active: `health.add(holds.check)`. */
  readonly check: HealthCheck;
  /**
   * Makes `check` fail until the hold is released. `reason` becomes the reason of the failure, such as
   * `importing the catalogue`.
   */
  readonly notReady: (reason: string, options?: HoldOptions) => Release;
  /**
   * Until the hold is released, failures of the checks wrapped by `keeping` are reported as degraded and fail no probe.
   */
  readonly ready: (reason: string, options?: HoldOptions) => Release;
  /**
   * Wraps a check: its failures are degraded while a `ready` hold is active. Throws a `TypeError` that lists every fault
   * of the check.
   */
  readonly keeping: (check: HealthCheck) => HealthCheck;
  /** Resolves once no hold is active: for `drain` of a lifecycle, so that a task ends before the process does. */
  readonly released: () => Promise<void>;
}

/** A longer timer would end early. */
const aHoldTime = /* @__PURE__ */ orInfinity(
  /* @__PURE__ */ mustBe(
    (value) => typeof value === 'number' && value > 0 && value <= MAX_DELAY_MS,
    `a number above 0, at most ${MAX_DELAY_MS}`,
  ),
);

/**
 * Creates holds for long tasks. A task during which the service cannot serve requests makes `/readyz` fail until it is
 * done; a task that a short outage of a dependency must not interrupt keeps `/readyz` passing.
 *
 * ```ts
 * const holds = createHolds();
 * health.add(holds.check);
 * const release = holds.notReady('importing the catalogue');
 * try { await importCatalogue(); } finally { release(); }
 * ```
 *
 * A hold that is not released ends after ten minutes (`maxMs`). Do not use it for start-up (use
 * `health.addPostStartHook`), nor in `livez`: a restart would end the task.
 *
 * @throws TypeError that lists every fault of the options
 */
export function createHolds(options: HoldsOptions = {}): Holds {
  const held = { notReady: new Set<{ readonly reason: string }>(), ready: new Set<{ readonly reason: string }>() };
  const reasons = (kind: keyof typeof held): string => [...held[kind]].map(({ reason }) => reason).join('; ');
  let waiting: (() => void)[] = [];
  const check = makeCheck(options, {
    where: 'createHolds',
    name: 'holds',
    rules: { maxMs: aHoldTime, clock: aClock },
    check: () => held.notReady.size === 0 || { ok: false, reason: reasons('notReady') },
  });
  const { clock = systemClock, maxMs = 600_000 } = options;
  const isFree = (): boolean => held.notReady.size === 0 && held.ready.size === 0;

  const hold =
    (kind: keyof typeof held) =>
    (reason: string, more: HoldOptions = {}): Release => {
      throwFaults(`holds.${kind}`, required(aNonEmptyString)(reason, 'the reason'));
      checkOptions(`holds.${kind}`, more, { maxMs: aHoldTime });
      const entry = { reason };
      held[kind].add(entry);
      const longest = more.maxMs ?? maxMs;
      const timer = longest === Infinity ? undefined : clock.setTimer(() => release(), longest);
      const release = (): void => {
        timer?.cancel();
        held[kind].delete(entry);
        if (!isFree()) return;
        for (const resolve of waiting) resolve();
        waiting = [];
      };
      return release;
    };

  /** `asItIs` returns or throws what the check did. */
  const degraded = (outcome: Outcome, asItIs: () => CheckResult): CheckResult => {
    if (outcome.ok || held.ready.size === 0) return asItIs();
    return { ...outcome, critical: false, reason: `${outcome.reason} (held ready: ${reasons('ready')})` };
  };

  return {
    check,
    notReady: hold('notReady'),
    ready: hold('ready'),
    keeping(kept) {
      checkOptions('holds.keeping', kept, checkRules());
      return {
        ...kept,
        check: (context) =>
          settle(
            context,
            (given) => kept.check(given),
            (_given, result) => degraded(toOutcome(result), () => result),
            (_given, error) =>
              degraded(thrown(error), () => {
                throw error;
              }),
          ),
      };
    },
    released: () => (isFree() ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
