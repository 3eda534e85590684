import type { EventRecord } from '../store/contract/record.js';
import { assert, assertEqual, assertRejects, assertStoreError } from './assert.js';
import type { ListPage, ListQuery, Revision } from '../store/contract/event-store.js';
import { keyOf, keysOf, namesOf, revisionsOf, type DefineCase } from './fixture.js';

export function listCases(test: DefineCase): void {
  test('list: an empty store has an empty page with the revision', async ({ store }) => {
    const page = await store.list({ limit: 10 });
    assertEqual(page.records, [], 'records');
    assertEqual(page.next, undefined, 'next');
    assertEqual(page.revision, await store.revision(), 'revision');
  });

  test('list: records are equal to those of get', async ({ store, createMany }) => {
    const records = await createMany(5);
    assertEqual((await store.list({ limit: 10 })).records, records, 'records');
  });

  test('list: is in byte order of namespace/name, so that namespace a-b comes before a', async ({ store, create }) => {
    for (const namespace of ['a', 'a-b', 'a.b', 'a0', 'b']) {
      for (const name of ['z', 'a.b', 'a-b', 'a', 'a0']) await create(name, { namespace });
    }
    const names = keysOf(await store.list({ limit: 100 }));
    assertEqual(names, [...names].sort(), 'order of all');
    assertEqual(
      [...new Set(names.map((name) => name.split('/')[0]))],
      ['a-b', 'a.b', 'a', 'a0', 'b'],
      'order of namespaces',
    );
  });

  test('list: orders characters beyond the basic plane by their bytes', async ({ store, create }) => {
    for (const name of ['\u{1f600}', '\uff5e', 'z', 'ž']) await create(name);
    const names = namesOf((await store.list({ limit: 10 })).records);
    assertEqual(names, ['z', 'ž', '\uff5e', '\u{1f600}'], 'order');
  });

  test('list: one namespace shows its events and no others', async ({ store, create }) => {
    for (const namespace of ['a', 'a-b', 'aa', 'b']) await create('x', { namespace });
    assertEqual(keysOf(await store.list({ namespace: 'a', limit: 10 })), ['a/x'], 'namespace a');
    assertEqual(keysOf(await store.list({ namespace: 'c', limit: 10 })), [], 'unknown namespace');
    assertEqual(keysOf(await store.list({ namespace: 'a', limit: 1 })), ['a/x'], 'a page that is just full');
  });

  test('pages: together they are the whole list, without gaps or repetitions, for every page size', async (fixture) => {
    const { store, createMany, walk } = fixture;
    await createMany(23);
    const all = keysOf(await store.list({ limit: 100 }));
    for (const limit of [1, 2, 7, 22, 23, 24]) {
      const pages = await walk({ limit });
      assertEqual(pages.flatMap(keysOf), all, `pages of ${limit}`);
      for (const page of pages.slice(0, -1)) assertEqual(page.records.length, limit, `a page of ${limit}`);
      assertEqual(pages.length, Math.ceil(23 / limit), `number of pages of ${limit}`);
    }
  });

  test('pages: of large events may be short, and are together the whole list', async ({ store, create, walk }) => {
    const note = 'x'.repeat(Math.min(400_000, Math.floor(store.capabilities.maxEventBytes / 2)));
    for (let index = 0; index < 7; index++) await create(`large-${index}`, { note });
    const orders = store.capabilities.newestFirst ? (['key', 'newest-first'] as const) : (['key'] as const);
    for (const order of orders) {
      const pages = await walk({ limit: 6, order });
      const names = pages.flatMap(({ records }) => namesOf(records));
      assertEqual(
        [...names].sort(),
        [0, 1, 2, 3, 4, 5, 6].map((index) => `large-${index}`),
        `names by ${order}`,
      );
      let left = 7;
      for (const { records, remaining } of pages) {
        left -= records.length;
        if (remaining !== undefined) assertEqual(remaining, left, `remaining by ${order}`);
      }
    }
  });

  test('pages: the last page has no next, also when it is exactly full', async ({ store, createMany }) => {
    await createMany(4);
    assertEqual((await store.list({ limit: 4 })).next, undefined, 'next');
    assert((await store.list({ limit: 3 })).next !== undefined, 'a next before the last page');
  });

  test('pages: one that is exactly full has no next because of other namespaces or later events', async (fixture) => {
    const { store, create, createMany } = fixture;
    for (const namespace of ['a', 'z']) await create('x', { namespace });
    const records = await createMany(4);
    const at = await store.revision();
    const orders = store.capabilities.newestFirst ? (['key', 'newest-first'] as const) : (['key'] as const);
    const check = async (query: Partial<ListQuery>): Promise<void> => {
      for (const order of orders) {
        const page = await store.list({ ...query, order, namespace: 'default', limit: 4 });
        assertEqual(page.records, order === 'key' ? records : [...records].reverse(), `records by ${order}`);
        assertEqual(page.next, undefined, `next by ${order}`);
      }
    };
    await check({});
    await create('later');
    await check({ at });
  });

  test('pages: continue after a position whose event is gone, or never existed', async ({ store, createMany }) => {
    const records = await createMany(6);
    const first = await store.list({ limit: 3 });
    await store.remove(keyOf('event-002'));
    const rest = await store.list({ limit: 10, after: first.next });
    assertEqual(rest.records, records.slice(3), 'after a removed event');
    const between = await store.list({ limit: 10, after: keyOf('event-003-and-more') });
    assertEqual(between.records, records.slice(4), 'after a key that never was');
    // To read one event by its name, the events API lists one event after such a position, right before that name.
    const single = await store.list({
      namespace: 'default',
      limit: 1,
      after: keyOf(`event-003${'\u{10ffff}'.repeat(64)}`),
    });
    assertEqual(single.records, records.slice(4, 5), 'after a key that no event can have');
  });

  test('pages: a position before a namespace begins it, one behind it ends it', async ({ store, create }) => {
    for (const namespace of ['a', 'b', 'c']) await create('x', { namespace });
    const query = { namespace: 'b', limit: 5 };
    assertEqual(keysOf(await store.list({ ...query, after: keyOf('x', 'a') })), ['b/x'], 'from before');
    assertEqual(keysOf(await store.list({ ...query, after: keyOf('x', 'c') })), [], 'from behind');
  });

  test('pages: all show the state of the first one, whatever happens in between', async (fixture) => {
    const { store, create, createMany, replace } = fixture;
    const records = await createMany(12);
    const first = await store.list({ limit: 3 });
    await create('event-000-new');
    await create('event-005-new');
    await replace(records[4] as EventRecord, { note: 'changed' });
    await store.remove(keyOf('event-007'));
    await store.remove(keyOf('event-008'));
    await create('event-008', { uid: 'second life' });
    const seen = [...first.records];
    for (let { next } = first; next !== undefined;) {
      const page = await store.list({ limit: 3, at: first.revision, after: next });
      assertEqual(page.revision, first.revision, 'revision of a later page');
      seen.push(...page.records);
      next = page.next;
    }
    assertEqual(seen, records, 'the walk');
  });

  test('old revisions: each shows exactly its state', async ({ store, create, replace }) => {
    const contentOf = ({ records }: ListPage): readonly (readonly [name: string, bytes: string])[] =>
      records.map(({ key, event }) => [key.name, new TextDecoder().decode(event.bytes)]);
    const states = new Map<Revision, ReturnType<typeof contentOf>>();
    const replaceA = async (note: string): Promise<unknown> =>
      replace((await store.get(keyOf('a'))) as EventRecord, { note });
    for (const write of [
      () => create('a'),
      () => create('b'),
      () => replaceA('two'),
      () => store.remove(keyOf('b')),
      () => replaceA('three'),
      () => create('b', { note: 'again' }),
      () => store.remove(keyOf('a')),
    ]) {
      const page = await store.list({ limit: 100 });
      states.set(page.revision, contentOf(page));
      await write();
    }
    assertEqual(states.size, 7, 'a revision for each write');
    for (const [at, content] of states) {
      const page = await store.list({ at, limit: 100 });
      assertEqual(page.revision, at, 'revision');
      assertEqual(contentOf(page), content, `names and bytes at ${at}`);
      assert(Math.max(0, ...revisionsOf(page.records)) <= at, 'no record is newer than the snapshot');
    }
  });

  test('old revisions: a future one fails with future-revision and says the latest', async ({ store, create }) => {
    const { revision } = await create('a');
    const error = await assertStoreError(store.list({ at: revision + 1, limit: 1 }), 'future-revision', 'list');
    assertEqual(error.current, revision, 'current');
    assertEqual((await store.list({ at: revision, limit: 1 })).revision, revision, 'the latest is not future');
  });

  test('remaining: counts what is left after a page without terms, and is never wrong where it is optional', async (fixture) => {
    const { store, create, createMany } = fixture;
    await createMany(10);
    await create('z', { namespace: 'other' });
    const check = (page: ListPage, count: number, which: string): void => {
      // A store that does not promise the count may give it where that is cheap.
      if (page.remaining !== undefined || store.capabilities.remaining) assertEqual(page.remaining, count, which);
    };
    const first = await store.list({ namespace: 'default', limit: 3 });
    check(first, 7, 'first page');
    check(await store.list({ limit: 3 }), 8, 'all namespaces');
    check(await store.list({ limit: 11 }), 0, 'the only page');
    if (store.capabilities.newestFirst) {
      check(await store.list({ order: 'newest-first', limit: 3 }), 8, 'newest first');
    }
    await create('event-004-new');
    await store.remove(keyOf('event-005'));
    await store.remove(keyOf('event-006'));
    const second = await store.list({ namespace: 'default', limit: 3, at: first.revision, after: first.next });
    check(second, 4, 'second page of a changed store');
  });

  test('misuse: a limit below one is a TypeError', async ({ store }) => {
    for (const limit of [0, -1, 1.5, Number.NaN]) {
      const error = await assertRejects(store.list({ limit }), `limit ${limit} should be refused`);
      assert(error instanceof TypeError, `limit ${limit}: expected a TypeError, got ${String(error)}`);
    }
  });
}
