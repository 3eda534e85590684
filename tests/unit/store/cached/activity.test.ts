import { expect, onTestFinished, test } from 'vitest';
import { createMetrics } from '../../../../src/metrics.js';
import type { Observation } from '../../../../src/observe/observation.js';
import type { CachedStoreOptions } from '../../../../src/store/cached/options.js';
import type { EventStore } from '../../../../src/store/contract/event-store.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import { call, fakeClock, sampleEvent, type FakeClock } from '../../../../src/testing.js';
import { filled, handled, keyOf, turns, type Handled } from './caches.js';

type OfCache = Extract<Observation, { type: `cache.${string}` }>;

interface Bench extends Handled {
  readonly clock: FakeClock;
  readonly cached: EventStore;
  readonly seen: OfCache[];
  /** The series of the metrics about the cache that are not zero. */
  metrics(): Promise<readonly string[]>;
  create(name: string): Promise<unknown>;
}

async function createBench(shared: boolean, options: CachedStoreOptions = {}): Promise<Bench> {
  const clock = fakeClock();
  const seen: OfCache[] = [];
  const { observe, handle } = createMetrics({
    observe: (observation) => {
      if (observation.type.startsWith('cache.')) seen.push(observation as OfCache);
    },
  });
  const inner = handled(memoryStore({ clock, startAt: 10 }), shared);
  const cached = await filled(inner.store, { clock, observe, ...options });
  onTestFinished(() => cached.close());
  return Object.assign(inner, {
    clock,
    cached,
    seen,
    async metrics() {
      const lines = (await (await call(handle, 'GET /metrics')).text()).split('\n');
      return lines.filter((line) => /^[a-z_]*_watch_cache_/.test(line) && !/_bucket|_bytes| 0$/.test(line));
    },
    create: (name: string) => cached.create(keyOf(name), sampleEvent({ name }), { expiresAt: clock.now() * 2 }),
  });
}

const LABELS = 'store="memory",resource="events"';

test('a watch cache reports once a second what it received, and once more when it has become quiet', async () => {
  const { clock, create, seen, metrics } = await createBench(false);
  expect(await metrics()).toEqual([
    `apiserver_watch_cache_initializations_total{${LABELS}} 1`,
    'kube_vitals_watch_cache_ready{store="memory"} 1',
  ]);
  seen.length = 0;
  await create('a');
  await create('b');
  await turns();
  expect(seen).toEqual([]);
  clock.advance(1_000);
  expect(seen).toMatchObject([{ type: 'cache.activity', store: 'memory', changes: 2, events: 2, lagMs: 0 }]);
  clock.advance(1_000);
  expect(seen).toMatchObject([{ changes: 2 }, { changes: 0, events: 2, revision: 12 }]);
  clock.advance(60_000);
  expect(seen).toHaveLength(2);
  expect(await metrics()).toEqual([
    `apiserver_watch_cache_initializations_total{${LABELS}} 1`,
    `apiserver_watch_cache_events_received_total{${LABELS}} 2`,
    `apiserver_watch_cache_resource_version{${LABELS}} 12`,
    'kube_vitals_watch_cache_ready{store="memory"} 1',
    'kube_vitals_watch_cache_events{store="memory"} 2',
  ]);
});

test('reads that wait for a watch cache are observed, with the source of their result', async () => {
  const { clock, create, cached, seen, metrics, feed } = await createBench(true);
  await create('a');
  await turns();
  seen.length = 0;
  await cached.get(keyOf('a'));
  expect(seen).toEqual([{ type: 'cache.waited', store: 'memory', durationMs: 0, outcome: 'cache' }]);

  feed.isOpen = false;
  await create('b');
  const late = cached.get(keyOf('b'));
  await turns();
  clock.advance(3_000);
  expect(await late).toMatchObject({ key: keyOf('b') });
  expect(seen.at(-1)).toEqual({ type: 'cache.waited', store: 'memory', durationMs: 3_000, outcome: 'store' });

  feed.open();
  await turns();
  const count = seen.length;
  await cached.get(keyOf('a'), { mayBeStale: true });
  expect(seen.length).toBe(count);
  expect(await metrics()).toEqual(
    expect.arrayContaining([
      `apiserver_watch_cache_read_wait_seconds_sum{${LABELS}} 3`,
      `apiserver_watch_cache_read_wait_seconds_count{${LABELS}} 2`,
      `apiserver_watch_cache_consistent_read_total{${LABELS},success="true",fallback="false"} 1`,
      `apiserver_watch_cache_consistent_read_total{${LABELS},success="true",fallback="true"} 1`,
    ]),
  );
});

test('a read that the watch cache serves because the store fails is observed with the cache as its source', async () => {
  const bench = await createBench(true, { whenAway: 'serve-stale' });
  const { clock, create, cached, seen, feed } = bench;
  await create('a');
  await turns();
  feed.isOpen = false;
  await create('b');
  const late = cached.get(keyOf('a'));
  await turns();
  bench.isAway = true;
  clock.advance(3_000);
  expect(await late).toMatchObject({ key: keyOf('a') });
  expect(seen.at(-1)).toEqual({ type: 'cache.waited', store: 'memory', durationMs: 3_000, outcome: 'cache' });
});

test('a read that neither the watch cache nor the store can serve is observed as failed', async () => {
  const bench = await createBench(true);
  bench.isAway = true;
  bench.seen.length = 0;
  await expect(bench.cached.get(keyOf('a'))).rejects.toMatchObject({ code: 'unavailable' });
  expect(bench.seen).toEqual([{ type: 'cache.waited', store: 'memory', durationMs: 0, outcome: 'failed' }]);
  expect(await bench.metrics()).toContain(
    `apiserver_watch_cache_consistent_read_total{${LABELS},success="false",fallback="false"} 1`,
  );
});
