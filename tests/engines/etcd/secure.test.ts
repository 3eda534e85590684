import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { etcdStore } from '../../../src/store/etcd/etcd-store.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { hasEtcd, startEtcd, type Cluster } from './cluster.js';

describe.skipIf(!hasEtcd()).each(['grpc', 'gateway'] as const)('TLS and authentication over %s', (transport) => {
  let cluster: Cluster;
  let ca: string;
  let certificate: string;
  beforeAll(async () => {
    const names = [
      { type: 2 as const, value: 'localhost' },
      { type: 2 as const, value: 'etcd.example.com' },
      { type: 7 as const, ip: '127.0.0.1' },
    ];
    const authority = await generate([{ name: 'commonName', value: 'authority' }], {
      keySize: 2048,
      algorithm: 'sha256',
      extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
    });
    ca = authority.cert;
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
      keySize: 2048,
      algorithm: 'sha256',
      extensions: [{ name: 'subjectAltName', altNames: names }],
      ca: { key: authority.private, cert: ca },
    });
    certificate = cert;
    cluster = await startEtcd({ tls: { ca, cert, key }, auth: 'secret' });
    cluster.ctl('role', 'add', 'events');
    cluster.ctl('role', 'grant-permission', 'events', 'readwrite', '/kube-vitals/events.', '/kube-vitals/events0');
    cluster.ctl('user', 'add', 'service:word');
    cluster.ctl('user', 'grant-role', 'service', 'events');
  });
  afterAll(() => cluster.stop());

  const endpoints = (): string[] => cluster.endpoints.map((endpoint) => endpoint.replace('127.0.0.1', 'localhost'));

  test('a user with permission for the prefix alone can write, read, expire and follow the feed', async () => {
    const tls = { ca, serverName: 'etcd.example.com' };
    const store = etcdStore({ endpoints: endpoints(), transport, tls, username: 'service', password: 'word' });
    const record = await store.create({ namespace: 'a', name: 'a' }, sampleEvent({}), { expiresAt: 5 });
    expect(await store.get(record.key)).toEqual(record);
    const feed = store.changes({ after: record.revision - 1 })[Symbol.asyncIterator]();
    expect((await feed.next()).done).toBe(false);
    expect(await store.expire({ now: 5, limit: 10 })).toBe(1);
    expect((await feed.next()).done).toBe(false);
    await store.ping();
    await store.close();
  });

  test.each([
    ['a wrong password', { username: 'service', password: 'wrong' }, /authentication failed/],
    ['no password', {}, /user name is empty|invalid auth token|permission denied/],
    [
      'a prefix without permission',
      { username: 'service', password: 'word', prefix: '/elsewhere' },
      /permission denied/,
    ],
  ])("a login with %s is unavailable with etcd's message", async (_, login, message) => {
    const store = etcdStore({ endpoints: endpoints(), transport, tls: { ca }, ...login });
    await expect(store.ping()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(message) as string,
    });
    await store.close();
  });

  test('the certificate of the server itself is trusted without the authority that signed it', async () => {
    const login = { username: 'service', password: 'word' };
    const store = etcdStore({ endpoints: endpoints(), transport, tls: { ca: certificate }, ...login });
    await store.ping();
    await store.close();
  });

  test('a certificate of an unknown authority is unavailable, and nothing was sent', async () => {
    const store = etcdStore({ endpoints: endpoints(), transport, operationTimeoutMs: 300 });
    const key = { namespace: 'a', name: 'b' };
    await expect(store.create(key, sampleEvent({}), { expiresAt: 5 })).rejects.toMatchObject({ code: 'unavailable' });
    await store.close();
  });
});

describe.skipIf(!hasEtcd()).each(['grpc', 'gateway'] as const)('a store with a login over %s', (transport) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startEtcd();
  });
  afterAll(() => cluster.stop());

  test('works before authentication is enabled, while it is, and after it was disabled', async () => {
    cluster.ctl('user', 'add', 'root:secret');
    cluster.ctl('user', 'grant-role', 'root', 'root');
    const { endpoints } = cluster;
    const store = etcdStore({ endpoints, transport, username: 'root', password: 'secret' });
    const create = (name: string) => store.create({ namespace: 'a', name }, sampleEvent({ name }), { expiresAt: 5 });
    const before = await create('before');
    const feed = store.changes({ after: before.revision })[Symbol.asyncIterator]();
    const next = async () => (await feed.next()).value?.map(({ key }: { key: { name: string } }) => key.name);
    cluster.ctl('auth', 'enable');
    await create('enabled');
    expect(await next()).toEqual(['enabled']);
    cluster.ctl('--user', 'root:secret', 'auth', 'disable');
    await create('disabled');
    expect(await next()).toEqual(['disabled']);
    const other = etcdStore({ endpoints, transport, username: 'root', password: 'secret' });
    await other.ping();
    await Promise.all([store.close(), other.close()]);
  });
});
