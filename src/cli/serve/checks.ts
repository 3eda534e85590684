import { statfs } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { storeCheck, type ApiHandler, type EventStore, type HealthCheck } from '../../index.js';

interface ChecksOptions {
  readonly dataDir: string;
  readonly store: EventStore;
  readonly group: string;
  /** A handler that may read discovery. */
  readonly api: ApiHandler;
  readonly withExample: boolean;
}

const MAX_LOOP_DELAY_MS = 250;
const MAX_HEAP_SHARE = 0.9;
const MIN_FREE_BYTES = 100 * 1024 * 1024;

/** The checks of the standalone server, in the order they are shown, and what stops them. */
export function standaloneChecks({ dataDir, store, group, api, withExample }: ChecksOptions) {
  const loop = monitorEventLoopDelay({ resolution: 20 });
  loop.enable();
  const checks: HealthCheck[] = [
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
    {
      name: 'event-loop',
      periodMs: 5000,
      critical: false,
      failureThreshold: 2,
      check: () => {
        const delayMs = loop.percentile(99) / 1e6;
        loop.reset();
        if (delayMs > MAX_LOOP_DELAY_MS) throw new Error(`the event loop was blocked for ${Math.round(delayMs)} ms`);
      },
    },
    {
      name: 'heap',
      periodMs: 10_000,
      check: () => {
        const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
        if (used > limit * MAX_HEAP_SHARE)
          throw new Error(`${Math.round((used / limit) * 100)} % of the heap is in use`);
      },
    },
    {
      name: 'disk',
      periodMs: 30_000,
      critical: false,
      check: async () => {
        const { bavail, bsize } = await statfs(dataDir);
        const free = bavail * bsize;
        if (free < MIN_FREE_BYTES) throw new Error(`${dataDir} has ${Math.round(free / 1024 / 1024)} MiB left`);
      },
    },
  ];
  if (withExample) {
    checks.push({
      name: 'example-dependency',
      periodMs: 1000,
      critical: false,
      // Counted from the start of the process.
      check: () => exampleDependency(performance.now()),
    });
  }
  return { checks: checks as readonly HealthCheck[], close: (): void => void loop.disable() };
}

const ROUND_MS = 60_000;
const DOWN_MS = 15_000;

/** Fails regularly, so that a watcher sees a check become degraded, and Events about it. */
export function exampleDependency(uptimeMs: number): void {
  if (uptimeMs % ROUND_MS >= ROUND_MS - DOWN_MS)
    throw new Error('simulated: unavailable for 15 seconds of every minute');
}
