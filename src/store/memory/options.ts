import type { Clock } from '../../clock/clock.js';
import { checkOptions, type OptionRules } from '../../options/check-options.js';
import { aClock, aNonEmptyString, aWholeNumber, oneOf } from '../../options/rules.js';
import type { Revision } from '../contract/event-store.js';

/** For `memoryStore`. */
export interface MemoryStoreOptions {
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** How long history is kept, in milliseconds. Default: 600,000 (10 minutes). */
  readonly historyMs?: number | undefined;
  /** What history may cost in bytes, before younger history is forgotten as well. Default: 268,435,456 (256 MiB). */
  readonly historyMaxBytes?: number | undefined;
  /**
   * How many bytes of lists are kept ready to be sent, for lists that are read again before their events change. 0: none.
   * Default: 33,554,432 (32 MiB), or a sixteenth of `maxBytes` if that is less.
   */
  readonly listCacheMaxBytes?: number | undefined;
  /**
   * The largest event, in bytes; a larger one is `too-large`. At most a quarter of `maxBytes`. Default: 1,572,864 (1.5 MiB,
   * what etcd takes below a Kubernetes API server), or that quarter if it is less.
   */
  readonly maxEventBytes?: number | undefined;
  /**
   * What the store may hold in all, in bytes: events, history, indexes and lists kept ready; at least 1,048,576. Event bytes
   * are counted exactly, objects in V8's heap by measured sizes; garbage that V8 has not collected comes on top. Default:
   * half of V8's heap limit (`--max-old-space-size`; without that V8 derives it from the memory of the machine or container),
   * or 268,435,456 (256 MiB) where that is not known.
   */
  readonly maxBytes?: number | undefined;
  /** The most events at a time. Default: as many as fit into `maxBytes`. */
  readonly maxEvents?: number | undefined;
  /**
   * What happens to a new event when `maxBytes` or `maxEvents` is reached and history has given way. `refuse`: the write fails
   * with `full`, 507 for clients; updates that make an event no larger, deletions and expiry go on. `evict-oldest`: the events
   * that were written longest ago expire at once. Default: `refuse`.
   */
  readonly whenFull?: 'refuse' | 'evict-oldest' | undefined;
  /** Revisions start above this one even if the clock stands lower. Default: 0. */
  readonly startAbove?: Revision | undefined;
  /**
   * Revisions begin right above this one, whatever the clock says. Only for those who remember where an earlier store
   * ended: a revision that is used twice makes watchers miss events. Default: the clock decides.
   */
  readonly startAt?: Revision | undefined;
  /** Also the name of the store's health check. Default: `memory`. */
  readonly name?: string | undefined;
}

const rules = (): OptionRules<MemoryStoreOptions> => ({
  clock: aClock,
  historyMs: aWholeNumber(0),
  historyMaxBytes: aWholeNumber(0),
  listCacheMaxBytes: aWholeNumber(0),
  maxEventBytes: aWholeNumber(1),
  maxBytes: aWholeNumber(1_048_576),
  maxEvents: aWholeNumber(1),
  whenFull: oneOf('refuse', 'evict-oldest'),
  startAbove: aWholeNumber(0),
  startAt: aWholeNumber(0),
  name: aNonEmptyString,
});

/** @throws TypeError that lists every fault. */
export function checkMemoryStoreOptions(options: MemoryStoreOptions): void {
  checkOptions('memoryStore', options, rules(), ({ maxBytes = Infinity, maxEventBytes = 0 }) => [
    maxEventBytes > maxBytes / 4 && 'maxEventBytes must be at most a quarter of maxBytes',
  ]);
}
