import type { ListQuery } from '../store/contract/event-store.js';
import { assert, assertEqual } from './assert.js';
import { keyOf, type SuiteCase } from './fixture.js';

/** Lists by terms, and lists of the newest. */
export const searchCases: readonly SuiteCase[] = [
  {
    name: 'terms: nothing that carries the values is left out',
    async run({ createMany, create, walk }) {
      await createMany(30);
      for (const name of ['x', 'y', 'event-010-x']) await create(name, { regarding: 'pod-2' });
      const terms = [{ field: 'regarding.name', value: 'pod-2' }];
      for (const more of [{}, { namespace: 'default' }] as Partial<ListQuery>[]) {
        const pages = await walk({ ...more, limit: 2, terms });
        const wanted = pages
          .flatMap(({ records }) => records)
          .filter(({ event }) => event.fields['regarding.name'] === 'pod-2');
        assertEqual(
          wanted.map(({ key }) => key.name),
          ['event-010-x', 'x', 'y'],
          'matching events',
        );
      }
    },
  },
  {
    name: 'terms: an old revision is searched by the values it had',
    async run({ store, create, replace }) {
      const a = await create('a', { regarding: 'pod-2' });
      const b = await create('b', { regarding: 'pod-2' });
      const at = await store.revision();
      await replace(a, { regarding: 'pod-3' });
      await store.remove(b.key);
      const terms = [{ field: 'regarding.uid', value: 'uid-of-pod-2' }];
      const matches = async (query: ListQuery): Promise<readonly string[]> =>
        (await store.list(query)).records
          .filter(({ event }) => event.fields['regarding.uid'] === 'uid-of-pod-2')
          .map(({ key }) => key.name);
      assertEqual(await matches({ at, terms, limit: 10 }), ['a', 'b'], 'then');
      assertEqual(await matches({ terms, limit: 10 }), [], 'now');
    },
  },
  {
    name: 'terms: unknown fields and empty values are allowed',
    async run({ store, createMany }) {
      await createMany(3);
      await store.list({ limit: 5, terms: [{ field: 'constructor', value: 'x' }] });
      const page = await store.list({ limit: 5, terms: [{ field: 'regarding.fieldPath', value: '' }] });
      assertEqual(page.records.length, 3, 'an absent field is an empty one');
    },
  },
  {
    name: 'newest first: is in falling order of revision, where the store can',
    async run({ store, createMany, replace }) {
      if (store.capabilities.newestFirst === 'none') return;
      const [a, b, c] = await createMany(3);
      assert(a !== undefined && b !== undefined && c !== undefined, 'three records');
      const changed = await replace(a, { note: 'changed' });
      await store.remove(b.key);
      const page = await store.list({ order: 'newest-first', limit: 10 });
      assertEqual(page.records, [changed, c], 'records');
    },
  },
  {
    name: 'newest first: pages show one state and follow the versions that it shows',
    async run({ store, createMany, create, replace, walk }) {
      if (store.capabilities.newestFirst === 'none') return;
      const records = await createMany(10);
      await create('x', { namespace: 'other' });
      const order = 'newest-first';
      const first = await store.list({ order, namespace: 'default', limit: 4 });
      await replace(records[0] ?? (await create('never')), { note: 'changed' });
      await store.remove(keyOf('event-003'));
      await create('later');
      const rest = await store.list({ order, namespace: 'default', limit: 10, at: first.revision, after: first.next });
      assertEqual([...first.records, ...rest.records], [...records].reverse(), 'the snapshot');
      const now = await walk({ order, namespace: 'default', limit: 3 });
      const names = now.flatMap(({ records: page }) => page.map(({ key }) => key.name));
      const expected = [
        'later',
        'event-000',
        'event-009',
        'event-008',
        'event-007',
        'event-006',
        'event-005',
        'event-004',
      ];
      assertEqual(names, [...expected, 'event-002', 'event-001'], 'the newest state');
    },
  },
  {
    name: 'newest first: with terms leaves nothing out',
    async run({ store, createMany, create, walk }) {
      if (store.capabilities.newestFirst === 'none') return;
      await create('y', { regarding: 'pod-2' });
      await createMany(5);
      await create('x', { regarding: 'pod-2' });
      const terms = [{ field: 'regarding.name', value: 'pod-2' }];
      const pages = await walk({ order: 'newest-first', limit: 1, terms });
      const wanted = pages
        .flatMap(({ records }) => records)
        .filter(({ event }) => event.fields['regarding.name'] === 'pod-2');
      assertEqual(
        wanted.map(({ key }) => key.name),
        ['x', 'y'],
        'matching events',
      );
    },
  },
];
