import type { EventStore, Revision } from '../contract/event-store.js';

/**
 * What a watch cache is doing.
 * - `filling`: it reads the list of the store, or what has changed since; reads go through to the store
 * - `ready`: it serves reads
 * - `stale`: the store is away and `whenAway` is `serve-stale`; reads show what was last seen
 * - `full`: the events do not fit into `maxBytes`; reads go through, and it is filled again after a pause
 * - `closed`: the store was closed
 */
export type CacheState = 'filling' | 'ready' | 'stale' | 'full' | 'closed';

/** See {@link CachedStore.status}. */
export interface CacheStatus {
  /** What the cache is doing. */
  readonly state: CacheState;
  /** The revision up to which it has every change; absent while it has none. */
  readonly revision?: Revision | undefined;
  /** The oldest revision it can list at and resume from; what is older is read from the store. Absent with `revision`. */
  readonly floor?: Revision | undefined;
  /** How many events it holds. */
  readonly events: number;
  /** What it takes in memory, in bytes: events, history, indexes and lists kept ready. */
  readonly bytes: number;
  /** For how long it has been behind a revision that is known to exist, in milliseconds; 0 where it is not. */
  readonly lagMs: number;
}

/** An {@link EventStore} with a watch cache in front of it. */
export interface CachedStore extends EventStore {
  /** What the cache is doing and how much it holds. Asks nothing. */
  readonly status: () => CacheStatus;
}
