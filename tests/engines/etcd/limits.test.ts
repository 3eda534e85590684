import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { etcdStore } from '../../../src/store/etcd/etcd-store.js';
import type { EventStore, ListPage, Position } from '../../../src/store/contract/event-store.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { hasEtcd, startEtcd, type Cluster } from './cluster.js';

const expiresAt = 4_102_444_800_000_000;
const note = (bytes: number): string => 'x'.repeat(bytes);

describe.skipIf(!hasEtcd()).each(['grpc', 'gateway'] as const)('limits over %s', (transport) => {
  let cluster: Cluster;
  const stores: EventStore[] = [];
  const open = (more: Partial<Parameters<typeof etcdStore>[0]> = {}): EventStore => {
    const store = etcdStore({ endpoints: cluster.endpoints, transport, ...more });
    stores.push(store);
    return store;
  };
  beforeAll(async () => {
    cluster = await startEtcd({ quotaBytes: 32 * 1024 * 1024 });
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    await cluster.stop();
  });

  test('an event that etcd itself finds too large fails with too-large', async () => {
    const store = open({ prefix: '/large', maxEventBytes: 16_000_000 });
    for (const size of [1_600_000, 3_000_000]) {
      const create = store.create({ namespace: 'a', name: 'a' }, sampleEvent({ note: note(size) }), { expiresAt });
      await expect(create).rejects.toMatchObject({ code: 'too-large' });
    }
    await store.ping();
    expect(await store.get({ namespace: 'a', name: 'a' })).toBeUndefined();
  });

  test('a list of many large events has short pages and is complete', async () => {
    const store = open({ prefix: '/pages' });
    for (let i = 0; i < 12; i++) {
      await store.create({ namespace: 'a', name: `e-${i}` }, sampleEvent({ note: note(900_000) }), { expiresAt });
    }
    const found: string[] = [];
    for (let after: Position | undefined; ;) {
      const page: ListPage = await store.list({ limit: 12, after });
      found.push(...page.records.map(({ key }) => key.name));
      expect(page.remaining).toBe(12 - found.length);
      // All are read at first, while their sizes are not known.
      expect(page.records.length).toBeLessThanOrEqual(12);
      after = page.next;
      if (after === undefined) break;
    }
    expect(found).toHaveLength(12);
    for (const name of found) await store.remove({ namespace: 'a', name });
  });

  test('an expiry entry without its event is removed, and is not counted', async () => {
    const store = open({ prefix: '/stale' });
    await store.create({ namespace: 'a', name: 'gone' }, sampleEvent({}), { expiresAt: 5 });
    await store.create({ namespace: 'a', name: 'due' }, sampleEvent({}), { expiresAt: 5 });
    cluster.ctl('del', '/stale/a/gone');
    expect(await store.expire({ now: 5, limit: 10 })).toBe(1);
    expect(cluster.ctl('get', '--prefix', '/stale.expiry/', '--keys-only').trim()).toBe('');
  });

  test('allow no index entries to accumulate: each event has one, and none once it is deleted', async () => {
    const store = open({ prefix: '/index' });
    const key = { namespace: 'a', name: 'a' };
    let record = await store.create(key, sampleEvent({}), { expiresAt: 1000 });
    // Another replica has no memory of the entry that the first one made.
    const other = open({ prefix: '/index' });
    for (const [i, replica] of [store, other, store, other].entries()) {
      const { revision: expected } = record;
      record = await replica.replace(key, sampleEvent({}), { expected, expiresAt: 2000 + Math.floor(i / 2) });
    }
    const entries = (): string[] =>
      cluster.ctl('get', '--prefix', '/index.expiry/', '--keys-only').split('\n').filter(Boolean);
    expect(entries()).toEqual(['/index.expiry/0000000000002001/a/a']);
    await open({ prefix: '/index' }).remove(key);
    expect(entries()).toEqual([]);
  });

  test('a layout of a newer version is refused with a clear message', async () => {
    cluster.ctl('put', '/newer.store', '{"format":99}');
    await expect(open({ prefix: '/newer' }).ping()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('newer version') as string,
    });
  });

  test('let only writes fail at the space quota, with NOSPACE, and ping reports that, while reads and feeds continue', async () => {
    const store = open({ prefix: '/full' });
    const first = await store.create({ namespace: 'a', name: 'a' }, sampleEvent({}), { expiresAt });
    const feed = store.changes({ after: first.revision - 1 })[Symbol.asyncIterator]();
    let written = 0;
    let failure: unknown;
    for (let i = 0; i < 200 && failure === undefined; i++) {
      await store
        .create({ namespace: 'a', name: `fill-${i}` }, sampleEvent({ note: note(1_000_000) }), { expiresAt })
        .then(
          () => written++,
          (error: unknown) => {
            failure = error;
          },
        );
    }
    expect(failure).toMatchObject({ code: 'unavailable', message: expect.stringContaining('NOSPACE') as string });
    await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable', onlyWrites: true });
    expect((await store.get(first.key))?.revision).toBe(first.revision);
    expect((await store.list({ limit: 1 })).remaining).toBe(written);
    // Also at a replica that starts now.
    expect((await open({ prefix: '/full' }).get(first.key))?.revision).toBe(first.revision);
    expect((await feed.next()).done).toBe(false);
    await feed.return?.();
    const removal = await store.remove(first.key).then(
      () => 'removed',
      (error: { code?: string }) => error.code,
    );
    expect(['removed', 'unavailable']).toContain(removal);
  });
});
