import { assert, assertEqual, assertStoreError } from './assert.js';
import { sampleEvent } from './sample-event.js';
import { keyOf, recordsOf, type DefineCase } from './fixture.js';

/** Defines the tests of stores that can be restored while they are open, and of stores that share a clock. */
export function restoreCases(test: DefineCase): void {
  test('restore: feeds, pages and revisions of the history that is gone are expired', async (fixture) => {
    const { store, backup, createMany, feed } = fixture;
    if (backup === undefined) return;
    const kept = await createMany(3, 'kept');
    const restore = await backup();
    const reader = feed(kept.at(-1)?.revision ?? 0);
    const lost = await createMany(5, 'lost');
    await reader.take(5);
    const page = await store.list({ limit: 2 });
    const pending = reader.batch();
    await restore();
    await assertStoreError(pending, 'expired', 'the open feed');
    await assertStoreError(store.list({ at: page.revision, after: page.next, limit: 2 }), 'expired', 'the next page');
    await assertStoreError(feed(lost[2]?.revision ?? 0).batch(), 'expired', 'a feed from a revision that is gone');
    const { records, revision } = await store.list({ limit: 10 });
    const highest = lost.at(-1)?.revision ?? 0;
    for (const [index, record] of records.entries()) {
      const before = kept[index];
      assertEqual({ ...record, revision: before?.revision }, before, 'what is left');
      const isNew = record.revision > highest;
      assert(isNew || record.revision === before?.revision, 'it has the revision it had, or one above all before');
    }
    assertEqual(records.length, kept.length, 'what is left');
    assert(revision > highest, 'the list is at a revision above all before');
  });

  test('restore: the next write is above every revision that was assigned', async (fixture) => {
    const { store, backup, create, createMany, later, second } = fixture;
    if (backup === undefined) return;
    await create('kept');
    const other = await second();
    const restore = await backup();
    const [lost] = await createMany(1, 'lost');
    const { revision } = await other.create(keyOf('other'), sampleEvent({ name: 'other' }), later());
    await restore();
    const record = await store.create(keyOf('lost-000'), sampleEvent({ name: 'lost-000' }), later());
    assert(record.revision > revision, 'one instance has seen less than the other, and is above it nevertheless');
    const next = await other.create(keyOf('next'), sampleEvent({ name: 'next' }), later());
    assert(next.revision > record.revision, 'the other instance goes on from there');
    await assertStoreError(store.list({ at: lost?.revision ?? 0, limit: 1 }), 'expired', 'a list of what is gone');
  });

  test('restore: a feed begun afterwards sees every change', async ({ store, backup, create, createMany, feed }) => {
    if (backup === undefined) return;
    await create('kept');
    const restore = await backup();
    await createMany(4, 'lost');
    await restore();
    const { revision, records } = await store.list({ limit: 10 });
    assertEqual(records.length, 1, 'records');
    const reader = feed(revision);
    const record = await create('new');
    const removed = await store.remove(keyOf('kept'));
    const changes = await reader.take(2);
    assertEqual(recordsOf(changes), [record, removed], 'the changes');
  });

  test('now: is one clock for all instances, in microseconds', async ({ store, second }) => {
    if (store.now === undefined) return;
    const other = store.capabilities.shared ? await second() : store;
    const times = [await store.now(), (await other.now?.()) ?? 0, await store.now()] as const;
    assert(times[0] <= times[1] && times[1] <= times[2], `it does not run backwards: ${times.join(', ')}`);
    assert(times[0] > 1e15 && times[2] < 1e16, 'microseconds since the epoch');
  });

  test('now: by that clock nothing expires early, whatever a caller says', async ({ store, create }) => {
    if (store.now === undefined) return;
    const expiresAt = (await store.now()) + 3_600_000_000;
    const record = await create('a', { expiresAt });
    assertEqual(await store.expire({ now: expiresAt, limit: 10 }), 0, 'expired events');
    assertEqual(await store.get(record.key), record, 'get');
  });
}
