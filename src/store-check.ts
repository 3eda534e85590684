import { commonRules } from './checks/make-check.js';
import type { Clock } from './clock/clock.js';
import type { CheckResult, HealthCheck } from './health/contract.js';
import { optionFaults, throwFaults, type OptionRules } from './options/check-options.js';
import { aClock, aPositiveNumber, required } from './options/rules.js';
import type { EventStore } from './store/contract/event-store.js';
import { anEventStore } from './store/contract/store-rule.js';
import { isStoreError } from './store/contract/errors.js';
import { createStoreTime } from './store/store-time.js';

/** Options of {@link storeCheck}. Whatever is given takes the place of a default; the rules are those of {@link HealthCheck}. */
export type StoreCheckOptions = {
  readonly [
    Name in
      'name' | 'timeoutMs' | 'periodMs' | 'cacheMs' | 'critical' | 'failureThreshold' | 'successThreshold' | 'group'
  ]?: HealthCheck[Name] | undefined;
} & {
  /** The clock of this process, where `createEvents` was given one. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /**
   * How far the clock of this process may be from that of the store, where the store has one, in milliseconds. Default:
   * 5,000. Above 0.
   */
  readonly clockToleranceMs?: number | undefined;
};

/**
 * The health check of a store: it asks `store.ping()`, which ends well when a write would have a chance, and compares the
 * clock of this process with that of the store, where replicas share one. `health.add(storeCheck(store))`.
 *
 * It is named after the store and counts for `/readyz` and `/healthz`, never for `/livez`: an unavailable store takes this
 * instance out of rotation until it is back, and a restart would not bring it back sooner. So does a clock that is off: such
 * an instance expires nothing.
 *
 * Where only writes are refused (a full disk), the check is degraded, which keeps the status at 200: reads still work, and
 * would be lost with the instance. `critical: true` counts that as a failure, too.
 *
 * Defaults: `timeoutMs` 2,000, and without `periodMs` a `cacheMs` of 1,000, so that the engine is asked once a second at
 * most, however many probes come. `failureThreshold` is 1: damp flapping in the probe or here, not in both.
 *
 * @throws TypeError that lists every fault of the arguments.
 */
export function storeCheck(store: EventStore, options: StoreCheckOptions = {}): HealthCheck {
  checkArguments(store, options);
  const { clock, clockToleranceMs, ...given } = options;
  const definition = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as Partial<HealthCheck>;
  const time = store.now && createStoreTime({ store, clock, toleranceMs: clockToleranceMs });
  return {
    name: store.name,
    timeoutMs: 2_000,
    ...(definition.periodMs === undefined && { cacheMs: 1_000 }),
    ...definition,
    endpoints: ['readyz', 'healthz'],
    async check({ signal }): Promise<CheckResult> {
      let readOnly: CheckResult;
      try {
        await store.ping({ signal });
      } catch (error) {
        if (definition.critical !== undefined || !isStoreError(error) || error.onlyWrites !== true) throw error;
        readOnly = { ok: false, reason: `writes are refused, reads go on: ${error.message}`, critical: false };
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

function checkArguments(store: EventStore, options: StoreCheckOptions): void {
  throwFaults('storeCheck', [...required(anEventStore)(store, 'the store'), ...optionFaults(options, rules())]);
}
