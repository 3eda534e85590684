import { isStoreError } from '../store/contract/errors.js';
import type { EventRecord } from '../store/contract/record.js';
import { assert, assertEqual, assertStoreError } from './assert.js';
import { keyOf, namesOf, recordsOf, revisionsOf, type DefineCase } from './fixture.js';

export function retentionCases(test: DefineCase): void {
  test('expiry: removes what is due and nothing else', async ({ store, create, expire, context, later }) => {
    const now = context.clock.now();
    await create('past', { expiresAt: now - 5 });
    await create('now', { expiresAt: now });
    await create('next', { expiresAt: now + 1 });
    await create('later');
    assertEqual(await expire(now), 2, 'expired events');
    const names = namesOf((await store.list({ limit: 10 })).records);
    assertEqual(names, ['later', 'next'], 'what is left');
    assertEqual(await expire(now), 0, 'a second time');
    assert(later().expiresAt > now, 'the clock stands still');
  });

  test('expiry: an event that is due but not yet removed can be read', async ({ store, context, create }) => {
    const record = await create('a', { expiresAt: context.clock.now() - 1 });
    assertEqual(await store.get(keyOf('a')), record, 'get');
  });

  test('expiry: a replace sets a new time, later or earlier', async ({ store, context, create, replace, expire }) => {
    const now = context.clock.now();
    await replace(await create('longer', { expiresAt: now + 10 }), { expiresAt: now + 1000 });
    await replace(await create('shorter', { expiresAt: now + 1000 }), { expiresAt: now + 10 });
    await create('other');
    assertEqual(await expire(now + 10), 1, 'due at first');
    assertEqual(await store.get(keyOf('shorter')), undefined, 'the shortened one');
    assertEqual(await expire(now + 999), 0, 'due in between');
    assertEqual(await expire(now + 1000), 1, 'due at last');
  });

  test('expiry: may be years away', async ({ store, context, create, expire }) => {
    const expiresAt = context.clock.now() + 3_155_760_000_000_000;
    const record = await create('a', { expiresAt });
    assertEqual(record.expiresAt, expiresAt, 'expiresAt');
    assertEqual(await store.get(record.key), record, 'get');
    assertEqual(await expire(expiresAt - 1), 0, 'expired events');
  });

  test('expiry: a removed event does not expire, one created again has its own time', async (fixture) => {
    const { store, context, create, expire } = fixture;
    const now = context.clock.now();
    await create('a', { expiresAt: now + 10 });
    await store.remove(keyOf('a'));
    assertEqual(await expire(now + 10), 0, 'nothing is there');
    await create('a', { expiresAt: now + 20 });
    assertEqual(await expire(now + 15), 0, 'its own time');
    assertEqual(await expire(now + 20), 1, 'then it expires');
  });

  test('expiry: never removes more than the limit, and each with a revision of its own', async (fixture) => {
    const { createMany, expire, feed } = fixture;
    const records = await createMany(25);
    const now = records.at(-1)?.expiresAt ?? 0;
    let total = 0;
    for (let round = 0; round < 100 && total < 25; round++) {
      const count = await expire(now);
      assert(count > 0 && count <= 10, `a call removed ${count}`);
      total += count;
    }
    const changes = await feed(records.at(-1)?.revision ?? 0).take(25);
    assertEqual(new Set(revisionsOf(changes)).size, 25, 'different revisions');
    assertEqual(new Set(namesOf(changes)).size, 25, 'different events');
  });

  test('expiry: callers at the same time remove everything once', async ({ store, createMany, expire, feed }) => {
    const records = await createMany(20);
    const now = records.at(-1)?.expiresAt ?? 0;
    const counts = await Promise.all(Array.from({ length: 5 }, () => expire(now, 100)));
    while ((await expire(now, 100)) > 0) counts.push(0);
    const changes = await feed(records.at(-1)?.revision ?? 0).take(20);
    assertEqual(new Set(namesOf(changes)).size, 20, 'different events');
    assertEqual((await store.list({ limit: 1 })).records, [], 'what is left');
  });

  test('history: everything is readable for at least the time it has to be kept', async (fixture) => {
    const { store, create, createMany, replace, context, feed } = fixture;
    const after = await store.revision();
    const records = await createMany(5);
    const at = await store.revision();
    await replace(records[0] as EventRecord, { note: 'changed' });
    await store.remove(keyOf('event-001'));
    context.clock.advance(context.historyMs - 1);
    for (let i = 0; i < 10; i++) await create(`later-${i}`);
    await store.expire({ now: context.clock.now(), limit: 10 });
    assertEqual((await store.list({ at, limit: 100 })).records, records, 'the old state');
    assertEqual(recordsOf(await feed(after).take(5)), records, 'the old changes');
  });

  test('history: revisions beyond it are expired for lists, pages and feeds', async (fixture) => {
    const { store, create, createMany, feed, outlive } = fixture;
    await createMany(5);
    const page = await store.list({ limit: 2 });
    await create('x');
    const error = await outlive(page.revision);
    assertEqual((error as { code?: unknown }).code, 'expired', 'the code of a read');
    const next = store.list({ at: page.revision, after: page.next, limit: 2 });
    const { current } = await assertStoreError(next, 'expired', 'the next page');
    assert(current === undefined || current > page.revision, 'current is the oldest readable revision');
    await assertStoreError(feed(page.revision).batch(), 'expired', 'the feed');
    await assertStoreError(feed(1).batch(), 'expired', 'a feed from the beginning of time');
  });

  test('history: an old version is kept for the whole time after it was replaced or removed', async (fixture) => {
    const { store, createMany, replace, context, feed, outlive } = fixture;
    const records = await createMany(3);
    await outlive(records[2]?.revision ?? 0);
    const at = await store.revision();
    const [replaced, removed] = records as [EventRecord, EventRecord];
    await replace(replaced, { note: 'changed' });
    await store.remove(removed.key);
    context.clock.advance(context.historyMs / 2);
    await replace(records[2] as EventRecord);
    const changes = await feed(at).take(3);
    assertEqual(
      changes.map(({ previous }) => previous),
      records,
      'the states before',
    );
    assertEqual((await store.list({ at, limit: 10 })).records, records, 'the old state');
  });

  test('history: a feed that is read late has every change, or is expired', async (fixture) => {
    const { store, create, feed, outlive } = fixture;
    const first = await create('first');
    const reader = feed(first.revision - 1);
    await reader.take(1);
    const second = await create('second');
    const { revision } = await store.remove(second.key);
    const last = await create('last');
    await outlive(last.revision);
    const expected = [second.revision, revision, last.revision];
    const changes = await reader.take(3).catch((error: unknown) => {
      if (isStoreError(error) && error.code === 'expired') return undefined;
      throw error;
    });
    if (changes !== undefined) assertEqual(revisionsOf(changes), expected, 'the changes');
  });

  test('history: dropping it does not change the newest state', async (fixture) => {
    const { store, create, createMany, replace, walk, outlive } = fixture;
    const records = await createMany(8);
    const changed = await replace(records[2] as EventRecord, { note: 'changed' });
    const removed = await store.remove(keyOf('event-005'));
    await outlive(removed.revision);
    const expected = records.flatMap((record, i) => (i === 5 ? [] : i === 2 ? [changed] : [record]));
    const pages = await walk({ limit: 3 });
    const listed = pages.flatMap((page) => page.records);
    assertEqual(listed, expected, 'the list');
    assertEqual(await store.get(changed.key), changed, 'get');
    const terms = [{ field: 'regarding.name', value: 'pod-1' }];
    const found = (await walk({ limit: 100, terms })).flatMap((page) => page.records);
    assertEqual(found, expected, 'the list by terms');
    await create('event-005', { uid: 'second life' });
    assertEqual((await store.get(keyOf('event-005')))?.event.uid, 'second life', 'a key whose tombstone is gone');
  });

  test('history: a revision from before the store began is expired, not empty', async ({ store, create }) => {
    await create('a');
    await assertStoreError(store.list({ at: 1, limit: 1 }), 'expired', 'list at 1');
  });
}
