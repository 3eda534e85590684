import { describe, test } from 'vitest';
import { cachedStore } from '../../../../src/store/cached/cached-store.js';
import type { EventStore } from '../../../../src/store/contract/event-store.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import { eventStoreSuite } from '../../../../src/testing/event-store-suite.js';
import type { StoreContext } from '../../../../src/testing/fixture.js';
import { createBench } from '../sqlite/sync-store-bench.js';
import { inThreadStore } from '../sqlite/in-thread.js';
import { asShared, filled, turns } from './caches.js';

describe('a cached store over a store of this process', () => {
  eventStoreSuite({
    test,
    createStore: ({ clock, historyMs }) => filled(memoryStore({ clock, historyMs }), { clock, historyMs }),
  });
});

/** Removes slowly, so that caches have what was written before. */
function withSlowRemovals(store: EventStore): EventStore {
  const remove: EventStore['remove'] = async (key, options) => {
    await turns(20);
    return store.remove(key, options);
  };
  return { ...store, remove };
}

/** Delivers removals late. A cache dates changes by their arrival, so it keeps history that the store has dropped. */
function withLateRemovals(store: EventStore): EventStore {
  const changes: EventStore['changes'] = async function* (call) {
    for await (const batch of store.changes(call)) {
      for (const change of batch) {
        if (change.type !== 'put') await turns(300);
        yield [change];
      }
    }
  };
  return { ...store, changes };
}

describe.each([
  ['', (store: EventStore) => store],
  [' whose second cache is behind', withLateRemovals],
])('a cached store over a shared store%s', (_, delay) => {
  const stores = new Map<string, EventStore>();
  const open = ({ id, clock, historyMs }: StoreContext): EventStore => {
    const store = stores.get(id) ?? withSlowRemovals(asShared(memoryStore({ clock, historyMs })));
    stores.set(id, store);
    return store;
  };
  const cached = (store: EventStore, { clock, historyMs }: StoreContext): Promise<EventStore> =>
    filled(store, { clock, historyMs });
  eventStoreSuite({
    test,
    createStore: (context) => cached(open(context), context),
    secondInstance: (context) => cached(delay(open(context)), context),
  });
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
