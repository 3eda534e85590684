import { describe, expect, test } from 'vitest';
import type { Change, EventStore, ExpireOptions } from '../../../src/store/contract/event-store.js';
import { storeError } from '../../../src/store/contract/errors.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';
import { eventStoreSuite } from '../../../src/testing/event-store-suite.js';
import type { EventStoreSuiteOptions, StoreContext } from '../../../src/testing/fixture.js';

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
];

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

  test('tests a declared capability, with a hint at what the suite needs', async () => {
    const claims = (store: EventStore): EventStore => ({
      ...store,
      capabilities: { ...store.capabilities, durable: true, shared: true },
    });
    const failed = await failures(claims);
    expect(failed.filter((name) => name.startsWith('durable'))).toHaveLength(4);
    expect(failed.filter((name) => name.startsWith('shared'))).toHaveLength(4);
  });

  test('tests a shared, durable store as such', async () => {
    const data = new WeakMap<object, EventStore>();
    const view = (inner: EventStore): EventStore => {
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
    };
    const open = (context: object): EventStore => view(data.get(context) as EventStore);
    const failed = await failures((store) => store, {
      createStore: (context) => {
        data.set(context, memoryStore({ clock: context.clock, historyMs: context.historyMs }));
        return open(context);
      },
      reopen: open,
      secondInstance: open,
    });
    expect(failed.filter((name) => /^(durable|shared)/.test(name))).toEqual([]);
  });

  test('has different test names', () => {
    const names: string[] = [];
    eventStoreSuite({ test: (name) => names.push(name), createStore: () => memoryStore() });
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(60);
  });
});
