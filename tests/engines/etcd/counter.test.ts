import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Change, EventStore } from '../../../src/store/contract/event-store.js';
import { isStoreError } from '../../../src/store/contract/errors.js';
import { etcdStore } from '../../../src/store/etcd/etcd-store.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { hasEtcd, startEtcd, type Cluster } from './cluster.js';

const expiresAt = 4_102_444_800_000_000;
const keyOf = (name: string) => ({ namespace: 'a', name });

describe.skipIf(!hasEtcd()).each(['grpc', 'gateway'] as const)(
  'a counter that went backwards, over %s',
  (transport) => {
    let cluster: Cluster;
    const stores: EventStore[] = [];
    const open = (prefix: string): EventStore => {
      const store = etcdStore({ endpoints: cluster.endpoints, transport, prefix });
      stores.push(store);
      return store;
    };
    const create = (store: EventStore, name: string) => store.create(keyOf(name), sampleEvent({ name }), { expiresAt });
    const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
      const error: unknown = await work.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      return isStoreError(error) ? error.code : error;
    };
    const feedOf = (store: EventStore, after: number): AsyncIterator<readonly Change[]> =>
      store.changes({ after })[Symbol.asyncIterator]();

    beforeAll(async () => {
      cluster = await startEtcd();
    });
    afterEach(async () => {
      for (const store of stores.splice(0)) await store.close();
    });
    afterAll(() => cluster.stop());

    test('ends the feed of a quiet store with expired once the members are back, without a read or write', async () => {
      const store = open('/quiet');
      await create(store, 'kept');
      const restore = await cluster.backUp();
      const { revision } = await create(store, 'lost');
      const feed = feedOf(store, revision);
      const failed = failureOf(feed.next());
      await restore();
      expect(await failed).toBe('expired');
      expect(await store.revision()).toBeGreaterThan(revision);
    });

    test('is detected by a second replica with its next write, and ends its feed with expired', async () => {
      const [one, other] = [open('/two'), open('/two')];
      const kept = await create(one, 'kept');
      expect((await other.get(keyOf('kept')))?.revision).toBe(kept.revision);
      const restore = await cluster.backUp();
      for (let i = 0; i < 5; i++) await create(one, `lost-${i}`);
      const seen = await one.revision();
      await restore();
      // The counter is above everything that `other` has seen, and far below what `one` has.
      const feed = feedOf(other, kept.revision);
      const failed = failureOf(feed.next());
      expect(await one.revision()).toBeGreaterThan(seen);
      expect(await failed).toBe('expired');
      const record = await create(other, 'next');
      expect(record.revision).toBeGreaterThan(seen);
      expect((await one.get(keyOf('next')))?.revision).toBe(record.revision);
      // The event from before the backup has a new revision, the same for both, at which it can be replaced.
      const [a, b] = await Promise.all([one.get(keyOf('kept')), other.get(keyOf('kept'))]);
      expect(a).toEqual(b);
      expect(a?.revision).toBeGreaterThan(seen);
      const expected = kept.revision;
      const replaced = one.replace(keyOf('kept'), sampleEvent({ name: 'kept' }), { expiresAt, expected });
      expect(await failureOf(replaced)).toBe('conflict');
      await other.replace(keyOf('kept'), sampleEvent({ name: 'kept' }), { expiresAt, expected: a?.revision ?? 0 });
      // A store that is opened afterwards continues from the same revision.
      const third = open('/two');
      expect(await third.revision()).toBeGreaterThanOrEqual(record.revision);
      expect((await third.list({ limit: 10 })).records.map(({ key }) => key.name)).toEqual(['kept', 'next']);
      expect(await failureOf(third.list({ limit: 1, at: seen }))).toBe('expired');
    });

    test('is detected by a replica that only watches, where the one that wrote is gone', async () => {
      const [writer, watching] = [open('/watching'), open('/watching')];
      const { revision } = await create(writer, 'kept');
      const feed = feedOf(watching, revision);
      const changes = feed.next();
      await create(writer, 'first');
      await changes;
      const restore = await cluster.backUp();
      const lost = await create(writer, 'lost');
      expect((await feed.next()).value).toMatchObject([{ revision: lost.revision }]);
      await writer.close();
      const failed = failureOf(feed.next());
      await restore();
      expect(await failed).toBe('expired');
      expect((await create(open('/watching'), 'new')).revision).toBeGreaterThan(lost.revision);
    });

    test('is lifted for a cluster that was created again, which accepts writes at once', async () => {
      const store = open('/again');
      const { revision } = await create(store, 'lost');
      const feed = feedOf(store, revision);
      const failed = failureOf(feed.next());
      await cluster.wipe();
      const record = await create(store, 'new');
      expect(record.revision).toBeGreaterThan(revision);
      expect(await failed).toBe('expired');
      expect((await store.list({ limit: 10 })).records).toEqual([record]);
      const again = feedOf(store, record.revision);
      const removed = await store.remove(keyOf('new'));
      expect((await again.next()).value).toMatchObject([{ type: 'delete', revision: removed.revision }]);
      await again.return?.();
    });

    test('is lifted twice when the cluster is restored twice', async () => {
      const store = open('/twice');
      await create(store, 'kept');
      const restore = await cluster.backUp();
      let highest = 0;
      for (let i = 0; i < 2; i++) {
        const { revision } = await create(store, `lost-${i}`);
        expect(revision).toBeGreaterThan(highest);
        highest = revision;
        await restore();
      }
      expect((await store.list({ limit: 10 })).revision).toBeGreaterThan(highest);
      expect((await create(store, 'lost-0')).revision).toBeGreaterThan(highest);
    });
  },
);
