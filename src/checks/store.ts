import { commonRules } from './make-check.js';
import type { Clock } from '../clock/clock.js';
import type { CheckResult, HealthCheck } from '../health/contract.js';
import { optionFaults, throwFaults, type OptionRules } from '../options/check-options.js';
import { aClock, aPositiveNumber, required } from '../options/rules.js';
import type { EventStore } from '../store/contract/event-store.js';
import { anEventStore } from '../store/contract/store-rule.js';
import { isStoreError } from '../store/contract/errors.js';
import { createStoreTime } from '../store/store-time.js';

/**
 * Options of {@link storeCheck}. Each option that is set replaces the default; the rules are those of
 * {@link HealthCheck}.
 */
export type StoreCheckOptions = {
  readonly [
    Name in
      'name' | 'timeoutMs' | 'periodMs' | 'cacheMs' | 'critical' | 'failureThreshold' | 'successThreshold' | 'group'
  ]?: HealthCheck[Name] | undefined;
} & {
  /** The clock of this process: the one passed to `createEvents`, if any. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /**
   * The largest allowed difference between the clock of this process and that of the store, if the store has one, in
   * milliseconds. Above 0. Default: 5,000.
   */
  readonly clockToleranceMs?: number | undefined;
};

/**
 * Creates the health check of a store: it calls `store.ping()`, which succeeds if a write is likely to succeed, and
 * compares the clock of this process with that of the store, if replicas share one. `health.add(storeCheck(store))`.
 *
 * It is named after the store and counts for `/readyz` and `/healthz`, never for `/livez`: an unavailable store takes
 * this instance out of rotation until it is back, and a restart would not bring it back sooner. A clock that is off has
 * the same effect: such an instance expires no events. Do not use it without `critical: false` if other routes of the
 * service work without the store.
 *
 * If only writes are refused (a full disk), the check is degraded, which leaves the status at 200: reads still work,
 * and would fail as well if the instance got no traffic. With `critical: true` it fails in this case as well.
 *
 * Defaults: `timeoutMs` 2,000, and without `periodMs` a `cacheMs` of 1,000, so that the engine is called at most once a
 * second, for any number of probes. `failureThreshold` is 1: prevent flapping in the probe or here, not in both.
 *
 * @throws TypeError that lists every fault of the arguments.
 */
export function storeCheck(store: EventStore, options: StoreCheckOptions = {}): HealthCheck {
  throwFaults('storeCheck', [...required(anEventStore)(store, 'the store'), ...optionFaults(options, rules())]);
  const { clock, clockToleranceMs, ...given } = options;
  const definition = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as Partial<HealthCheck>;
  const { timeoutMs = 2_000 } = definition;
  const time = store.now && createStoreTime({ store, clock, toleranceMs: clockToleranceMs });
  return {
    name: store.name,
    timeoutMs,
    ...(definition.periodMs === undefined && { cacheMs: 1_000 }),
    ...definition,
    endpoints: ['readyz', 'healthz'],
    async check({ signal }): Promise<CheckResult> {
      let readOnly: CheckResult;
      try {
        await store.ping({ signal, withinMs: timeoutMs });
      } catch (error) {
        if (definition.critical !== undefined || !isStoreError(error) || error.onlyWrites !== true) throw error;
        readOnly = { ok: false, reason: `writes are refused, reads still work: ${error.message}`, critical: false };
      }
      const fault = (await time?.expiryMoment({ signal }))?.fault;
      return fault === undefined ? readOnly : { ok: false, reason: fault };
    },
  };
}

function rules(): OptionRules<StoreCheckOptions> {
  const { endpoints: _endpoints, startup: _startup, ...common } = commonRules();
  return { ...common, clock: aClock, clockToleranceMs: aPositiveNumber };
}
