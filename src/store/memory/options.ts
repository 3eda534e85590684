import type { Clock } from '../../clock/clock.js';
import type { Revision } from '../contract.js';

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
   * Default: 33,554,432 (32 MiB).
   */
  readonly listCacheMaxBytes?: number | undefined;
  /** The largest event, in bytes; a larger one is `too-large`. Default: 3,145,728 (3 MiB). */
  readonly maxEventBytes?: number | undefined;
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

/** @throws TypeError that lists every fault. */
export function checkMemoryStoreOptions(options: MemoryStoreOptions): void {
  const faults: string[] = [];
  const number = (
    key: 'historyMs' | 'historyMaxBytes' | 'listCacheMaxBytes' | 'maxEventBytes' | 'startAbove' | 'startAt',
    least: number,
  ): void => {
    const value = options[key];
    if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return;
    faults.push(`${key}: give a whole number of at least ${least}`);
  };
  number('historyMs', 0);
  number('historyMaxBytes', 0);
  number('listCacheMaxBytes', 0);
  number('maxEventBytes', 1);
  number('startAbove', 0);
  number('startAt', 0);
  if (options.name !== undefined && (typeof options.name !== 'string' || options.name === '')) {
    faults.push('name: give a text that is not empty');
  }
  if (faults.length > 0) throw new TypeError(`memoryStore: ${faults.join('; ')}`);
}
