import { resolve } from 'node:path';
import type { Clock } from '../../clock/clock.js';
import type { OptionRules } from '../../options/check-options.js';
import { aBoolean, aClock, aNonEmptyString, aWholeNumber, oneOf, required } from '../../options/rules.js';
import type { Revision } from '../contract/event-store.js';

/** The supported drivers: built into Node since 22.13, or packages that the service installs. */
export type SqliteDriver = 'node:sqlite' | 'better-sqlite3' | 'libsql';

/** For `sqliteStore`. */
export interface SqliteStoreOptions {
  /** The database file. It and its folder are made if they do not exist. */
  readonly path: string;
  /** Default: `auto`, the first that works of `node:sqlite`, `better-sqlite3` and `libsql`. */
  readonly driver?: SqliteDriver | 'auto' | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** How long history is kept, in milliseconds. Default: 600,000 (10 minutes). */
  readonly historyMs?: number | undefined;
  /**
   * The limit for history in bytes; above it, history younger than `historyMs` is dropped as well. Default: 268,435,456
   * (256 MiB).
   */
  readonly historyMaxBytes?: number | undefined;
  /** The largest event, in bytes; a larger one is `too-large`. Default: 3,145,728 (3 MiB), at most 256 MiB. */
  readonly maxEventBytes?: number | undefined;
  /**
   * How large the file may grow, in bytes, roughly. Beyond it creates and replaces fail with `unavailable`, while
   * removals and expiry still find room. Default: no limit but the disk's.
   */
  readonly maxFileBytes?: number | undefined;
  /**
   * Room on the disk that is held in a file beside the database, in bytes. A full disk then has room for removals,
   * expiry, the log and the start of a service; new events do not get it. At most an eighth of the disk is taken.
   * Default: 16,777,216 (16 MiB), four times the largest event is sensible; 0: none.
   */
  readonly reserveBytes?: number | undefined;
  /** What the database may keep in memory, in bytes. Default: 16,777,216 (16 MiB). */
  readonly cacheBytes?: number | undefined;
  /**
   * Reads the whole file when it is opened and refuses it if anything is damaged. Slow for a large one. Default: false.
   */
  readonly checkOnOpen?: boolean | undefined;
  /**
   * A new database begins right above this revision, whatever the clock says, and a clock that is ahead does not raise
   * it later. Give a number above everything that may have been used at this path: a file that was deleted begins
   * there. One that was restored from a copy, or comes from elsewhere, continues 1,000,000,000 above it, or above its
   * own latest revision where that is higher, and everything before is expired. Default: the clock decides, also for
   * such a file.
   */
  readonly startAt?: Revision | undefined;
  /** The name of the store and of its health check. Default: `sqlite`. */
  readonly name?: string | undefined;
}

/** The options that the worker gets: plain data. */
export type EngineOptions = Omit<SqliteStoreOptions, 'clock'>;

const LARGEST_EVENT_BYTES = 268_435_456;

export const rules = (): OptionRules<SqliteStoreOptions> => ({
  path: required(aPath),
  driver: oneOf('auto', 'node:sqlite', 'better-sqlite3', 'libsql'),
  clock: aClock,
  historyMs: aWholeNumber(0),
  historyMaxBytes: aWholeNumber(0),
  maxEventBytes: aWholeNumber(1, LARGEST_EVENT_BYTES),
  maxFileBytes: aWholeNumber(1_048_576),
  reserveBytes: aWholeNumber(0),
  cacheBytes: aWholeNumber(0),
  checkOnOpen: aBoolean,
  startAt: aWholeNumber(0),
  name: aNonEmptyString,
});

function aPath(value: unknown, name: string): readonly string[] {
  if (value === ':memory:') return [`${name} must be a file: for a store in memory use memoryStore()`];
  if (typeof value !== 'string' || value === '') return [`${name} must be the path of the database file`];
  return value.includes('\0') || value.startsWith('file:') ? [`${name} must be a plain path, not a URL`] : [];
}

/**
 * The options that go to the thread, as plain data: they may be getters, or inherited. The path is absolute, because the
 * process may change its working directory while the file is open.
 */
export function plainOptions(options: SqliteStoreOptions): EngineOptions {
  const names = Object.keys(rules()).filter((name) => name !== 'clock') as (keyof SqliteStoreOptions)[];
  const plain = Object.fromEntries(names.map((name) => [name, options[name]])) as EngineOptions;
  return { ...plain, path: resolve(plain.path) };
}
