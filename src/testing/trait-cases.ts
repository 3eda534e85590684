import type { EventStore, JsonPage, ListQuery, ReplaceOptions, StoreCall } from '../store/contract/event-store.js';
import { isStoreError } from '../store/contract/errors.js';
import { LATER } from '../store/contract/read-hints.js';
import { recordBytes, type EventRecord } from '../store/contract/record.js';
import { assert, assertEqual, assertRejects, assertStoreError, inTime } from './assert.js';
import { sampleEvent } from './sample-event.js';
import { keyOf, type DefineCase } from './fixture.js';

type Run = (store: EventStore, existing: EventRecord, call: StoreCall) => Promise<unknown>;

const decoder = new TextDecoder();
const NO_PREFIX = new Uint8Array(0);

/** Bytes as they are, others written between bytes that must stay as they are. */
const textOf = ({ pieces }: JsonPage): string =>
  pieces
    .map((piece) => {
      if (!('writeTo' in piece)) return decoder.decode(piece);
      const around = new Uint8Array(piece.byteLength + 2).fill(0x2d);
      piece.writeTo(around, 1);
      assertEqual([around[0], around.at(-1)], [0x2d, 0x2d], 'what stands around a piece');
      return decoder.decode(around.subarray(1, -1));
    })
    .join('');

const YEAR_2100 = 4_102_444_800_000_000;

/** Every operation of a store that returns a promise. Tests that apply to all of them run over this table. */
const OPERATIONS: readonly (readonly [name: string, run: Run])[] = [
  ['get', ({ get }, { key }, call) => get(key, call)],
  ['list', ({ list }, _existing, call) => list({ ...call, limit: 10 })],
  [
    'create',
    ({ create }, _existing, call) =>
      create(keyOf('new'), sampleEvent({ name: 'new' }), { ...call, expiresAt: YEAR_2100 }),
  ],
  [
    'replace',
    ({ replace }, { key, event, revision }, call) =>
      replace(key, event, { ...call, expiresAt: YEAR_2100, expected: revision }),
  ],
  ['remove', ({ remove }, { key }, call) => remove(key, call)],
  ['expire', ({ expire }, _existing, call) => expire({ ...call, now: YEAR_2100, limit: 10 })],
  ['revision', ({ revision }, _existing, call) => revision(call)],
  ['ping', ({ ping }, _existing, call) => ping(call)],
  // A store without a clock of its own is tested with `ping` instead.
  ['now', ({ now, ping }, _existing, call) => (now ?? ping)(call)],
];

export function traitCases(test: DefineCase): void {
  for (const [name, run] of OPERATIONS) {
    test(`every operation: ${name} can be called detached from the store`, async ({ store, create }) => {
      await run(store, await create('a'), {});
    });

    test(`every operation: ${name} with an aborted signal fails with its reason and changes nothing`, async (fixture) => {
      const { store, create } = fixture;
      const record = await create('a');
      const reason = new Error('gone');
      const error = await assertRejects(
        run(store, record, { signal: AbortSignal.abort(reason) }),
        `${name} should fail`,
      );
      assert(error === reason, `expected the reason of the signal, got ${String(error)}`);
      assertEqual(await store.get(record.key), record, 'the stored event');
      assertEqual(await store.revision(), record.revision, 'revision()');
    });

    test(`every operation: ${name} on a closed store fails with closed`, async ({ store, create }) => {
      const record = await create('a');
      await store.close();
      await assertStoreError(run(store, record, {}), 'closed', name);
    });
  }

  test('feed: with an aborted signal ends at once', async ({ store, create }) => {
    const { revision } = await create('a');
    const changes = store.changes({ after: revision - 1, signal: AbortSignal.abort() });
    const result = await inTime(changes[Symbol.asyncIterator]().next(), 'the end');
    assertEqual(result.done, true, 'done');
  });

  test('feed: can be opened detached from the store', async ({ store: { changes, revision }, create }) => {
    const after = await revision();
    const record = await create('a');
    const result = await inTime(changes({ after })[Symbol.asyncIterator]().next(), 'a batch');
    assertEqual(result.done === true ? undefined : result.value[0]?.record, record, 'the change');
  });

  test('close: ends feeds that wait, and opening one later fails with closed', async ({ store, create, feed }) => {
    const { revision } = await create('a');
    const pending = feed(revision).batch();
    await store.close();
    assertEqual((await pending).done, true, 'done');
    await assertStoreError(feed(revision).batch(), 'closed', 'a new feed');
  });

  test('close: may be called twice, and at the same time', async ({ store, create }) => {
    await create('a');
    await Promise.all([store.close(), store.close()]);
    await store.close();
  });

  test('close: with writes in progress, each of them ends, and those that succeeded are present', async (fixture) => {
    const { store, create, reopen } = fixture;
    const { durable } = store.capabilities;
    await create('first');
    const writes = Promise.allSettled(Array.from({ length: 20 }, (_, i) => create(`event-${i}`)));
    await store.close();
    const results = await inTime(writes, 'the writes');
    const again = durable ? await reopen() : undefined;
    for (const result of results) {
      if (result.status === 'rejected') assert(isStoreError(result.reason), `a write failed with ${result.reason}`);
      else if (again) assertEqual(await again.get(result.value.key), result.value, 'get');
    }
  });

  test('ping: resolves on an open store', ({ store }) => store.ping());

  test('name and capabilities: exist and do not change', async ({ store, create }) => {
    const before = JSON.stringify([store.name, store.capabilities]);
    await create('a');
    await store.close();
    assert(store.name.length > 0, 'the name is not empty');
    assertEqual(JSON.stringify([store.name, store.capabilities]), before, 'name and capabilities');
  });

  test('get: get.sync, where the store has it, returns what the promise gives', async ({ store, create }) => {
    const { sync } = store.get;
    if (sync === undefined) return;
    const { key } = await create('a');
    const synchronous = sync(key);
    const nothing = sync(keyOf('b'));
    assertEqual(synchronous === LATER ? await store.get(key) : synchronous, await store.get(key), 'a record');
    assertEqual(nothing === LATER ? undefined : nothing, undefined, 'nothing');
    await store.close();
    await assertStoreError((async () => sync(key))(), 'closed', 'get.sync on a closed store');
  });

  test('list: list.json, where the store has it, gives what the promise gives', async (fixture) => {
    const { store, createMany, replace } = fixture;
    const { json } = store.list;
    if (json === undefined) return;
    const [first, second, ...others] = await createMany(9);
    const at = others.at(-1)?.revision;
    const seen: { page: JsonPage; text: string }[] = [];
    const compare = async (when: string): Promise<void> => {
      const terms = [{ field: 'regarding.name', value: first?.event.fields['regarding.name'] ?? '' }];
      const pages: ListQuery[] = [{ limit: 20 }, { limit: 4 }, { limit: 4, at, after: second?.key }, { limit: 20, at }];
      pages.push({ limit: 20, terms }, { limit: 20, namespace: 'default' }, { limit: 20, namespace: 'other' });
      for (const query of [...pages, ...pages, ...pages]) {
        const page = await json(query);
        if (page === undefined) continue;
        const { records, ...rest } = await store.list(query);
        const { revision, next, remaining } = page;
        const text = records.map((record) => decoder.decode(recordBytes(record, NO_PREFIX))).join(',');
        assertEqual(textOf(page), text, `the events ${when}`);
        seen.push({ page, text });
        const about = { next: undefined, remaining: undefined, ...rest };
        assertEqual({ revision, next, remaining }, about, `the page ${when}`);
      }
    };
    await compare('at first');
    await replace(others[0] as EventRecord);
    await compare('after a replacement');
    await store.remove((others[1] as EventRecord).key);
    await compare('after a deletion');
    for (const { page, text } of seen) assertEqual(textOf(page), text, 'a page that was returned before');
    // It may return undefined and leave a query to `list`, as a cache in front of a store does.
    const early = { limit: 1, at: 1 };
    await assertStoreError((async () => (await json(early)) ?? store.list(early))(), 'expired', 'list.json at 1');
    await store.close();
    await assertStoreError((async () => json({ limit: 1 }))(), 'closed', 'list.json on a closed store');
  });

  for (const name of ['create', 'replace'] as const) {
    test(`${name}: ${name}.sync, where the store has it, does what the promise does`, async (fixture) => {
      const { store, create, later } = fixture;
      const { sync } = store[name];
      if (sync === undefined) return;
      const { revision } = await create('a');
      const event = sampleEvent({ name: 'a', note: 'again' });
      const options = { ...later(), ...(name === 'replace' && { expected: revision }) } as ReplaceOptions;
      const write = (to: string): EventRecord => sync(keyOf(to), event, options);
      const again = async (to: string): Promise<unknown> => write(to);
      const own = name === 'create' ? 'b' : 'a';
      const record = write(own);
      assertEqual(record.event, event, 'the record');
      assert(record.revision > revision, 'the revision rises');
      assertEqual(await store.get(keyOf(own)), record, 'get');
      await assertStoreError(again(own), name === 'create' ? 'exists' : 'conflict', `${name}.sync a second time`);
      if (name === 'replace') await assertStoreError(again('b'), 'not-found', 'replace.sync of nothing');
      await store.close();
      await assertStoreError(again('c'), 'closed', `${name}.sync on a closed store`);
    });
  }

  test('isolation: later changes of a caller to its event do not reach the store', async ({ store, later }) => {
    const labels: Record<string, string> = { app: 'web' };
    const made = sampleEvent({ name: 'a' });
    const fields: Record<string, string> = { ...made.fields };
    const key = { namespace: 'default', name: 'a' };
    const event = { ...made, labels, fields };
    const expected = structuredClone(event);
    const { revision } = await store.create(key, event, later());
    event.bytes.fill(0);
    labels['app'] = 'changed';
    fields['reason'] = 'Changed';
    event.uid = 'changed';
    key.name = 'b';
    const record = await store.get(keyOf('a'));
    assertEqual(record?.event, expected, 'get');
    assertEqual(record?.key, keyOf('a'), 'key');
    const next = structuredClone(expected);
    await store.replace(keyOf('a'), next, { ...later(), expected: revision });
    next.bytes.fill(0);
    assertEqual((await store.list({ limit: 1 })).records[0]?.event, expected, 'list');
  });

  test('isolation: a record that was returned never changes', async ({ store, create, replace }) => {
    const first = await create('a');
    const copy = structuredClone(first);
    const read = await store.get(first.key);
    await replace(first, { note: 'changed' });
    await store.remove(first.key);
    assertEqual(first, copy, 'the created record');
    assertEqual(read, copy, 'the read record');
  });
}
