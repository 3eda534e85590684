import { diskCheck, eventLoopDelayCheck, heapCheck, storeCheck } from '../../checks.js';
import type { ApiHandler, EventStore } from '../../index.js';
import type { HealthCheck } from '../../health.js';

interface ChecksOptions {
  readonly dataDir: string;
  readonly store: EventStore;
  readonly group: string;
  /** A handler that may read discovery. */
  readonly api: ApiHandler;
  readonly withExample: boolean;
}

const MIN_FREE_BYTES = 100 * 1024 * 1024;

export function standaloneChecks({ dataDir, store, group, api, withExample }: ChecksOptions): readonly HealthCheck[] {
  const exampleCheck: HealthCheck = {
    name: 'example-dependency',
    periodMs: 1000,
    critical: false,
    // Counted from the start of the process.
    check: () => exampleDependency(performance.now()),
  };
  return [
    storeCheck(store),
    {
      name: 'autoregister-completion',
      endpoints: ['healthz', 'livez', 'readyz'],
      startup: true,
      // Discovery does not change.
      cacheMs: 10_000,
      check: async () => {
        const response = await api({ method: 'GET', url: `/apis/${group}` });
        if (response?.status !== 200) throw new Error(`discovery does not show ${group}`);
      },
    },
    eventLoopDelayCheck({ name: 'event-loop', maxMs: 250, periodMs: 5000, critical: false, failureThreshold: 2 }),
    heapCheck({ max: 0.9, periodMs: 10_000, failureThreshold: 1 }),
    diskCheck({ path: dataDir, minFree: 0, minFreeBytes: MIN_FREE_BYTES, periodMs: 30_000, critical: false }),
    ...(withExample ? [exampleCheck] : []),
  ];
}

const ROUND_MS = 60_000;
const DOWN_MS = 15_000;

/** Fails regularly, so that a watcher sees a check become degraded, and Events about it. */
export function exampleDependency(uptimeMs: number): void {
  if (uptimeMs % ROUND_MS >= ROUND_MS - DOWN_MS)
    throw new Error('simulated: unavailable for 15 seconds of every minute');
}
