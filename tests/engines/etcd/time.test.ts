import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHealth } from '../../../src/health/create-health.js';
import { storeCheck } from '../../../src/checks/store.js';
import type { EventStore } from '../../../src/store/contract/event-store.js';
import { createExpiryLoop } from '../../../src/store/expiry-loop.js';
import { createStoreTime } from '../../../src/store/store-time.js';
import { etcdStore } from '../../../src/store/etcd/etcd-store.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { hasEtcd, startEtcd, type Cluster } from './cluster.js';

const YEAR = 31_557_600_000_000;

describe.skipIf(!hasEtcd()).each(['grpc', 'gateway'] as const)('the clock of etcd, over %s', (transport) => {
  let cluster: Cluster;
  const stores: EventStore[] = [];
  beforeAll(async () => {
    cluster = await startEtcd({ members: 3 });
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    await cluster.stop();
  });

  test('a replica whose clock is a year ahead expires nothing, and reports it', async () => {
    const now = Date.now() * 1000;
    const clock = fakeClock({ now: now + YEAR });
    const open = (more: { readonly clock?: typeof clock } = {}): EventStore => {
      const store = etcdStore({ endpoints: cluster.endpoints, transport, prefix: `/time/${transport}`, ...more });
      stores.push(store);
      return store;
    };
    const [right, ahead] = [open(), open({ clock })];
    const key = { namespace: 'a', name: 'a' };
    await right.create(key, sampleEvent({ name: 'a' }), { expiresAt: now + 3_600_000_000 });
    expect(Math.abs(((await ahead.now?.()) ?? 0) - Date.now() * 1000)).toBeLessThan(3_000_000);
    expect(await ahead.expire({ now: clock.now(), limit: 10 })).toBe(0);
    const health = createHealth({ clock });
    health.add(storeCheck(ahead, { clock }));
    expect(await health.report('readyz')).toMatchObject({
      status: 'failed',
      checks: expect.arrayContaining([
        expect.objectContaining({ name: 'etcd', reason: expect.stringMatching(/ s ahead of the store's$/) as string }),
      ]) as unknown,
    });
    const reports: string[] = [];
    const loop = createExpiryLoop({
      store: ahead,
      clock,
      time: createStoreTime({ store: ahead, clock }),
      observe: (observation) => {
        if (observation.type === 'error') reports.push(String(observation.error));
      },
    });
    loop.start();
    clock.advance(1001);
    await expect.poll(() => reports.length, { timeout: 5000 }).toBe(1);
    await loop.stop();
    health.close();
    expect(await right.get(key)).toBeDefined();
    // A replica with the right time expires what is due.
    await right.create({ ...key, name: 'due' }, sampleEvent({ name: 'due' }), { expiresAt: now - 3_000_000 });
    expect(await right.expire({ now: Date.now() * 1000, limit: 10 })).toBe(1);
  });
});
