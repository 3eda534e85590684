import type { EventRecord } from '../store/contract/record.js';
import { assert, assertEqual, assertStoreError } from './assert.js';
import { sampleEvent } from './sample-event.js';
import { keyOf, revisionsOf, type DefineCase } from './fixture.js';

export function writeCases(test: DefineCase): void {
  test('revisions: are safe integers above zero, and revision() returns that of the last write', async (fixture) => {
    const { store, create } = fixture;
    const before = await store.revision();
    assert(Number.isSafeInteger(before) && before > 0, `revision() is ${before}`);
    const record = await create('a');
    assert(record.revision > before, 'a write gets a higher revision');
    assertEqual(await store.revision(), record.revision, 'revision() after a write');
  });

  test('revisions: every create, replace, remove and expiry has a higher one than the write before', async (fixture) => {
    const { store, create, replace, expire, context } = fixture;
    const a = await create('a');
    const b = await create('b');
    const replaced = await replace(a, { note: 'changed' });
    const removed = await store.remove(b.key);
    const last = await create('c');
    const all = revisionsOf([a, b, replaced, removed, last]);
    assertEqual(
      all,
      [...new Set(all)].sort((x, y) => x - y),
      'rising revisions',
    );
    await expire(context.clock.now() + 7_200_000_000, 1);
    assert((await store.revision()) > last.revision, 'an expiry has a revision of its own');
  });

  test('revisions: writes in flight at the same time get different ones', async ({ create }) => {
    const records = await Promise.all(Array.from({ length: 50 }, (_, i) => create(`event-${i}`)));
    assertEqual(new Set(revisionsOf(records)).size, 50, 'different revisions');
  });

  test('revisions: are not changed by a read', async ({ store, create }) => {
    const { revision, key } = await create('a');
    await store.get(key);
    await store.list({ limit: 10 });
    await store.ping();
    assertEqual(await store.revision(), revision, 'revision() after reads');
  });

  test('create: returns what was stored, and get finds it', async ({ store, later }) => {
    const event = sampleEvent({ name: 'a', labels: { app: 'web' } });
    const options = later();
    const record = await store.create(keyOf('a'), event, options);
    assertEqual(record.key, keyOf('a'), 'key');
    assertEqual(record.event, event, 'event');
    assertEqual(record.expiresAt, options.expiresAt, 'expiresAt');
    assertEqual(await store.get(keyOf('a')), record, 'get');
  });

  test('create: an existing key fails with exists and changes nothing', async ({ store, create, later }) => {
    const record = await create('a');
    const other = sampleEvent({ name: 'a', uid: 'another' });
    await assertStoreError(store.create(keyOf('a'), other, later()), 'exists', 'create');
    assertEqual(await store.get(keyOf('a')), record, 'the stored event');
    assertEqual(await store.revision(), record.revision, 'revision()');
  });

  test('create: of many for one key at the same time exactly one succeeds', async ({ store, later }) => {
    const attempts = Array.from({ length: 10 }, (_, i) =>
      store.create(keyOf('a'), sampleEvent({ name: 'a', uid: `uid-${i}` }), later()),
    );
    const results = await Promise.allSettled(attempts);
    const won = results.filter((result) => result.status === 'fulfilled');
    assertEqual(won.length, 1, 'successful creates');
    assertEqual((await store.get(keyOf('a')))?.event.uid, won[0]?.value.event.uid, 'the stored uid');
  });

  test('create: the same name in two namespaces are two events', async ({ store, create }) => {
    const one = await create('a', { namespace: 'one' });
    const two = await create('a', { namespace: 'two' });
    assertEqual(await store.get(keyOf('a', 'one')), one, 'the first');
    assertEqual(await store.get(keyOf('a', 'two')), two, 'the second');
  });

  test('create: keys of the greatest length that Kubernetes allows are different to the last character', async (fixture) => {
    const { store, create } = fixture;
    const names = ['a', 'b'].map((last) => 'n'.repeat(252) + last);
    const namespaces = ['a', 'b'].map((last) => 's'.repeat(62) + last);
    const records: EventRecord[] = [];
    for (const namespace of namespaces) for (const name of names) records.push(await create(name, { namespace }));
    for (const record of records) assertEqual(await store.get(record.key), record, 'get');
    assertEqual((await store.list({ limit: 10 })).records, records, 'list');
  });

  test('create: a removed key can be used again, at a higher revision', async ({ store, create }) => {
    await create('a');
    const removed = await store.remove(keyOf('a'));
    const again = await create('a', { uid: 'second life' });
    assert(again.revision > removed.revision, 'the revision goes on');
    assertEqual((await store.get(keyOf('a')))?.event.uid, 'second life', 'uid');
  });

  test('get: a key that was never written is undefined, also if it is a property of every object', async (fixture) => {
    const { store, create } = fixture;
    await create('a');
    for (const name of ['b', '__proto__', 'constructor', 'toString', '']) {
      assertEqual(await store.get(keyOf(name)), undefined, `get ${name}`);
      assertEqual(await store.get(keyOf('a', name)), undefined, `get in ${name}`);
    }
  });

  test('replace: stores the new bytes at a new revision', async ({ store, create, replace }) => {
    const first = await create('a');
    const second = await replace(first, { note: 'changed', regarding: 'pod-2' });
    assert(second.revision > first.revision, 'a higher revision');
    const expected = sampleEvent({
      namespace: 'default',
      name: 'a',
      uid: first.event.uid,
      note: 'changed',
      regarding: 'pod-2',
    });
    assertEqual(second.event, expected, 'the returned event');
    assertEqual(await store.get(first.key), second, 'get');
  });

  test('replace: an outdated revision fails with conflict and changes nothing', async ({ store, create, replace }) => {
    const first = await create('a');
    const second = await replace(first, { note: 'changed' });
    await assertStoreError(replace(first, { note: 'lost' }), 'conflict', 'replace');
    assertEqual(await store.get(first.key), second, 'get');
    assertEqual(await store.revision(), second.revision, 'revision()');
  });

  test('replace: a missing key fails with not-found and changes nothing', async ({ store, create, replace }) => {
    const record = await create('a');
    const removed = await store.remove(record.key);
    await assertStoreError(replace(record), 'not-found', 'replace of a removed event');
    assertEqual(await store.get(record.key), undefined, 'get');
    assertEqual(await store.revision(), removed.revision, 'revision()');
  });

  test('replace: of many that expect the same revision exactly one succeeds', async ({ store, create, replace }) => {
    const first = await create('a');
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => replace(first, { note: `note ${i}` })),
    );
    const won = results.filter((result) => result.status === 'fulfilled');
    assertEqual(won.length, 1, 'successful replaces');
    assertEqual(await store.get(first.key), won[0]?.value, 'the stored event');
  });

  test('remove: returns the last state at the revision of the deletion', async ({ store, create }) => {
    const record = await create('a');
    const removed = await store.remove(record.key);
    assertEqual(removed.event, record.event, 'event');
    assertEqual(removed.key, record.key, 'key');
    assert(removed.revision > record.revision, 'a higher revision');
    assertEqual(await store.revision(), removed.revision, 'revision()');
    assertEqual(await store.get(record.key), undefined, 'get');
  });

  test('remove: succeeds with the expected revision, and fails with conflict with another one', async (fixture) => {
    const { store, create, replace } = fixture;
    const first = await create('a');
    const second = await replace(first);
    await assertStoreError(store.remove(first.key, { expected: first.revision }), 'conflict', 'remove');
    assertEqual(await store.get(first.key), second, 'get');
    await store.remove(first.key, { expected: second.revision });
    assertEqual(await store.get(first.key), undefined, 'get after the removal');
  });

  test('remove: a missing key fails with not-found, also the second time, also with an expected revision', async (fixture) => {
    const { store, create } = fixture;
    await assertStoreError(store.remove(keyOf('a')), 'not-found', 'remove');
    const record = await create('a');
    const removed = await store.remove(record.key);
    await assertStoreError(store.remove(record.key), 'not-found', 'second remove');
    const conditional = store.remove(record.key, { expected: record.revision });
    await assertStoreError(conditional, 'not-found', 'conditional remove');
    assertEqual(await store.revision(), removed.revision, 'revision()');
  });

  test('sizes: an event of exactly maxEventBytes fits, one more byte is too-large and changes nothing', async (fixture) => {
    const { store, create, replace } = fixture;
    const { maxEventBytes } = store.capabilities;
    assert(Number.isSafeInteger(maxEventBytes) && maxEventBytes >= 65_536, 'maxEventBytes is at least 64 KiB');
    const around = sampleEvent({ namespace: 'default', name: 'a', note: '' }).bytes.length;
    const note = 'x'.repeat(maxEventBytes - around);
    const record = await create('a', { namespace: 'default', note });
    assertEqual(record.event.bytes.length, maxEventBytes, 'the size');
    assertEqual((await store.get(record.key))?.event.bytes, record.event.bytes, 'the bytes');
    await assertStoreError(create('b', { namespace: 'default', note: `${note}x` }), 'too-large', 'create');
    await assertStoreError(replace(record, { note: `${note}x` }), 'too-large', 'replace');
    assertEqual(await store.revision(), record.revision, 'revision()');
  });

  test('bytes: come back as they were given, whatever they are', async ({ store, later }) => {
    const sample = sampleEvent({ name: 'a', note: 'ž 漢 😀 \u0000 "\\' });
    const event = { ...sample, bytes: new Uint8Array([...sample.bytes, 0, 255, 128, 10]) };
    await store.create(keyOf('a'), event, later());
    const page = await store.list({ limit: 1 });
    assertEqual((await store.get(keyOf('a')))?.event, event, 'get');
    assertEqual(page.records[0]?.event, event, 'list');
  });

  test('labels and fields: come back as they were given, also under special keys', async ({ store, later }) => {
    const sample = sampleEvent({ name: 'a' });
    const strings = (): Record<string, string> =>
      Object.assign(Object.create(null) as Record<string, string>, {
        ['__proto__']: 'plain',
        constructor: 'data',
        'example.com/a': '',
      });
    await store.create(keyOf('a'), { ...sample, labels: strings(), fields: strings() }, later());
    const stored = (await store.get(keyOf('a')))?.event;
    assertEqual(stored?.labels, strings(), 'labels');
    assertEqual(stored?.fields, strings(), 'fields');
  });
}
