import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { storeCheck } from '../../../src/checks/store.js';
import { etcdStore } from '../../../src/store/etcd/etcd-store.js';
import { createHealth } from '../../../src/health/create-health.js';
import { hasEtcd, startEtcd, type Cluster } from './cluster.js';

const NAME = 'etcd-0.etcd.example.test';

describe.skipIf(!hasEtcd()).each(['grpc', 'gateway'] as const)('the name of a member over %s', (transport) => {
  let cluster: Cluster;
  let addresses: readonly string[];
  beforeAll(async () => {
    cluster = await startEtcd();
    // The gateway's requests use `lookup`, gRPC its promise.
    const { lookup } = dns;
    const found = () => addresses.map((address) => ({ address, family: 4 }));
    const answer: unknown = (name: string, options: dns.LookupAllOptions, callback: (...found: unknown[]) => void) => {
      if (name !== NAME) return lookup(name, options, callback);
      setImmediate(() => (options.all ? callback(null, found()) : callback(null, addresses[0], 4)));
    };
    vi.spyOn(dns, 'lookup').mockImplementation(answer as typeof lookup);
    vi.spyOn(dns.promises, 'lookup').mockImplementation((() => Promise.resolve(found())) as never);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await cluster.stop();
  });

  test('is looked up again soon when nothing listens at its address', async () => {
    // As a pod that gets another address when it starts on another node.
    addresses = ['127.0.0.2'];
    const { port } = new URL(cluster.endpoints[0] as string);
    const store = etcdStore({ endpoints: [`http://${NAME}:${port}`], transport, operationTimeoutMs: 1_000 });
    await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' });
    addresses = ['127.0.0.1'];
    await expect.poll(() => store.ping().then(() => 'ok', String), { timeout: 8_000 }).toBe('ok');
    await store.close();
  });

  test('leads to the next of its addresses when the first one does not respond', async () => {
    // As a service without an address of its own, whose first pod is frozen: its system still accepts connections.
    addresses = ['127.0.0.2', '127.0.0.1'];
    const { port } = new URL(cluster.endpoints[0] as string);
    const silent = createServer().listen(Number(port), '127.0.0.2');
    await once(silent, 'listening');
    const store = etcdStore({ endpoints: [`http://${NAME}:${port}`], transport });
    const health = createHealth();
    health.add(storeCheck(store));
    const ready = async (): Promise<string> => (await health.report('readyz')).status;
    await expect.poll(ready, { timeout: 15_000, interval: 1_100 }).toBe('ok');
    // Requests that fail together do not skip the address that responds.
    const keys = Array.from({ length: 50 }, (_, i) => ({ namespace: 'a', name: `e-${i}` }));
    await Promise.all(keys.map((key) => store.get(key)));
    health.close();
    await store.close();
    silent.close();
  });
});
