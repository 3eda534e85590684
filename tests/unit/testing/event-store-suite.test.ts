import { describe, expect, test } from 'vitest';
import { nextTurn } from '../../../src/clock/clock.js';
import type { Change, EventKey, EventStore, ExpireOptions, Revision } from '../../../src/store/contract/event-store.js';
import type { EventRecord } from '../../../src/store/contract/record.js';
import { storeError, type StoreError } from '../../../src/store/contract/errors.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';
import { eventStoreSuite } from '../../../src/testing/event-store-suite.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';
import type { EventStoreSuiteOptions, StoreContext } from '../../../src/testing/fixture.js';

const START = fakeClock().now();

/** Runs the suite with a runner of three lines and returns the names of the tests that fail. */
async function failures(
  spoil: (store: EventStore) => EventStore,
  more: Partial<EventStoreSuiteOptions> = {},
  only = /./,
): Promise<string[]> {
  const tests: [string, () => Promise<void>][] = [];
  eventStoreSuite({
    test: (name, run) => tests.push([name, run]),
    createStore: ({ clock, historyMs }) => spoil(memoryStore({ clock, historyMs })),
    waitMs: 100,
    ...more,
  });
  const failed: string[] = [];
  for (const [name, run] of tests) if (only.test(name)) await run().catch(() => failed.push(name));
  return failed;
}

const mapFeed = (store: EventStore, map: (changes: readonly Change[]) => readonly Change[]): EventStore => ({
  ...store,
  changes: (call) => ({
    [Symbol.asyncIterator]() {
      const feed = store.changes(call)[Symbol.asyncIterator]();
      return {
        async next() {
          const result = await feed.next();
          return result.done === true ? result : { done: false, value: map(result.value) };
        },
        return: async () => (await feed.return?.()) ?? { done: true, value: undefined },
      };
    },
  }),
});

/** Stores that break one rule each. */
const spoilt: readonly (readonly [rule: string, spoil: (store: EventStore) => EventStore, caught: RegExp])[] = [
  [
    'reads at an old revision show the present',
    (s) => ({ ...s, list: ({ at: _, ...q }) => s.list(q) }),
    /^old revisions/,
  ],
  [
    'pages leave nothing to go on with',
    (s) => ({ ...s, list: async (q) => ({ ...(await s.list(q)), next: undefined }) }),
    /^pages/,
  ],
  [
    'order is that of the language',
    (s) => ({
      ...s,
      list: async (q) => {
        const page = await s.list(q);
        const records = [...page.records].sort((a, b) => (a.key.namespace < b.key.namespace ? -1 : 1));
        return { ...page, records };
      },
    }),
    /byte order/,
  ],
  ['remaining is wrong', (s) => ({ ...s, list: async (q) => ({ ...(await s.list(q)), remaining: 1 }) }), /^remaining/],
  [
    'replace ignores the expected revision',
    (s) => ({
      ...s,
      replace: async (key, event, o) => s.replace(key, event, { ...o, expected: (await s.get(key))?.revision ?? 0 }),
    }),
    /^replace/,
  ],
  [
    'remove answers the record before',
    (s) => ({
      ...s,
      remove: async (key, o) => {
        const before = await s.get(key);
        const removed = await s.remove(key, o);
        return before ?? removed;
      },
    }),
    /^remove/,
  ],
  [
    'the feed has no previous state',
    (s) => mapFeed(s, (changes) => changes.map(({ previous: _, ...change }) => change)),
    /^feed: delivers every/,
  ],
  ['the feed merges changes', (s) => mapFeed(s, (changes) => changes.slice(-1)), /^feed: is complete/],
  [
    'expiry ignores the limit',
    (s) => ({ ...s, expire: (o) => s.expire({ ...o, limit: 1_000_000 }) }),
    /^expiry: never/,
  ],
  ['expiry is a moment late', (s) => ({ ...s, expire: (o) => s.expire({ ...o, now: o.now - 1 }) }), /^expiry/],
  ['aborted signals are ignored', (s) => ({ ...s, get: (key) => s.get(key) }), /get with an aborted signal/],
  ['ping always says yes', (s) => ({ ...s, ping: () => Promise.resolve() }), /ping on a closed store/],
  [
    'an unknown key has what objects inherit',
    (s) => ({
      ...s,
      get: async (key, call) => (key.name in {} ? ({} as never) : s.get(key, call)),
    }),
    /^get/,
  ],
  [
    'errors are not store errors',
    (s) => ({
      ...s,
      create: (...args) => s.create(...args).catch((error: Error) => Promise.reject(new Error(error.message))),
    }),
    /^create/,
  ],
  [
    'methods need their object',
    (s) => ({
      ...s,
      revision(this: EventStore | undefined, call) {
        return this === undefined ? Promise.reject(new TypeError('detached')) : s.revision(call);
      },
    }),
    /revision can be called detached/,
  ],
  [
    'large events are cut',
    (s) => ({
      ...s,
      create: (key, event, o) => s.create(key, { ...event, bytes: event.bytes.subarray(0, 100_000) }, o),
    }),
    /^sizes/,
  ],
  [
    'history is never forgotten for feeds',
    (s) => ({
      ...s,
      changes: (call) => s.changes({ ...call, after: Math.max(call.after, 1_704_067_200_000_001) }),
    }),
    /^history/,
  ],
  [
    'a full page of a namespace always has a next',
    (s) => ({
      ...s,
      list: async (q) => {
        const page = await s.list(q);
        const last = page.records.at(-1);
        const isFull = q.namespace !== undefined && page.records.length === q.limit && last !== undefined;
        return isFull ? { ...page, next: { ...last.key, revision: last.revision } } : page;
      },
    }),
    /^pages: one that is exactly full/,
  ],
  [
    'the newest events are not counted',
    (s) => ({
      ...s,
      list: async (q) => ({ ...(await s.list(q)), ...(q.order === 'newest-first' && { remaining: undefined }) }),
    }),
    /^remaining/,
  ],
  [
    'names are cut',
    (s) => {
      const cut = (key: EventKey): EventKey => ({ ...key, name: key.name.slice(0, 200) });
      return { ...s, get: (key, o) => s.get(cut(key), o), create: (key, event, o) => s.create(cut(key), event, o) };
    },
    /^create: keys of the greatest length/,
  ],
  [
    'several terms find nothing',
    (s) => ({ ...s, list: (q) => s.list((q.terms?.length ?? 0) > 1 ? { ...q, namespace: 'none' } : q) }),
    /^terms: several/,
  ],
  [
    'events live for a week at most',
    (s) => ({
      ...s,
      create: (key, event, o) =>
        s.create(key, event, { ...o, expiresAt: Math.min(o.expiresAt, START + 604_800_000_000) }),
    }),
    /^expiry: may be years away/,
  ],
  [
    'a feed that was overtaken goes on behind the gap',
    (s) => ({
      ...s,
      changes: (call) => ({
        async *[Symbol.asyncIterator]() {
          try {
            yield* s.changes(call);
          } catch (error) {
            yield* s.changes({ ...call, after: (error as StoreError).current ?? 0 });
          }
        },
      }),
    }),
    /^history: a feed that is read late/,
  ],
  [
    'a write that close() interrupts fails with any error',
    (s) => {
      let closed = false;
      const create: EventStore['create'] = async (...args) => {
        const record = await s.create(...args);
        await nextTurn();
        if (closed) throw new Error('the database is closed');
        return record;
      };
      return { ...s, create, close: async () => void (closed = true) };
    },
    /^close: with writes in progress/,
  ],
];

/** A store that deletes what was written too long ago, although it was replaced only now. */
function compactedByAge({ clock, historyMs }: StoreContext): EventStore {
  const store = memoryStore({ clock, historyMs });
  const writtenAt = new Map<Revision, number>();
  const create: EventStore['create'] = async (...args) => {
    const record = await store.create(...args);
    writtenAt.set(record.revision, clock.now());
    return record;
  };
  const isOld = (record: EventRecord | undefined): boolean =>
    clock.now() - (writtenAt.get(record?.revision ?? 0) ?? clock.now()) > historyMs * 1000;
  return mapFeed({ ...store, create }, (changes) =>
    changes.map(({ previous, ...change }) => (isOld(previous) ? change : { ...change, previous })),
  );
}

/** A store with a clock of its own, the test's. `expire` goes beyond it if `early`. */
const withClock =
  (early: boolean) =>
  ({ clock, historyMs }: StoreContext): EventStore => {
    const store = memoryStore({ clock, historyMs });
    const expire = (call: ExpireOptions): Promise<number> =>
      store.expire(early ? call : { ...call, now: Math.min(call.now, clock.now()) });
    return {
      ...store,
      now: (call) => store.ping(call).then(() => clock.now()),
      expire,
    };
  };

/** Fails with `closed` by itself, because the data is closed by nobody. */
function view(inner: EventStore): EventStore {
  let closed = false;
  const gate =
    <A extends unknown[], R>(method: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      closed ? Promise.reject(storeError('closed', 'closed')) : method(...args);
  return {
    ...inner,
    capabilities: { ...inner.capabilities, durable: true, shared: true },
    get: gate(inner.get),
    list: gate(inner.list),
    create: gate(inner.create),
    replace: gate(inner.replace),
    remove: gate(inner.remove),
    expire: gate(inner.expire),
    close: async () => void (closed = true),
  };
}

/** Returns the tests of shared and durable stores that fail when the second or the reopened store is spoilt. */
async function sharedFailures(spoil: (store: EventStore) => EventStore): Promise<readonly string[]> {
  const data = new WeakMap<object, EventStore>();
  const open = (context: object): EventStore => view(data.get(context) as EventStore);
  const other = (context: object): EventStore => spoil(open(context));
  const createStore = (context: StoreContext): EventStore => {
    data.set(context, memoryStore({ clock: context.clock, historyMs: context.historyMs }));
    return open(context);
  };
  return failures((store) => store, { createStore, reopen: other, secondInstance: other }, /^(durable|shared)/);
}

const spoiltSecond: readonly (readonly [rule: string, spoil: (store: EventStore) => EventStore, caught: RegExp])[] = [
  [
    'events that were read once never change',
    (s) => {
      const seen = new Map<string, EventRecord | undefined>();
      const get: EventStore['get'] = async ({ name, namespace }, call) => {
        if (!seen.has(name)) seen.set(name, await s.get({ name, namespace }, call));
        return seen.get(name);
      };
      return { ...s, get };
    },
    /^shared: a write/,
  ],
  [
    'a create wins over one of the other store',
    (s) => {
      const create: EventStore['create'] = (key, event, o) =>
        s.create(key, event, o).catch(async () => {
          await s.remove(key);
          return s.create(key, event, o);
        });
      return { ...s, create };
    },
    /^shared: of many writes/,
  ],
  [
    'what the other store has forgotten is empty',
    (s) => ({ ...s, list: (q) => s.list(q).catch(() => ({ records: [], revision: q.at ?? 0 })) }),
    /^shared: revisions and positions/,
  ],
  [
    'reads at an old revision show the present',
    (s) => ({ ...s, list: ({ at: _, ...q }) => s.list(q) }),
    /^durable: the history/,
  ],
];

describe('eventStoreSuite', () => {
  test('passes for a correct store', async () => {
    expect(await failures((store) => store)).toEqual([]);
  });

  test('passes for a store whose own clock is that of the test, unless it expires events early', async () => {
    expect(await failures((store) => store, { createStore: withClock(false) })).toEqual([]);
    expect(await failures((store) => store, { createStore: withClock(true) }, /^now/)).toHaveLength(1);
  });

  test.each(spoilt)('fails for a store where %s', async (_, spoil, caught) => {
    expect(await failures(spoil, {}, caught)).not.toEqual([]);
  });

  test('fails for a store whose history loses what was written long ago and replaced just now', async () => {
    const failed = await failures((store) => store, { createStore: compactedByAge }, /^history: an old version/);
    expect(failed).toHaveLength(1);
  });

  test('tests a declared capability, with a hint at what the suite needs', async () => {
    const claims = (store: EventStore): EventStore => ({
      ...store,
      capabilities: { ...store.capabilities, durable: true, shared: true },
    });
    const failed = await failures(claims);
    expect(failed.filter((name) => name.startsWith('durable'))).toHaveLength(5);
    expect(failed.filter((name) => name.startsWith('shared'))).toHaveLength(6);
  });

  test('tests a shared, durable store as such', async () => {
    expect(await sharedFailures((store) => store)).toEqual([]);
  });

  test.each(spoiltSecond)('fails for a second or reopened store where %s', async (_, spoil, caught) => {
    const failed = await sharedFailures(spoil);
    expect(failed.filter((name) => caught.test(name))).not.toEqual([]);
  });

  test('has different test names', () => {
    const names: string[] = [];
    eventStoreSuite({ test: (name) => names.push(name), createStore: () => memoryStore() });
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(60);
  });
});
