import type { EventRecord } from '../store/contract/record.js';
import type { FieldTerm, ListPage, ListQuery } from '../store/contract/event-store.js';
import { assert, assertEqual } from './assert.js';
import { keyOf, namesOf, type DefineCase } from './fixture.js';

const POD_2: FieldTerm = { field: 'regarding.name', value: 'pod-2' };

/** The names of the events that have the value: a store may return others as well. */
const matching = (pages: readonly ListPage[], { field, value }: FieldTerm): readonly string[] =>
  namesOf(pages.flatMap(({ records }) => records.filter(({ event }) => event.fields[field] === value)));

export function searchCases(test: DefineCase): void {
  test('terms: no event with the values is left out', async ({ createMany, create, walk }) => {
    await createMany(30);
    for (const name of ['x', 'y', 'event-010-x']) await create(name, { regarding: 'pod-2' });
    for (const more of [{}, { namespace: 'default' }] as Partial<ListQuery>[]) {
      const pages = await walk({ ...more, limit: 2, terms: [POD_2] });
      assertEqual(matching(pages, POD_2), ['event-010-x', 'x', 'y'], 'matching events');
    }
  });

  test('terms: a list at an old revision is selected by the values of that revision', async (fixture) => {
    const { store, create, replace } = fixture;
    const a = await create('a', { regarding: 'pod-2' });
    const b = await create('b', { regarding: 'pod-2' });
    const at = await store.revision();
    await replace(a, { regarding: 'pod-3' });
    await store.remove(b.key);
    const term = { field: 'regarding.uid', value: 'uid-of-pod-2' };
    const query = { terms: [term], limit: 10 };
    assertEqual(matching([await store.list({ ...query, at })], term), ['a', 'b'], 'then');
    assertEqual(matching([await store.list(query)], term), [], 'now');
  });

  test('terms: several are looked for together, and long values in full length', async (fixture) => {
    const { createMany, create, walk } = fixture;
    const longName = 'pod'.repeat(300);
    await createMany(3);
    await create('x', { regarding: `${longName}-1` });
    await create('y', { regarding: `${longName}-2` });
    const term: FieldTerm = { field: 'regarding.name', value: `${longName}-2` };
    const type: FieldTerm = { field: 'type', value: 'Normal' };
    for (const terms of [[term], [type, term], [term, type], [{ ...term, field: 'metadata.name', value: 'y' }, term]]) {
      assertEqual(matching(await walk({ limit: 2, terms }), term), ['y'], 'matching events');
    }
  });

  test('terms: unknown fields and empty values are allowed', async ({ store, createMany }) => {
    await createMany(3);
    await store.list({ limit: 5, terms: [{ field: 'constructor', value: 'x' }] });
    const page = await store.list({ limit: 5, terms: [{ field: 'regarding.fieldPath', value: '' }] });
    assertEqual(page.records.length, 3, 'an absent field is an empty one');
  });

  test('newest first: is in falling order of revision, where the store can', async ({ store, createMany, replace }) => {
    if (!store.capabilities.newestFirst) return;
    const [a, b, c] = await createMany(3);
    assert(a !== undefined && b !== undefined && c !== undefined, 'three records');
    const changed = await replace(a, { note: 'changed' });
    await store.remove(b.key);
    const page = await store.list({ order: 'newest-first', limit: 10 });
    assertEqual(page.records, [changed, c], 'records');
  });

  test('newest first: pages show one state and follow the versions that it shows', async (fixture) => {
    const { store, createMany, create, replace, walk } = fixture;
    if (!store.capabilities.newestFirst) return;
    const records = await createMany(10);
    await create('x', { namespace: 'other' });
    const order = 'newest-first';
    const first = await store.list({ order, namespace: 'default', limit: 4 });
    await replace(records[0] as EventRecord, { note: 'changed' });
    await store.remove(keyOf('event-003'));
    await create('later');
    const rest = await store.list({ order, namespace: 'default', limit: 10, at: first.revision, after: first.next });
    assertEqual([...first.records, ...rest.records], [...records].reverse(), 'the snapshot');
    const now = await walk({ order, namespace: 'default', limit: 3 });
    const expected = ['later', ...[0, 9, 8, 7, 6, 5, 4, 2, 1].map((number) => `event-00${number}`)];
    assertEqual(namesOf(now.flatMap((page) => page.records)), expected, 'the newest state');
  });

  test('newest first: with terms leaves nothing out', async ({ store, createMany, create, walk }) => {
    if (!store.capabilities.newestFirst) return;
    await create('y', { regarding: 'pod-2' });
    await createMany(5);
    await create('x', { regarding: 'pod-2' });
    const pages = await walk({ order: 'newest-first', limit: 1, terms: [POD_2] });
    assertEqual(matching(pages, POD_2), ['x', 'y'], 'matching events');
  });
}
