import dns from 'node:dns';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { etcdStore } from '../../../src/store/etcd/etcd-store.js';
import { hasEtcd, startEtcd, type Cluster } from './cluster.js';

const NAME = 'etcd-0.etcd.example.test';

describe.skipIf(!hasEtcd()).each(['grpc', 'gateway'] as const)('the name of a member over %s', (transport) => {
  let cluster: Cluster;
  let address: string;
  beforeAll(async () => {
    cluster = await startEtcd();
    // The gateway's requests use `lookup`, gRPC its promise.
    const { lookup } = dns;
    const answer: unknown = (name: string, options: dns.LookupAllOptions, callback: (...found: unknown[]) => void) => {
      if (name !== NAME) return lookup(name, options, callback);
      const found = { address, family: 4 };
      setImmediate(() => (options.all ? callback(null, [found]) : callback(null, address, 4)));
    };
    vi.spyOn(dns, 'lookup').mockImplementation(answer as typeof lookup);
    vi.spyOn(dns.promises, 'lookup').mockImplementation((() => Promise.resolve([{ address, family: 4 }])) as never);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await cluster.stop();
  });

  test('is looked up again soon when nothing listens at its address', async () => {
    // As a pod that gets another address when it starts on another node.
    address = '127.0.0.2';
    const { port } = new URL(cluster.endpoints[0] as string);
    const store = etcdStore({ endpoints: [`http://${NAME}:${port}`], transport, operationTimeoutMs: 1_000 });
    await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' });
    address = '127.0.0.1';
    await expect.poll(() => store.ping().then(() => 'ok', String), { timeout: 8_000 }).toBe('ok');
    await store.close();
  });
});
