import type { Change } from '../store/contract/event-store.js';
import type { EventRecord } from '../store/contract/record.js';
import { nextTurn } from '../clock/clock.js';
import { assert, assertEqual, assertStoreError, inTime } from './assert.js';
import { keyOf, recordsOf, revisionsOf, type DefineCase } from './fixture.js';

async function assertPending(promise: Promise<unknown>, what: string): Promise<void> {
  let isSettled = false;
  const settle = (): void => void (isSettled = true);
  promise.then(settle, settle);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  assert(!isSettled, what);
}

export function feedCases(test: DefineCase): void {
  test('feed: delivers every kind of change with the new state and the one before', async (fixture) => {
    const { store, create, replace, feed } = fixture;
    const after = await store.revision();
    const created = await create('a');
    const replaced = await replace(created, { note: 'changed' });
    const removed = await store.remove(created.key);
    const again = await create('a', { uid: 'second life' });
    const { key } = created;
    const expected: readonly Change[] = [
      { type: 'put', key, revision: created.revision, record: created },
      { type: 'put', key, revision: replaced.revision, record: replaced, previous: created },
      { type: 'delete', key, revision: removed.revision, record: removed, previous: replaced },
      { type: 'put', key, revision: again.revision, record: again },
    ];
    assertEqual(await feed(after).take(4), expected, 'changes');
  });

  test('feed: begins with the first change after the given revision', async ({ createMany, feed }) => {
    const records = await createMany(5);
    for (const [index, { revision }] of records.slice(0, 4).entries()) {
      const changes = await feed(revision).take(4 - index);
      assertEqual(recordsOf(changes), records.slice(index + 1), `after ${index}`);
    }
  });

  test('feed: delivers changes that happen while it is read', async ({ store, create, feed }) => {
    const reader = feed(await store.revision());
    const waiting = reader.take(1);
    const record = await create('a');
    assertEqual((await waiting)[0]?.record, record, 'the change');
    const next = await create('b');
    assertEqual((await reader.take(1))[0]?.record, next, 'the next change');
  });

  test('feed: is complete and in order under many writers at the same time, from anywhere', async (fixture) => {
    const { store, create, replace, feed } = fixture;
    const after = await store.revision();
    const early = feed(after);
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      const revisions: number[] = [];
      for (let i = 0; i < 12; i++) {
        const created = await create(`event-${writer}-${i}`);
        const replaced = await replace(created, { note: 'changed' });
        const removed = await store.remove(created.key, { expected: replaced.revision });
        revisions.push(created.revision, replaced.revision, removed.revision);
      }
      return revisions;
    });
    const written = (await Promise.all(writers)).flat().sort((x, y) => x - y);
    const seen = revisionsOf(await early.take(written.length));
    assertEqual(seen, written, 'the feed that was open');
    for (const index of [0, 1, 100, 250]) {
      const from = written[index] ?? after;
      const rest = written.filter((revision) => revision > from);
      const changes = await feed(from).take(rest.length);
      assertEqual(revisionsOf(changes), rest, `a feed after change ${index}`);
    }
  });

  test('feed: many readers each get everything, also one that reads late', async ({ store, createMany, feed }) => {
    const after = await store.revision();
    const readers = Array.from({ length: 5 }, () => feed(after));
    const takes = readers.slice(1).map((reader) => reader.take(30));
    const records = await createMany(30);
    for (const take of [...takes, readers[0]?.take(30)]) {
      assertEqual(recordsOf((await take) ?? []), records, 'the changes of a reader');
    }
  });

  test('feed: replayed over a list, it gives the next list', async (fixture) => {
    const { store, create, createMany, replace, feed, context } = fixture;
    const [first] = await createMany(6);
    const start = await store.list({ limit: 100 });
    await replace(first as EventRecord, { note: 'changed' });
    await store.remove(keyOf('event-003'));
    await create('x');
    await create('y', { expiresAt: context.clock.now() });
    await store.expire({ now: context.clock.now(), limit: 10 });
    await create('event-003', { uid: 'second life' });
    const end = await store.list({ limit: 100 });
    const state = new Map(start.records.map((record) => [record.key.name, record]));
    for (const change of await feed(start.revision).take(6)) {
      if (change.type === 'put') state.set(change.key.name, change.record);
      else state.delete(change.key.name);
    }
    const replayed = [...state.values()].sort((one, other) => (one.key.name < other.key.name ? -1 : 1));
    assertEqual(replayed, end.records, 'the replayed state');
  });

  test('feed: a failed write does not appear', async ({ store, create, replace, feed }) => {
    const first = await create('a');
    const second = await replace(first);
    await assertStoreError(create('a'), 'exists', 'create');
    await assertStoreError(replace(first), 'conflict', 'replace');
    await assertStoreError(store.remove(keyOf('b')), 'not-found', 'remove');
    const last = await create('c');
    const changes = await feed(first.revision).take(2);
    assertEqual(revisionsOf(changes), [second.revision, last.revision], 'revisions');
  });

  test('feed: a revision that lies ahead is waited for, and changes before it are not delivered', async (fixture) => {
    const { create, feed } = fixture;
    const first = await create('first');
    const ahead = first.revision + 3;
    const pending = feed(ahead).batch();
    await assertPending(pending, 'nothing comes before its time');
    // A store may leave revisions out, so write until the awaited one has passed.
    let revision = first.revision;
    for (let i = 0; revision <= ahead; i++) ({ revision } = await create(`event-${i}`));
    const result = await inTime(pending, 'the batch');
    assertEqual(result.done === true ? undefined : result.value[0]?.revision, revision, 'the first change shown');
  });

  test('feed: waits quietly, and ends when its signal is aborted', async ({ store, feed }) => {
    const reader = feed(await store.revision());
    const pending = reader.batch();
    await assertPending(pending, 'nothing comes when nothing happens');
    reader.stop();
    assertEqual((await inTime(pending, 'the end')).done, true, 'done');
  });

  test('feed: can be left from inside a loop, and read again from the same revision', async ({ store, createMany }) => {
    const after = await store.revision();
    await createMany(3);
    for await (const batch of store.changes({ after })) {
      assert(batch.length > 0, 'no empty batches');
      break;
    }
    for await (const batch of store.changes({ after })) {
      assertEqual(batch[0]?.key.name, 'event-000', 'the first change');
      break;
    }
  });

  test('feed: delivers an expiry as a deletion, with the last state and a revision of its own', async (fixture) => {
    const { store, context, create, expire, feed } = fixture;
    const record = await create('a');
    const now = record.expiresAt;
    assertEqual(await expire(now), 1, 'expired events');
    const [change] = await feed(record.revision).take(1);
    assertEqual(change?.type, 'delete', 'type');
    assertEqual(change?.record.event, record.event, 'the last state');
    assertEqual(change?.previous, record, 'the state before');
    assertEqual(change?.revision, await store.revision(), 'revision');
    if (store.now === undefined) assert(context.clock.now() < now, 'expiry is by the given moment, not by the clock');
  });
}
