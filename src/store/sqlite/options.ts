import { resolve } from 'node:path';
import type { Clock } from '../../clock/clock.js';
import type { OptionRules } from '../../options/check-options.js';
import { aBoolean, aClock, aNonEmptyString, aWholeNumber, oneOf, required } from '../../options/rules.js';
import type { Revision } from '../contract/event-store.js';

/** The supported drivers: built into Node since 22.13, or packages that the service installs. */
export type SqliteDriver = 'node:sqlite' | 'better-sqlite3' | 'libsql';

/** Options of `sqliteStore`. */
export interface SqliteStoreOptions {
  /** The path of the database file. The file and its folder are created if they do not exist. */
  readonly path: string;
  /**
   * The driver. `auto`: the first that works of `node:sqlite`, `better-sqlite3` and `libsql`; with any other value no
   * other driver is tried. Default: `auto`.
   */
  readonly driver?: SqliteDriver | 'auto' | undefined;
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
   * The maximum size of an event in bytes, at most 268,435,456 (256 MiB); a larger one is `too-large`. Default:
   * 3,145,728 (3 MiB).
   */
  readonly maxEventBytes?: number | undefined;
  /**
   * The approximate limit for the size of the database file in bytes, at least 1,048,576. At the limit, creates and
   * replaces fail with `unavailable`; removals and expiry may use 4 MiB more. Default: limited by the disk only.
   */
  readonly maxFileBytes?: number | undefined;
  /**
   * The size in bytes of a file beside the database that reserves disk space: when the disk is full, it is released to
   * removals, expiry, the log and the start of a service, but not to new events. At most an eighth of the disk is
   * reserved. With a larger `maxEventBytes`, set it to at least four times that value. 0: nothing is reserved. Default:
   * 16,777,216 (16 MiB).
   */
  readonly reserveBytes?: number | undefined;
  /** The size of SQLite's page cache in memory, in bytes. Default: 16,777,216 (16 MiB). */
  readonly cacheBytes?: number | undefined;
  /**
   * Whether the whole file is read when it is opened, and refused if any part is damaged. Slow for a large file.
   * Default: false.
   */
  readonly checkOnOpen?: boolean | undefined;
  /**
   * Revisions of a new database start directly above this one, and the clock does not raise them later. The value must
   * be above every revision that may have been used at this path, because a file that was deleted starts there again.
   * A file that was restored from a copy or comes from elsewhere continues 1,000,000,000 above the value or above its
   * own latest revision, whichever is higher, and all earlier revisions are expired. Default: the clock in
   * microseconds, in both cases.
   */
  readonly startAt?: Revision | undefined;
  /** The name of the store and of its health check. Default: `sqlite`. */
  readonly name?: string | undefined;
}

export type SyncStoreOptions = Omit<SqliteStoreOptions, 'clock'>;

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

/** The options as plain data for the worker thread, with an absolute path: the working directory may change. */
export function plainOptions(options: SqliteStoreOptions): SyncStoreOptions {
  const names = Object.keys(rules()).filter((name) => name !== 'clock') as (keyof SqliteStoreOptions)[];
  const plain = Object.fromEntries(names.map((name) => [name, options[name]])) as SyncStoreOptions;
  return { ...plain, path: resolve(plain.path) };
}
