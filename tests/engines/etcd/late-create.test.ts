import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Change } from '../../../src/store/contract/event-store.js';
import { etcdStore } from '../../../src/store/etcd/etcd-store.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { createProxy } from '../support/proxy.js';
import { hasEtcd, startEtcd, type Cluster } from './cluster.js';

const expiresAt = 4_102_444_800_000_000;
const key = { namespace: 'default', name: 'late' };

interface Late {
  readonly cluster: Cluster;
  readonly store: ReturnType<typeof etcdStore>;
  /** From now on requests and responses over the first way are this late; the store takes the second way after 1 s. */
  readonly delay: (ms: number) => void;
  /** From now on requests and responses over the first way wait for `arrive`. */
  readonly hold: () => void;
  /** Lets the late requests arrive, and waits until etcd has processed them. */
  readonly arrive: () => Promise<void>;
  /** The changes of the event, in words. */
  readonly history: () => Promise<string[]>;
}

/** A store with two ways to the only member of a cluster: it uses the first, a proxy that can delay. */
async function late(run: (late: Late) => Promise<void>): Promise<void> {
  const cluster = await startEtcd();
  const [direct = ''] = cluster.endpoints;
  const proxy = await createProxy(Number(new URL(direct).port));
  const store = etcdStore({ endpoints: [`http://127.0.0.1:${proxy.port}`, direct] });
  const applied = (): number => {
    const [{ Status }] = JSON.parse(cluster.ctl('endpoint', 'status', '-w', 'json')) as [
      { Status: { raftAppliedIndex: number } },
    ];
    return Status.raftAppliedIndex;
  };
  try {
    const after = await store.revision();
    await run({
      cluster,
      store,
      delay: (ms) => proxy.delay(ms),
      hold: () => proxy.hold(),
      async arrive() {
        const before = applied();
        proxy.release();
        for (let tries = 0; tries < 100 && applied() === before; tries++) await sleep(20);
        expect(applied()).toBeGreaterThan(before);
      },
      async history() {
        const changes: Change[] = [];
        const abort = new AbortController();
        const last = await store.create({ ...key, name: 'last' }, sampleEvent({ name: 'last' }), { expiresAt });
        for await (const some of store.changes({ after, signal: abort.signal })) {
          changes.push(...some);
          if (changes.at(-1)?.revision === last.revision) abort.abort();
        }
        return changes.map(({ type, key: { name } }) => `${type} ${name}`);
      },
    });
  } finally {
    await store.close();
    await proxy.close();
    await cluster.stop();
  }
}

describe.skipIf(!hasEtcd())('a create whose response was lost', () => {
  test('does not restore an event that its repetition created and another client deleted', () =>
    late(async ({ store, hold, arrive, history }) => {
      hold();
      const created = await store.create(key, sampleEvent({ name: 'late' }), { expiresAt });
      await store.remove(key, { expected: created.revision });
      await arrive();
      expect(await store.get(key)).toBeUndefined();
      expect(await history()).toEqual(['put late', 'delete late', 'put last']);
    }));

  test('is not repeated if it has taken effect', () =>
    late(async ({ store, delay, history }) => {
      delay(700);
      const created = await store.create(key, sampleEvent({ name: 'late' }), { expiresAt });
      expect(await store.get(key)).toEqual(created);
      expect(await history()).toEqual(['put late', 'put last']);
    }));

  test('is not repeated if it has taken effect and the event was deleted at once', () =>
    late(async ({ cluster, store, delay, history }) => {
      const other = etcdStore({ endpoints: cluster.endpoints });
      const deleting = (async () => {
        for await (const [change] of other.changes({ after: await other.revision() })) {
          if (change !== undefined) return other.remove(change.key);
        }
        return undefined;
      })();
      await other.ping();
      delay(700);
      const created = await store.create(key, sampleEvent({ name: 'late' }), { expiresAt });
      expect((await deleting)?.revision).toBeGreaterThan(created.revision);
      await other.close();
      expect(await store.get(key)).toBeUndefined();
      expect(await history()).toEqual(['put late', 'delete late', 'put last']);
    }));

  test('is resolved together with all others, and each takes effect once', () =>
    late(async ({ cluster, store, hold, arrive, history }) => {
      const names = Array.from({ length: 200 }, (_, index) => `event-${index}`);
      hold();
      const created = await Promise.all(
        names.map((name) => store.create({ ...key, name }, sampleEvent({ name }), { expiresAt })),
      );
      await arrive();
      expect((await history()).sort()).toEqual([...names, 'last'].map((name) => `put ${name}`).sort());
      expect(new Set(created.map(({ revision }) => revision)).size).toBe(names.length);
      const { kvs } = JSON.parse(cluster.ctl('get', '/kube-vitals/events.fence', '-w', 'json')) as {
        kvs: { version: number }[];
      };
      expect(kvs[0]?.version).toBeLessThan(10);
    }));
});
