import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { Change } from '../../../src/store/contract/event-store.js';
import { isStoreError } from '../../../src/store/contract/errors.js';
import { etcdStore } from '../../../src/store/etcd/etcd-store.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { hasEtcd, startEtcd, type Member } from './cluster.js';

const WRITERS = 8;
const expiresAt = 4_102_444_800_000_000;

/** Writes and watches while something happens to the leader, and checks the outcome of every write. */
async function underLoad(
  transport: 'grpc' | 'gateway',
  strike: (leader: Member) => Promise<void> | void,
  recover: (leader: Member) => Promise<void> | void,
): Promise<void> {
  const cluster = await startEtcd({ members: 3 });
  const store = etcdStore({ endpoints: cluster.endpoints, transport });
  const abort = new AbortController();
  try {
    const after = await store.revision();
    const seen: Change[] = [];
    const watching = (async () => {
      for await (const changes of store.changes({ after, signal: abort.signal })) seen.push(...changes);
    })();
    const acknowledged = new Map<string, number>();
    const refused: string[] = [];
    let gap = 0;
    let last = performance.now();
    let running = true;
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let i = 0; running; i++) {
        const name = `event-${writer}-${i}`;
        try {
          const { revision } = await store.create({ namespace: 'load', name }, sampleEvent({ name }), { expiresAt });
          acknowledged.set(name, revision);
          const now = performance.now();
          gap = Math.max(gap, now - last);
          last = now;
        } catch (error) {
          if (!isStoreError(error)) throw error;
          refused.push(error.code);
        }
      }
    });
    await sleep(500);
    const leader = await cluster.leader();
    await strike(leader);
    await sleep(5000);
    await recover(leader);
    await sleep(500);
    running = false;
    await Promise.all(writers);
    const final = await store.create({ namespace: 'load', name: 'z' }, sampleEvent({ name: 'z' }), { expiresAt });
    for (let tries = 0; tries < 200 && seen.at(-1)?.revision !== final.revision; tries++) await sleep(50);
    abort.abort();
    await watching;

    const stored = new Map<string, number>();
    let page = await store.list({ limit: 500 });
    for (; ; page = await store.list({ limit: 500, at: page.revision, after: page.next })) {
      for (const { key, revision } of page.records) stored.set(key.name, revision);
      if (page.next === undefined) break;
    }
    const lost = [...acknowledged].filter(([name, revision]) => stored.get(name) !== revision);
    const names = seen.map(({ key }) => key.name);
    const missed = [...stored.keys()].filter((name) => !new Set(names).has(name));
    process.stdout.write(
      `etcd ${transport}: ${acknowledged.size} acknowledged, ${lost.length} lost, ${refused.length} refused ` +
        `(${[...new Set(refused)].join(', ') || 'none'}), ${missed.length} missed and ` +
        `${names.length - new Set(names).size} doubled by the watch, longest gap ${Math.round(gap)} ms\n`,
    );
    expect(lost).toEqual([]);
    expect(missed).toEqual([]);
    expect(names.length).toBe(new Set(names).size);
    expect(seen.map(({ revision }) => revision)).toEqual(
      seen.map(({ revision }) => revision).sort((one, other) => one - other),
    );
    expect(acknowledged.size).toBeGreaterThan(WRITERS);
    // A write without a response may be stored or not, but nothing is stored that nobody wrote.
    expect(stored.size).toBeLessThanOrEqual(acknowledged.size + refused.length + 1);
  } finally {
    abort.abort();
    await store.close();
    await cluster.stop();
  }
}

describe.skipIf(!hasEtcd()).each(['grpc', 'gateway'] as const)('three members over %s', (transport) => {
  test('lose nothing acknowledged when the leader is killed, and the watch misses and repeats nothing', () =>
    underLoad(
      transport,
      (leader) => leader.kill(),
      (leader) => leader.restart(),
    ));

  test('lose nothing acknowledged when the leader freezes, and the watch misses and repeats nothing', () =>
    underLoad(
      transport,
      (leader) => leader.freeze(),
      (leader) => leader.resume(),
    ));
});

describe.skipIf(!hasEtcd())('one member', () => {
  test('that is unavailable for a while makes operations fail with unavailable, and the feed continues afterwards', async () => {
    const cluster = await startEtcd();
    const { endpoints } = cluster;
    const store = etcdStore({ endpoints });
    // Its calls fail soon, so that the member is not away for longer than a feed waits.
    const impatient = etcdStore({ endpoints, operationTimeoutMs: 500 });
    try {
      const [member] = cluster.members;
      const create = (name: string, by = store): Promise<{ revision: number }> =>
        by.create({ namespace: 'a', name }, sampleEvent({ name }), { expiresAt });
      await vi.waitFor(() => impatient.ping());
      const first = await create('first');
      const feed = store.changes({ after: first.revision })[Symbol.asyncIterator]();
      const next = feed.next();
      await create('second');
      expect((await next).value).toHaveLength(1);
      const later = feed.next();
      await member?.kill();
      for (const call of [() => impatient.ping(), () => create('never', impatient), () => impatient.revision()]) {
        await expect(call()).rejects.toMatchObject({ code: 'unavailable' });
      }
      await member?.restart();
      for (let tries = 0; tries < 50; tries++) {
        const back = await store.ping().then(
          () => true,
          () => false,
        );
        if (back) break;
        await sleep(100);
      }
      const third = await create('third');
      expect(((await later).value as readonly Change[])[0]?.revision).toBe(third.revision);
      expect((await store.list({ limit: 10 })).records.map(({ key }) => key.name)).toEqual([
        'first',
        'second',
        'third',
      ]);
    } finally {
      await impatient.close();
      await store.close();
      await cluster.stop();
    }
  });

  test('that is missing when the store is created makes operations fail, which work once it is available', async () => {
    const cluster = await startEtcd();
    await cluster.members[0]?.kill();
    const store = etcdStore({ endpoints: cluster.endpoints, operationTimeoutMs: 2_000 });
    try {
      await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' });
      await cluster.members[0]?.restart();
      for (let tries = 0; tries < 50; tries++) {
        const back = await store.ping().then(
          () => true,
          () => false,
        );
        if (back) break;
        await sleep(100);
      }
      await store.ping();
    } finally {
      await store.close();
      await cluster.stop();
    }
  });
});
