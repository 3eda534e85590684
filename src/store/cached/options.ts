import type { Clock } from '../../clock/clock.js';
import type { Observe } from '../../observe/observation.js';
import { checkOptions, throwFaults, type OptionRules } from '../../options/check-options.js';
import { aClock, aFunction, aNumber, aWholeNumber, oneOf, required } from '../../options/rules.js';
import type { EventStore } from '../contract/event-store.js';
import { anEventStore } from '../contract/store-rule.js';

/** For `cachedStore`. */
export interface CachedStoreOptions {
  /**
   * What the cache may hold in all, in bytes: events, history, indexes and lists kept ready; at least 1,048,576. History
   * gives way first. Where the events alone are more, the cache is emptied, reads go through to the store, and it is
   * filled again after a pause of one minute, which grows to an hour. Default: as that of `memoryStore`, half of V8's heap
   * limit, or 268,435,456 (256 MiB) where that is not known.
   */
  readonly maxBytes?: number | undefined;
  /**
   * How long the cache keeps history, in milliseconds; what is older is read from the store, if that has it. Default:
   * 600,000 (10 minutes).
   */
  readonly historyMs?: number | undefined;
  /** What the history in the cache may cost, in bytes. Default: 268,435,456 (256 MiB). */
  readonly historyMaxBytes?: number | undefined;
  /**
   * How many bytes of lists are kept ready to be sent. 0: none. Default: 33,554,432 (32 MiB), or a sixteenth of `maxBytes`
   * if that is less.
   */
  readonly listCacheMaxBytes?: number | undefined;
  /**
   * How long a read waits until the cache has every write that was acknowledged before it began, in milliseconds; then it
   * goes through to the store. Default: 3,000, as in kube-apiserver.
   */
  readonly freshnessTimeoutMs?: number | undefined;
  /**
   * What a read does when the store is away. `fail`: what it would do without the cache. `serve-stale`: it shows what the
   * cache has, which may be older than the latest acknowledged write; `observe` and `status()` tell of it. Writes fail in
   * either case. Default: `fail`.
   */
  readonly whenAway?: 'fail' | 'serve-stale' | undefined;
  /** Receives changes of the cache's state, and failures of its list and feed. */
  readonly observe?: Observe | undefined;
  /** Default: the system clock. */
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
