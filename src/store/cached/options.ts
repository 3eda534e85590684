import type { Clock } from '../../clock/clock.js';
import type { Observe } from '../../observe/observation.js';
import { checkOptions, throwFaults, type OptionRules } from '../../options/check-options.js';
import { aClock, aFunction, aNumber, aWholeNumber, oneOf, required } from '../../options/rules.js';
import type { EventStore } from '../contract/event-store.js';
import { anEventStore } from '../contract/store-rule.js';

/** Options of `cachedStore`. */
export interface CachedStoreOptions {
  /**
   * The limit for the memory of the cache in bytes: events, history, indexes and cached lists; at least 1,048,576.
   * History is dropped first. If the events alone need more, the cache is emptied, reads go to the store, and the cache
   * is filled again after a pause of one minute, which grows to one hour. Default: as for `memoryStore`, half of V8's
   * heap limit and at most a quarter of the memory of the container; 268,435,456 (256 MiB) where neither is known.
   */
  readonly maxBytes?: number | undefined;
  /**
   * How long the cache stores history, in milliseconds; older history is read from the store, if it is there. Default:
   * 600,000 (10 minutes).
   */
  readonly historyMs?: number | undefined;
  /** The limit for the history in the cache in bytes. Default: 268,435,456 (256 MiB). */
  readonly historyMaxBytes?: number | undefined;
  /**
   * The size of the cache of encoded lists in bytes. 0: no cache. Default: 33,554,432 (32 MiB), or a sixteenth of
   * `maxBytes` if that is less.
   */
  readonly listCacheMaxBytes?: number | undefined;
  /**
   * How long a read waits until the cache has every write that was acknowledged before it began, in milliseconds; after
   * that it reads the store. Default: 3,000, as in kube-apiserver.
   */
  readonly freshnessTimeoutMs?: number | undefined;
  /**
   * What a read does when the store is unavailable. `fail`: it fails, as without the cache. `serve-stale`: it shows the
   * state of the cache, which may be older than the latest acknowledged write; `observe` and `status()` report this.
   * Writes fail in either case. Default: `fail`.
   */
  readonly whenAway?: 'fail' | 'serve-stale' | undefined;
  /**
   * Receives changes of the cache's state, and failures of its list and feed. Default: failures are process warnings.
   */
  readonly observe?: Observe | undefined;
  /** The source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const rules = (): OptionRules<CachedStoreOptions> => ({
  maxBytes: aWholeNumber(1_048_576),
  historyMs: aWholeNumber(0),
  historyMaxBytes: aWholeNumber(0),
  listCacheMaxBytes: aWholeNumber(0),
  freshnessTimeoutMs: aNumber(1, 60_000),
  whenAway: oneOf('fail', 'serve-stale'),
  observe: aFunction,
  clock: aClock,
});

/** @throws TypeError that lists every fault. */
export function checkCachedStoreOptions(store: EventStore, options: CachedStoreOptions): void {
  throwFaults('cachedStore', required(anEventStore)(store, 'store'));
  checkOptions('cachedStore', options, rules());
}
