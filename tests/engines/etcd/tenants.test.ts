import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/clock.js';
import type { Change, EventStore, Revision } from '../../../src/store/contract/event-store.js';
import { etcdStore } from '../../../src/store/etcd/etcd-store.js';
import { createWatchHub } from '../../../src/store/watch/watch-hub.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { hasEtcd, startEtcd, type Cluster } from './cluster.js';
import { watch } from '../../unit/store/watch/watching.js';

const expiresAt = 4_102_444_800_000_000;

async function until(condition: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (condition()) return;
    await sleep(50);
  }
  throw new Error(`not in time: ${what}`);
}

describe.skipIf(!hasEtcd()).each(['grpc', 'gateway'] as const)('in a shared cluster, over %s', (transport) => {
  let cluster: Cluster;
  const stores: EventStore[] = [];
  beforeAll(async () => {
    cluster = await startEtcd();
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    await cluster.stop();
  });

  const open = (prefix: string, progressMs = 1000): EventStore => {
    const store = etcdStore({ endpoints: cluster.endpoints, transport, prefix: `/${transport}${prefix}`, progressMs });
    stores.push(store);
    return store;
  };
  const create = (store: EventStore, name: string): Promise<{ revision: Revision }> =>
    store.create({ namespace: 'a', name }, sampleEvent({ name }), { expiresAt });
  const others = (count: number): void => {
    for (let i = 0; i < count; i++) cluster.ctl('put', '/somebody/else', String(i));
  };
  const compact = (revision: Revision): string => cluster.ctl('compact', String(revision));

  test('one get of etcd shows a whole event, and keys of another prefix that begins alike are not read', async () => {
    const store = open('/get');
    const neighbour = open('/get-more');
    await create(neighbour, 'theirs');
    await create(store, 'ours');
    cluster.ctl('put', `/${transport}/get/stray`, 'not an event');
    cluster.ctl('put', `/${transport}/get/a/stray`, 'not an event');
    const value = cluster.ctl('get', `/${transport}/get/a/ours`, '--print-value-only');
    expect(JSON.parse(value.split('\n')[0] ?? '')).toMatchObject({ metadata: { name: 'ours' }, reason: 'Sampling' });
    expect((await store.list({ limit: 10 })).records.map(({ key }) => key.name)).toEqual(['ours']);
    expect(await store.get({ namespace: 'a', name: 'stray' })).toBeUndefined();
  });

  test('a quiet feed continues although everything it has seen was compacted', async () => {
    const store = open('/quiet');
    const { revision: last } = await create(store, 'first');
    const abort = new AbortController();
    const seen: Change[] = [];
    let progress = 0;
    const onProgress = (revision: Revision): void => {
      progress = revision;
    };
    const reading = (async () => {
      for await (const batch of store.changes({ after: last, signal: abort.signal, onProgress })) seen.push(...batch);
    })();
    others(20);
    const now = await store.revision();
    await until(() => progress >= now, 'progress');
    abort.abort();
    await reading;
    compact(now);
    // The first reader saw that nothing happened before the compaction; a new reader of this store can rely on that.
    const again = store.changes({ after: last })[Symbol.asyncIterator]();
    const { revision } = await create(store, 'second');
    const { value } = await again.next();
    expect((value as readonly Change[]).map((change) => change.revision)).toEqual([revision]);
    await again.return?.();
    const stranger = open('/quiet').changes({ after: last })[Symbol.asyncIterator]();
    await expect(stranger.next()).rejects.toMatchObject({ code: 'expired' });
    expect(seen).toEqual([]);
  });

  test('compacted history is expired, with the oldest readable revision', async () => {
    const store = open('/compacted');
    const first = await create(store, 'a');
    const page = await store.list({ limit: 1 });
    await create(store, 'b');
    const last = await create(store, 'c');
    compact(last.revision);
    await expect(store.list({ limit: 1, at: page.revision })).rejects.toMatchObject({ code: 'expired' });
    const feed = store.changes({ after: first.revision })[Symbol.asyncIterator]();
    const message = `the history of etcd begins at ${last.revision}`;
    await expect(feed.next()).rejects.toMatchObject({ code: 'expired', current: last.revision, message });
    expect((await store.list({ limit: 10, at: last.revision })).records).toHaveLength(3);
    // A watch that begins at the compacted revision is complete.
    const next = store.changes({ after: last.revision })[Symbol.asyncIterator]();
    const removed = await store.remove({ namespace: 'a', name: 'a' });
    const { value } = await next.next();
    expect((value as readonly Change[])[0]).toMatchObject({ type: 'delete', revision: removed.revision });
    await next.return?.();
  });

  test("the hub neither hangs nor repeats changes, and watchers advance with other users' writes", async () => {
    const store = open('/hub');
    const own = await create(store, 'first');
    others(10);
    const hub = createWatchHub({ store, clock: systemClock, catchUpReaders: 1 });
    const { revision: listed } = await store.list({ limit: 10 });
    expect(listed).toBeGreaterThan(own.revision);
    const places = [listed, own.revision, own.revision - 1];
    const seen = places.map((): Revision[] => []);
    const watchers = places.map((after) => watch(hub, { after }));
    for (const [index, watcher] of watchers.entries()) {
      void (async () => {
        for await (const batch of watcher) seen[index]?.push(...batch.entries.map(({ change }) => change.revision));
      })();
    }
    await until(() => watchers.every((watcher) => watcher.position >= listed), 'all places reach the list');
    others(5);
    const later = await store.revision();
    await until(() => watchers.every((watcher) => watcher.position >= later), 'all places follow');
    const second = await create(store, 'second');
    await until(() => seen.every((revisions) => revisions.includes(second.revision)), 'the second event');
    expect(seen).toEqual([[second.revision], [second.revision], [own.revision, second.revision]]);
    hub.close();
  });
});
