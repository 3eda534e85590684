import { cachedStore } from '../../../../src/store/cached/cached-store.js';
import type { CachedStoreOptions } from '../../../../src/store/cached/options.js';
import type { CachedStore, CacheState } from '../../../../src/store/cached/status.js';
import { nextTurn } from '../../../../src/clock/clock.js';
import type { EventStore } from '../../../../src/store/contract/event-store.js';

/** The same store, as one of several replicas on its data; its `close` leaves the others alone. */
export function asShared(store: EventStore): EventStore {
  return { ...store, capabilities: { ...store.capabilities, shared: true }, close: async () => undefined };
}

/** Waits until the cache is in a state. */
export async function until(store: CachedStore, state: CacheState): Promise<CachedStore> {
  for (let turn = 0; store.status().state !== state; turn++) {
    if (turn > 5000) throw new Error(`the cache is ${store.status().state}, not ${state}`);
    await nextTurn();
  }
  return store;
}

/** A cache that is filled. */
export function filled(store: EventStore, options: CachedStoreOptions = {}): Promise<CachedStore> {
  return until(cachedStore(store, { observe: () => undefined, ...options }), 'ready');
}
