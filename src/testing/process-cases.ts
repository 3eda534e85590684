import type { EventStore } from '../store/contract/event-store.js';
import type { EncodedEvent, EventRecord } from '../store/contract/record.js';
import { assert, assertEqual, assertStoreError } from './assert.js';
import { sampleEvent } from './sample-event.js';
import { keyOf, namesOf, recordsOf, revisionsOf, type DefineCase, type Fixture } from './fixture.js';

export function processCases(test: DefineCase): void {
  type Restart = () => Promise<EventStore>;
  const durable = (name: string, run: (fixture: Fixture & { readonly restart: Restart }) => Promise<void>): void =>
    test(`durable: ${name}`, async (fixture) => {
      const restart = async (): Promise<EventStore> => {
        await fixture.store.close();
        return fixture.reopen();
      };
      if (fixture.store.capabilities.durable) await run({ ...fixture, restart });
    });
  const shared = (name: string, run: (fixture: Fixture & { readonly other: EventStore }) => Promise<void>): void =>
    test(`shared: ${name}`, async (fixture) => {
      if (fixture.store.capabilities.shared) await run({ ...fixture, other: await fixture.second() });
    });

  durable(
    'acknowledged writes are present after a restart, at their revisions',
    async ({ store, createMany, replace, restart }) => {
      const records = await createMany(10);
      const changed = await replace(records[3] as EventRecord, { note: 'changed' });
      await store.remove(keyOf('event-006'));
      const before = await store.list({ limit: 100 });
      const again = await restart();
      const after = await again.list({ limit: 100 });
      assertEqual(after.records, before.records, 'the list');
      assertEqual(await again.get(changed.key), changed, 'get');
    },
  );

  durable('revisions continue above those from before the restart', async ({ store, create, later, restart }) => {
    await create('a');
    const { revision } = await store.remove(keyOf('a'));
    const again = await restart();
    assert((await again.revision()) >= revision, 'revision() does not fall');
    const record = await again.create(keyOf('b'), sampleEvent({ name: 'b' }), later());
    assert(record.revision > revision, 'the next write is above');
  });

  durable('expiry continues after a restart', async ({ create, expire, restart }) => {
    const record = await create('a');
    const again = await restart();
    assertEqual(await expire(record.expiresAt - 1, 10, again), 0, 'before its time');
    assertEqual(await expire(record.expiresAt, 10, again), 1, 'at its time');
  });

  durable('a feed resumes after a restart', async ({ createMany, restart, feed }) => {
    const records = await createMany(4);
    const again = await restart();
    const after = records[1]?.revision ?? 0;
    const changes = await feed(after, again).take(2);
    assertEqual(recordsOf(changes), records.slice(2), 'the changes after the second');
  });

  durable('the history from before a restart is what it was', async ({ store, createMany, replace, restart, feed }) => {
    const records = await createMany(3);
    const at = await store.revision();
    const [replaced, removed] = records as [EventRecord, EventRecord];
    await replace(replaced, { note: 'changed' });
    await store.remove(removed.key);
    const changes = await feed(at).take(2);
    const again = await restart();
    assertEqual((await again.list({ at, limit: 10 })).records, records, 'the old state');
    assertEqual(await feed(at, again).take(2), changes, 'the changes');
  });

  shared(
    'a write through one store is seen by get and list of the other',
    async ({ store, create, replace, other }) => {
      const record = await create('a');
      assertEqual(await other.get(record.key), record, 'get');
      assertEqual((await other.list({ limit: 10 })).records, [record], 'list');
      assert((await other.revision()) >= record.revision, 'revision()');
      const changed = await replace(record, { note: 'changed' });
      assertEqual(await other.get(record.key), changed, 'get after a replace');
      assertEqual((await other.list({ limit: 10 })).records, [changed], 'list after a replace');
      await store.remove(record.key);
      assertEqual(await other.get(record.key), undefined, 'get after a removal');
      assertEqual((await other.list({ limit: 10 })).records, [], 'list after a removal');
    },
  );

  shared('of many writes of one key through both exactly one succeeds', async ({ store, other, later }) => {
    const stores = [store, other];
    const won = async (write: (to: EventStore, uid: string) => Promise<EventRecord>): Promise<EventRecord> => {
      const attempts = Array.from({ length: 10 }, (_, i) => write(stores[i % 2] as EventStore, `uid-${i}`));
      const results = await Promise.allSettled(attempts);
      const records = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      assertEqual(records.length, 1, 'successful writes');
      for (const one of stores) assertEqual(await one.get(keyOf('a')), records[0], 'get');
      return records[0] as EventRecord;
    };
    const sample = (uid: string): EncodedEvent => sampleEvent({ name: 'a', uid });
    const { revision: expected } = await won((to, uid) => to.create(keyOf('a'), sample(uid), later()));
    await won((to, uid) => to.replace(keyOf('a'), sample(uid), { ...later(), expected }));
  });

  shared(
    'revisions and positions of one store are valid at the other',
    async ({ store, create, createMany, other, feed, outlive }) => {
      await other.list({ limit: 1 });
      const records = await createMany(5);
      const { revision: at, next: after } = await store.list({ limit: 2 });
      await store.remove(keyOf('event-003'));
      const rest = await other.list({ at, after, limit: 10 });
      assertEqual(rest, { records: records.slice(2), revision: at, remaining: rest.remaining }, 'the next page');
      await create('x');
      await outlive(at);
      // A cache of the other keeps changes as long as the store, but from when they arrived.
      await outlive(at, other);
      await assertStoreError(other.list({ at, after, limit: 10 }), 'expired', 'a page beyond the history');
      await assertStoreError(feed(at, other).batch(), 'expired', 'a feed from beyond the history');
    },
  );

  shared('conditions hold across stores', async ({ create, replace, other, later }) => {
    const first = await create('a');
    const again = other.create(first.key, first.event, later());
    await assertStoreError(again, 'exists', 'create through the other');
    await replace(first, { note: 'changed' });
    const stale = other.replace(first.key, first.event, { ...later(), expected: first.revision });
    await assertStoreError(stale, 'conflict', 'replace through the other');
  });

  shared(
    'the feeds of both stores deliver the writes of both, in one order',
    async ({ store, other, feed, create, later }) => {
      const after = await store.revision();
      const readers = [feed(after), feed(after, other)];
      const { event } = await create('first');
      const writes = Array.from({ length: 20 }, (_, i) =>
        i % 2 === 0 ? create(`event-${i}`) : other.create(keyOf(`event-${i}`), event, later()),
      );
      const written = revisionsOf(await Promise.all(writes)).sort((x, y) => x - y);
      for (const reader of readers) {
        const changes = await reader.take(21);
        assertEqual(revisionsOf(changes.slice(1)), written, 'revisions');
      }
    },
  );

  shared('expiry through both removes everything once', async ({ store, createMany, expire, other, feed }) => {
    const records = await createMany(20);
    const now = records.at(-1)?.expiresAt ?? 0;
    await Promise.all([store, other, store, other].map((one) => expire(now, 100, one)));
    while ((await expire(now, 100, other)) > 0) continue;
    const changes = await feed(records.at(-1)?.revision ?? 0).take(20);
    assertEqual(new Set(namesOf(changes)).size, 20, 'different events');
  });
}
