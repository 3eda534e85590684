import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { EventStore } from '../../../src/store/contract/event-store.js';
import { etcdStore } from '../../../src/store/etcd/etcd-store.js';
import { eventStoreSuite } from '../../../src/testing/event-store-suite.js';
import type { EventStoreSuiteOptions } from '../../../src/testing/fixture.js';
import { behindCache } from '../support/behind-cache.js';
import { hasEtcd, startEtcd, type Cluster } from './cluster.js';

type StoreContext = Parameters<NonNullable<EventStoreSuiteOptions['backup']>>[0];

describe.skipIf(!hasEtcd()).each(['grpc', 'gateway'] as const)('etcdStore over %s', (transport) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startEtcd();
  });
  afterAll(() => cluster.stop());

  const openAt =
    (prefix: string) =>
    ({ id, clock, historyMs }: StoreContext): EventStore =>
      etcdStore({
        endpoints: cluster.endpoints,
        transport,
        prefix: `/${prefix}/${id}`,
        clock,
        historyMs,
        compactHistory: true,
      });

  const backup = async ({ clock }: StoreContext): Promise<() => Promise<void>> => {
    const restore = await cluster.backUp();
    return async () => {
      await restore();
      // Broken watches wait a little before they try again.
      for (let i = 0; i < 10; i++) {
        clock.advance(100);
        await sleep(10);
      }
    };
  };

  const open = openAt(transport);
  eventStoreSuite({ test, createStore: open, reopen: open, secondInstance: open, backup });

  // The cache sees the same store whatever the transport.
  if (transport === 'gateway') return;
  describe('behind a watch cache', () => {
    const cached = behindCache(openAt('cached'));
    eventStoreSuite({ test, createStore: cached, reopen: cached, secondInstance: cached, backup });
  });
});
