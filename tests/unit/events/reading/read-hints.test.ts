import { describe, expect, test } from 'vitest';
import { LATER } from '../../../../src/store/contract/read-hints.js';
import type { EventStore, StoreCall } from '../../../../src/store/contract/event-store.js';
import { bench, openedWatch, path, verbBench } from '../bench.js';

type Hints = readonly [operation: string, mayBeStale: boolean, notOlderThan: number | undefined];

/** A store that records with which hints it is read. */
function recording(): { hints: Hints[]; wrap: (store: EventStore) => EventStore } {
  const hints: Hints[] = [];
  const record = (operation: string, call: StoreCall | undefined): void =>
    void hints.push([operation, call?.mayBeStale ?? false, call?.notOlderThan]);
  const wrap = (store: EventStore): EventStore => ({
    ...store,
    get: (key, call) => (record('get', call), store.get(key, call)),
    list: (query) => (record('list', query), store.list(query)),
    revision: (call) => (record('revision', call), store.revision(call)),
  });
  return { hints, wrap };
}

const LATEST = [false, undefined] as const;
const ANY = [true, undefined] as const;

describe('the hints of a read', () => {
  test.each([
    ['', LATEST],
    ['?resourceVersion=', LATEST],
    ['?resourceVersion=0', ANY],
    ['?resourceVersion=1', [false, 1]],
  ] as const)('are passed to the store by a get: %s', async (query, expected) => {
    const { hints, wrap } = recording();
    const { create, ask } = bench({}, wrap);
    await create('a');
    hints.length = 0;
    expect((await ask(`GET ${path('/a')}${query}`)).status).toBe(200);
    expect(hints).toEqual([['get', ...expected]]);
  });

  test.each([
    ['', LATEST],
    ['?limit=1', LATEST],
    ['?resourceVersion=0', ANY],
    ['?resourceVersion=0&limit=1', ANY],
    ['?resourceVersion=0&resourceVersionMatch=NotOlderThan', ANY],
    ['?resourceVersion=1', [false, 1]],
    ['?resourceVersion=1&resourceVersionMatch=NotOlderThan&limit=1', [false, 1]],
  ] as const)('are passed to the store by a list: %s', async (query, expected) => {
    const { hints, wrap } = recording();
    const { create, ask } = bench({}, wrap);
    await create('a');
    hints.length = 0;
    expect((await ask(`GET ${path()}${query}`)).status).toBe(200);
    expect(hints).toEqual([['list', ...expected]]);
  });

  test.each(['&limit=1', '&resourceVersionMatch=Exact'])(
    'are empty where the list is at an exact revision: %s',
    async (more) => {
      const { hints, wrap } = recording();
      const { create, ask, revision } = bench({}, wrap);
      await create('a');
      const latest = await revision();
      hints.length = 0;
      expect((await ask(`GET ${path()}?resourceVersion=${latest}${more}`)).status).toBe(200);
      expect(hints).toEqual([['list', ...LATEST]]);
    },
  );

  test('require the latest state for a page without a revision of its own, whatever resourceVersion is', async () => {
    const { hints, wrap } = recording();
    const { create, ask } = bench({}, wrap);
    await create('a');
    hints.length = 0;
    const token = Buffer.from('{"v":"meta.k8s.io/v1","rv":-1,"start":"0\\u0000"}').toString('base64url');
    expect((await ask(`GET ${path()}?resourceVersion=0&continue=${token}`)).status).toBe(200);
    expect(hints).toEqual([['list', ...LATEST]]);
  });

  test.each([
    ['', [['list', ...LATEST]]],
    ['&resourceVersion=0', [['list', ...ANY]]],
    ['&sendInitialEvents=true&resourceVersionMatch=NotOlderThan', [['list', ...LATEST]]],
    ['&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=0', [['list', ...ANY]]],
    ['&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=1', [['list', false, 1]]],
    ['&sendInitialEvents=false&resourceVersionMatch=NotOlderThan', [['revision', ...LATEST]]],
    ['&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0', [['revision', ...ANY]]],
  ] as const)('are passed to the store by the beginning of a watch: %s', async (query, expected) => {
    const { hints, wrap } = recording();
    const bench = verbBench(wrap);
    const client = new AbortController();
    const watch = openedWatch(bench, `&allowWatchBookmarks=true${query}`, { signal: client.signal });
    const first = watch.next();
    await expect.poll(() => hints.length).toBeGreaterThan(0);
    expect(hints.slice(0, 1)).toEqual(expected);
    client.abort();
    await first;
  });

  test('are passed again where the store is called for its revision', async () => {
    const { hints, wrap } = recording();
    const { create, ask, revision } = bench({}, wrap);
    await create('a');
    const ahead = Number(await revision()) + 1;
    hints.length = 0;
    expect((await ask(`GET ${path('/a')}?resourceVersion=${ahead}`)).status).toBe(504);
    expect(hints).toEqual([
      ['get', false, ahead],
      ['revision', false, ahead],
    ]);
  });

  test('always require the latest state for a write', async () => {
    const { hints, wrap } = recording();
    const { create, ask } = bench({}, wrap);
    await create('a');
    hints.length = 0;
    const type = { 'content-type': 'application/merge-patch+json' };
    const response = await ask(`PATCH ${path('/a')}?resourceVersion=0`, {
      body: '{"metadata":{"labels":{"a":"b"}}}',
      headers: type,
    });
    expect(response.status).toBe(200);
    expect(hints).toEqual([['get', ...LATEST]]);
  });
});

describe('a store with a synchronous get', () => {
  test.each([true, false])(
    'is called for a promise only where it returns LATER, by reads and by writes (LATER: %s)',
    async (later) => {
      const asked: string[] = [];
      const { create, ask } = bench({}, (store) => ({
        ...store,
        get: Object.assign((...call: Parameters<EventStore['get']>) => (asked.push('promise'), store.get(...call)), {
          sync: (...call: Parameters<EventStore['get']>) => {
            asked.push('sync');
            return later ? LATER : store.get.sync?.(...call);
          },
        }),
      }));
      await create('a');
      const each = later ? ['sync', 'promise'] : ['sync'];
      expect((await ask(`GET ${path('/a')}`)).status).toBe(200);
      expect((await ask(`GET ${path('/none')}`)).status).toBe(404);
      const type = { 'content-type': 'application/merge-patch+json' };
      const response = await ask(`PATCH ${path('/a')}`, { body: '{"metadata":{"labels":{"a":"b"}}}', headers: type });
      expect(response.status).toBe(200);
      expect(asked).toEqual([...each, ...each, ...each]);
    },
  );
});
