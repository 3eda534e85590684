import { describe, test } from 'vitest';
import { cachedStore } from '../../../../src/store/cached/cached-store.js';
import type { EventStore } from '../../../../src/store/contract/event-store.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import { eventStoreSuite } from '../../../../src/testing/event-store-suite.js';
import type { StoreContext } from '../../../../src/testing/fixture.js';
import { createBench } from '../sqlite/sync-store-bench.js';
import { inThreadStore } from '../sqlite/in-thread.js';
import { asShared, filled } from './caches.js';

describe('a cached store over a store of this process', () => {
  eventStoreSuite({
    test,
    createStore: ({ clock, historyMs }) => filled(memoryStore({ clock, historyMs }), { clock, historyMs }),
  });
});

describe('a cached store over a shared store', () => {
  const stores = new Map<string, EventStore>();
  const open = ({ id, clock, historyMs }: StoreContext): EventStore => {
    const store = stores.get(id) ?? asShared(memoryStore({ clock, historyMs }));
    stores.set(id, store);
    return store;
  };
  const createStore = (context: StoreContext): Promise<EventStore> =>
    filled(open(context), { clock: context.clock, historyMs: context.historyMs });
  eventStoreSuite({ test, createStore, secondInstance: createStore });
});

describe('a cached store while it is being filled', () => {
  eventStoreSuite({
    test,
    createStore: ({ clock, historyMs }) =>
      cachedStore(memoryStore({ clock, historyMs }), { clock, historyMs, observe: () => undefined }),
  });
});

describe('a cached store with less history than the store', () => {
  eventStoreSuite({
    test,
    createStore: ({ clock, historyMs }) => filled(memoryStore({ clock, historyMs }), { clock, historyMs: 0 }),
  });
});

describe('a cached store over SQLite', async () => {
  const { driver, newPath } = await createBench();
  const paths = new Map<string, string>();
  const createStore = ({ id, clock, historyMs }: StoreContext): Promise<EventStore> => {
    const path = paths.get(id) ?? newPath();
    paths.set(id, path);
    return filled(inThreadStore(driver, { path, clock, historyMs }), { clock, historyMs });
  };
  eventStoreSuite({ test, createStore, reopen: createStore });
});
