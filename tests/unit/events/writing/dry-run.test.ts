import { describe, expect, test } from 'vitest';
import type { EventStore } from '../../../../src/store/contract/event-store.js';
import { eventSize } from '../../../../src/store/contract/record.js';
import { bench, event, metaOf, path } from '../bench.js';

/** A store that cannot be written to while `sealed` is true. */
function sealable(): { wrap: (store: EventStore) => EventStore; seal: () => void } {
  let sealed = false;
  const guard =
    <A extends unknown[], R>(write: (...args: A) => R) =>
    (...args: A): R => {
      if (sealed) throw new Error('a dry run wrote');
      return write(...args);
    };
  return {
    seal: () => {
      sealed = true;
    },
    wrap: (store) => ({
      ...store,
      create: guard(store.create),
      replace: guard(store.replace),
      remove: guard(store.remove),
    }),
  };
}

const MERGE = { 'content-type': 'application/merge-patch+json' };

test('a dry run gets the same response as the real request, and never writes', async () => {
  const { wrap, seal } = sealable();
  const { create, json, revision, observed } = bench({}, wrap);
  const created = await create('a');
  await create('held', {}, { finalizers: ['example.com/hold'] });
  seal();
  const before = await revision();
  const dry = '?dryRun=All';

  const fresh = await json(`POST ${path()}${dry}`, event('new'));
  expect(fresh.status).toBe(201);
  expect(metaOf(fresh.json)).toHaveProperty('uid');
  expect(metaOf(fresh.json)).not.toHaveProperty('resourceVersion');
  expect((await json(`POST ${path()}${dry}`, event(undefined, {}, { generateName: 'g-' }))).status).toBe(201);
  expect((await json(`POST ${path()}${dry}`, event('a'))).status).toBe(409);
  expect((await json(`POST ${path()}${dry}`, event('bad', { type: 'None' }))).status).toBe(422);

  const updated = await json(`PUT ${path('/a')}${dry}`, event('a', {}, { labels: { x: 'y' } }));
  expect(updated.status).toBe(200);
  expect(metaOf(updated.json)).toMatchObject({
    labels: { x: 'y' },
    uid: metaOf(created)['uid'],
    resourceVersion: metaOf(created)['resourceVersion'],
  });
  expect((await json(`PUT ${path('/absent')}${dry}`, event('absent'))).status).toBe(201);
  expect((await json(`PATCH ${path('/a')}${dry}`, { metadata: { labels: { x: 'y' } } }, MERGE)).status).toBe(200);
  expect((await json(`PATCH ${path('/absent')}${dry}`, {}, MERGE)).status).toBe(404);
  expect((await json(`DELETE ${path('/a')}${dry}`)).status).toBe(200);
  expect((await json(`DELETE ${path('/held')}${dry}`)).json['kind']).toBe('Event');
  expect(
    (await json(`DELETE ${path('/a')}`, { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] })).status,
  ).toBe(200);
  expect((await json(`DELETE ${path()}${dry}`)).status).toBe(200);

  expect(await revision()).toBe(before);
  expect((await json(`GET ${path('/a')}`)).json).toEqual(created);
  expect(observed.filter(({ type }) => type === 'error')).toEqual([]);
});

const WRONG = [
  ...['dryRun=', 'dryRun=None', 'dryRun=all', 'dryRun=All,All'],
  ...['dryRun=All&dryRun=x', 'dryRun=x&dryRun=All', 'dryRun=All&dryRun='],
];

describe.each(WRONG)('the query %s', (query) => {
  test.each([
    ['POST', path(), event('new')],
    ['PUT', path('/a'), event('a', {}, { labels: { x: 'y' } })],
    ['PUT', path('/new'), event('new')],
    ['PATCH', path('/a'), { metadata: { labels: { x: 'y' } } }],
    ['DELETE', path('/a'), undefined],
    ['DELETE', path(), undefined],
  ])('of %s %s is refused, and nothing is written', async (method, target, body) => {
    const { create, json, revision } = bench();
    await create('a');
    const before = await revision();
    const headers = method === 'PATCH' ? MERGE : undefined;
    const response = await json(`${method} ${target}?${query}`, body, headers);
    const values = query.split('&').map((each) => each.slice('dryRun='.length));
    expect([response.status, response.json['message']]).toEqual([
      422,
      expect.stringContaining(`dryRun: Unsupported value: ${JSON.stringify(values)}: supported values: "All"`),
    ]);
    expect(await revision()).toBe(before);
  });
});

test.each([[['All', 'x']], [['']], [['none']]])(
  'dryRun of %j in the options of a delete is refused, and nothing is deleted',
  async (dryRun) => {
    const { create, json, revision } = bench();
    await create('a');
    const before = await revision();
    for (const target of [path('/a'), path()]) {
      const response = await json(`DELETE ${target}`, { kind: 'DeleteOptions', apiVersion: 'v1', dryRun });
      expect(response.status).toBe(422);
    }
    expect(await revision()).toBe(before);
  },
);

test.each<[string, string, unknown, Record<string, string>?]>([
  ['a create', `POST ${path()}`, event('new')],
  ['an update', `PUT ${path('/held')}`, event('held', {}, { labels: { x: 'y' }, finalizers: ['example.com/hold'] })],
  ['a patch', `PATCH ${path('/held')}`, { metadata: { labels: { x: 'y' } } }, MERGE],
  ['a delete that waits for a finalizer', `DELETE ${path('/held')}`, undefined],
])(
  'a dry run of %s has the 413 of a store for which the event would be too large',
  async (_, target, body, headers) => {
    // The store itself takes larger ones, so that there is an event.
    const { create, json, revision } = bench({}, (store) => ({
      ...store,
      capabilities: { ...store.capabilities, maxEventBytes: 100 },
    }));
    await create('held', {}, { finalizers: ['example.com/hold'] });
    const before = await revision();
    expect((await json(`${target}?dryRun=All`, body, headers)).status).toBe(413);
    expect(await revision()).toBe(before);
  },
);

test('a dry run of an event takes as many bytes as the store, and none more', async () => {
  const real = bench();
  await real.create('a');
  const record = await real.store.get({ namespace: 'default', name: 'a' });
  if (record === undefined) throw new Error('nothing there');
  const size = eventSize(record.event);
  for (const [maxEventBytes, status] of [
    [size, 201],
    [size - 1, 413],
  ] as const) {
    const { json } = bench({}, (store) => ({ ...store, capabilities: { ...store.capabilities, maxEventBytes } }));
    expect((await json(`POST ${path()}?dryRun=All`, event('b'))).status).toBe(status);
  }
});

test('a repeated dryRun=All is a dry run', async () => {
  const { json, revision } = bench();
  const before = await revision();
  expect((await json(`POST ${path()}?dryRun=All&dryRun=All`, event('a'))).status).toBe(201);
  expect(await revision()).toBe(before);
});
