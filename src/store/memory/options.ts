import type { Clock } from '../../clock/clock.js';
import { checkOptions, type OptionRules } from '../../options/check-options.js';
import { aClock, aNonEmptyString, aWholeNumber, oneOf } from '../../options/rules.js';
import type { Revision } from '../contract/event-store.js';

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** The source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** How long history is kept, in milliseconds. Default: 600,000 (10 minutes). */
  readonly historyMs?: number | undefined;
  /**
   * The limit for history in bytes; above it, history younger than `historyMs` is dropped as well. Default: 268,435,456
   * (256 MiB).
   */
  readonly historyMaxBytes?: number | undefined;
  /**
   * The size of the cache of encoded lists in bytes, for lists that are read again before their events change. 0: no
   * cache. Default: 33,554,432 (32 MiB), or a sixteenth of `maxBytes` if that is less.
   */
  readonly listCacheMaxBytes?: number | undefined;
  /**
   * The maximum size of an event in bytes; a larger one is `too-large`. At most a quarter of `maxBytes`. Default:
   * 1,572,864 (1.5 MiB, the limit of etcd behind a Kubernetes API server), or that quarter if it is less.
   */
  readonly maxEventBytes?: number | undefined;
  /**
   * The limit for the memory of the store in bytes: events, history, indexes and cached lists; at least 1,048,576.
   * Event bytes are counted exactly, objects in V8's heap by measured sizes; garbage that V8 has not collected yet is
   * not counted. Default: half of V8's heap limit (`--max-old-space-size`; without that V8 derives it from the memory
   * of the machine or container), and at most a quarter of the memory of the container; 268,435,456 (256 MiB) where
   * neither is known.
   */
  readonly maxBytes?: number | undefined;
  /** The maximum number of events. Default: as many as fit into `maxBytes`. */
  readonly maxEvents?: number | undefined;
  /**
   * What happens to a new event when `maxBytes` or `maxEvents` is reached and dropping history is not enough. `refuse`:
   * the write fails with `full`, status 507 for clients; updates that do not enlarge an event, deletions and expiry
   * still work. `evict-oldest`: the events whose last write is the oldest are removed at once. Default: `refuse`.
   */
  readonly whenFull?: 'refuse' | 'evict-oldest' | undefined;
  /** Revisions start above this one even if the clock is behind it. Default: 0. */
  readonly startAbove?: Revision | undefined;
  /**
   * Revisions start directly above this one, whatever the clock says. Only for callers that know the last revision of
   * an earlier store: a revision that is used twice makes watchers miss events. Default: the first revision comes from
   * the clock.
   */
  readonly startAt?: Revision | undefined;
  /** The name of the store and of its health check. Default: `memory`. */
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
