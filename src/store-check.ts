import type { HealthCheck } from './health/contract.js';
import type { EventStore } from './store/contract.js';

/** Options of {@link storeCheck}. Whatever is given takes the place of a default; the rules are those of {@link HealthCheck}. */
export type StoreCheckOptions = Partial<
  Pick<
    HealthCheck,
    'name' | 'timeoutMs' | 'periodMs' | 'cacheMs' | 'critical' | 'failureThreshold' | 'successThreshold' | 'group'
  >
>;

/**
 * The health check of a store: it asks `store.ping()`, which ends well when a write would have a chance.
 * `health.add(storeCheck(store))`.
 *
 * It is named after the store and counts for `/readyz` and `/healthz`, never for `/livez`: a store that is away takes this
 * instance out of rotation until it is back, and a restart would not bring it back sooner.
 *
 * Defaults: `timeoutMs` 2,000, and without `periodMs` a `cacheMs` of 1,000, so that the engine is asked once a second at
 * most, however many probes come. `failureThreshold` is 1: damp flapping in the probe or here, not in both.
 */
export function storeCheck(store: EventStore, options: StoreCheckOptions = {}): HealthCheck {
  return {
    name: store.name,
    timeoutMs: 2_000,
    ...(options.periodMs === undefined && { cacheMs: 1_000 }),
    ...options,
    endpoints: ['readyz', 'healthz'],
    check: ({ signal }) => store.ping({ signal }),
  };
}
