import { afterAll, beforeAll, describe, test } from 'vitest';
import { etcdStore } from '../../../src/store/etcd/etcd-store.js';
import { eventStoreSuite } from '../../../src/testing/event-store-suite.js';
import { hasEtcd, startEtcd, type Cluster } from './cluster.js';

describe.skipIf(!hasEtcd()).each(['grpc', 'gateway'] as const)('etcdStore over %s', (transport) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startEtcd();
  });
  afterAll(() => cluster.stop());

  const open = ({
    id,
    clock,
    historyMs,
  }: Parameters<NonNullable<Parameters<typeof eventStoreSuite>[0]['reopen']>>[0]) =>
    etcdStore({
      endpoints: cluster.endpoints,
      transport,
      prefix: `/${transport}/${id}`,
      clock,
      historyMs,
      compactHistory: true,
    });

  eventStoreSuite({ test, createStore: open, reopen: open, secondInstance: open });
});
