import type { EventStore, Revision } from '../contract/event-store.js';

/**
 * The state of a watch cache.
 * - `filling`: it reads the list of the store, or the changes since; reads go to the store
 * - `ready`: it serves reads
 * - `stale`: the store is unavailable and `whenAway` is `serve-stale`; reads show the last known state
 * - `full`: the events do not fit into `maxBytes`; reads go to the store, and the cache is filled again after a pause
 * - `closed`: the store was closed
 */
export type CacheState = 'filling' | 'ready' | 'stale' | 'full' | 'closed';

/** See {@link CachedStore.status}. */
export interface CacheStatus {
  /** The state of the cache. */
  readonly state: CacheState;
  /** The revision up to which the cache has every change; absent while it is empty. */
  readonly revision?: Revision | undefined;
  /**
   * The oldest revision that lists and feeds can be served from; older ones are read from the store. Absent when
   * `revision` is.
   */
  readonly floor?: Revision | undefined;
  /** How many events it holds. */
  readonly events: number;
  /** The memory it uses in bytes: events, history, indexes and cached lists. */
  readonly bytes: number;
  /** How long it has been behind a revision that is known to exist, in milliseconds; 0 if it is not behind. */
  readonly lagMs: number;
}

/** An {@link EventStore} with a watch cache in front of it. */
export interface CachedStore extends EventStore {
  /** Returns the state and the size of the cache, without a call to the store. */
  readonly status: () => CacheStatus;
}
