// One of our servers: a store behind everything that a service would enable, mounted in one of the usual ways.
import { createEvents, firstOf, type CachedStore, type EventStore } from 'kube-vitals';
import { createMetrics } from 'kube-vitals/metrics';
import { sampleEvent } from 'kube-vitals/testing';
import type { VitalsServerOptions } from '../protocol.js';
import { benchAccess } from './access.js';
import { benchHealth } from './health.js';
import { mountOn } from './mounts.js';
import { serveBench } from './own-process.js';
import { openStore } from './stores.js';

const options = JSON.parse(process.argv[2] ?? '') as VitalsServerOptions;
const { authenticate, authorize } = benchAccess();
const observe = options.metrics ? createMetrics().observe : undefined;
const store = await openStore(options);
await store.ping();
const events = createEvents({
  apiDomain: options.apiDomain,
  store,
  authenticate,
  authorize,
  managedFields: true,
  coreV1: true,
  ttlMs: options.ttlMs,
  observe,
  limits: { reads: 4_000, writes: 4_000, watchesPerCaller: 10_000 },
});
const health = benchHealth({ authenticate, authorize });

await serveBench(await mountOn(options.mount, firstOf(health.handle, events.handle)), {
  newestFirst: (params: { namespace: string; count: number }) => newestFirst(store, params),
  expireTogether: (count: number) => expireTogether(store, count),
  cacheStatus: () => ('status' in store ? (store as CachedStore).status() : undefined),
  closeStore: () => store.close(),
});

/** Microseconds for a page of the 500 newest, read from the store itself; NaN for a store without this order. */
async function newestFirst(
  from: EventStore,
  { namespace, count }: { namespace: string; count: number },
): Promise<number> {
  if (!from.capabilities.newestFirst) return Number.NaN;
  const page = { namespace, limit: 500, order: 'newest-first' } as const;
  for (let turn = 0; turn < 20; turn++) await from.list(page);
  const start = performance.now();
  for (let turn = 0; turn < count; turn++) await from.list(page);
  return ((performance.now() - start) * 1000) / count;
}

/** Stores events that are all due two seconds after the last was stored. The expiry loop is already running. */
async function expireTogether(to: EventStore, count: number): Promise<void> {
  const expiresAt = (Date.now() + 2_000 + count / 10) * 1000;
  const batch = 256;
  for (let first = 0; first < count; first += batch) {
    const names = Array.from({ length: Math.min(batch, count - first) }, (_, index) => `due-${first + index}`);
    await Promise.all(
      names.map((name) =>
        to.create({ namespace: 'due', name }, sampleEvent({ namespace: 'due', name }), { expiresAt }),
      ),
    );
    await new Promise((resolve) => setImmediate(resolve));
  }
}
