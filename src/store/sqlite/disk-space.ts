import type { SqlConnection } from './driver.js';
import { lacksSpace } from './failure.js';
import { sizeOf } from './file-lock.js';
import type { SyncStoreOptions } from './options.js';
import type { Reserve } from './reserve.js';

/** Space that only removals and expiry may use when `maxFileBytes` is reached. */
const EXTRA_BYTES = 4_194_304;
/** SQLite's own limit. */
const MAX_PAGES = 1_073_741_823;
const CHECK_INTERVAL_MS = 1000;
/** The same, while only the reserve is incomplete. */
const RESERVE_CHECK_INTERVAL_MS = 60_000;
/**
 * The log is moved into the file at this many pages, or at the size of the reserve; on a full disk, at a quarter of
 * either. With 4,000 instead of SQLite's 1,000 a replace takes 0.77 of the CPU and a quarter of the syncs.
 */
const LOG_PAGES = 4000;
const LOW_SPACE_LOG_SHARE = 1 / 4;
/** The share of the reserve that is written, and may wait in the log, between checks that the file can grow. */
const GROWTH_SHARE = 1 / 8;
const OPERATION_BYTES = 2048;

export type DiskSpace = ReturnType<typeof createDiskSpace>;

/**
 * The disk space that a file may still use. While space is *low* the file does not grow for new events: they get pages
 * that became free, and the rest is for log, removals and expiry, until the reserve is whole again.
 */
export function createDiskSpace({ path, maxFileBytes }: SyncStoreOptions, reserve: Reserve, use: () => SqlConnection) {
  const { wantedBytes } = reserve;
  let spaceLow = false;
  let short = false;
  let checkedAt = -Infinity;
  let unchecked = 0;

  const number = (connection: SqlConnection, pragma: 'page_count' | 'page_size' | 'freelist_count'): number =>
    connection.prepare(`PRAGMA ${pragma}`).get()?.[pragma] as number;
  const logBytes = (): number => sizeOf(`${path}-wal`);

  const maxPages = (connection: SqlConnection, extraBytes = 0): number =>
    maxFileBytes === undefined ? MAX_PAGES : Math.ceil((maxFileBytes + extraBytes) / number(connection, 'page_size'));
  const setLimit = (connection: SqlConnection, pages: number): void =>
    connection.exec(`PRAGMA max_page_count = ${Math.max(1, pages)}`);
  const limit = (connection: SqlConnection): void => {
    const share = spaceLow ? LOW_SPACE_LOG_SHARE : 1;
    const logPages = wantedBytes > 0 ? Math.floor((wantedBytes * share) / number(connection, 'page_size')) : LOG_PAGES;
    const max = maxPages(connection);
    connection.exec(`PRAGMA wal_autocheckpoint = ${Math.min(LOG_PAGES * share, Math.max(16, logPages))}`);
    setLimit(connection, spaceLow ? Math.min(max, number(connection, 'page_count')) : max);
  };

  /** Moves the log into the file as far as readers allow. False: there was no space. */
  const checkpoint = (): boolean => {
    try {
      use().prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
      return true;
    } catch (error) {
      if (!lacksSpace(error)) throw error;
      return false;
    }
  };
  const makeSpace = (): void => {
    if (checkpoint() || reserve.bytes() === 0) return;
    reserve.release();
    checkpoint();
  };
  const fewFree = (connection: SqlConnection): boolean =>
    number(connection, 'freelist_count') * number(connection, 'page_size') < Math.max(wantedBytes / 2, EXTRA_BYTES / 4);

  /** The disk was found full: moves the log into the file, so that it can be written from its beginning again. */
  const enterLowSpace = (): void => {
    const newly = !spaceLow;
    spaceLow = true;
    makeSpace();
    if (newly) {
      checkedAt = performance.now();
      reserve.refill(logBytes());
    }
    const connection = use();
    short = fewFree(connection);
    limit(connection);
  };

  return {
    maxTransactionBytes: (wantedBytes > 0 ? wantedBytes / 2 : Infinity) as number,
    isSpaceLow: (): boolean => spaceLow,
    /** While space is low and few pages are free, history is kept for a short time only. */
    isShort: (): boolean => short,
    begin: (connection: SqlConnection): void => limit(connection),
    enterLowSpace: (): void => enterLowSpace(),
    /** Performs work that frees space, with all there is. `failed`: no room. `afterwards`: what follows a commit. */
    inReserve<T>(work: () => T, failed: (result: T) => boolean, afterwards: (work: () => void) => void): T {
      const connection = use();
      setLimit(connection, maxPages(connection, EXTRA_BYTES));
      try {
        makeSpace();
        let result = work();
        if (failed(result) && reserve.bytes() > 0) {
          reserve.release();
          checkpoint();
          result = work();
        }
        afterwards(() => void checkpoint());
        return result;
      } finally {
        afterwards(() => limit(use()));
      }
    },
    /** Checks, once a second at most, whether there is space again. */
    recheck(): void {
      if (!spaceLow && reserve.bytes() === wantedBytes) return;
      const now = performance.now();
      if (now - checkedAt < (spaceLow ? CHECK_INTERVAL_MS : RESERVE_CHECK_INTERVAL_MS)) return;
      checkedAt = now;
      if (!spaceLow) {
        reserve.refill();
        return;
      }
      const hasSpace = checkpoint() && reserve.refill(logBytes());
      const connection = use();
      const few = fewFree(connection);
      spaceLow = !hasSpace || (few && number(connection, 'page_count') >= maxPages(connection));
      short = spaceLow && few;
      limit(connection);
    },
    /** After a commit: makes sure that the file can grow by what is in the log. */
    written(operations: number, bytes: number): void {
      unchecked += operations * OPERATION_BYTES + bytes;
      const max = wantedBytes * GROWTH_SHARE;
      if (spaceLow || wantedBytes === 0 || unchecked < max) return;
      unchecked = 0;
      const connection = use();
      const growth = number(connection, 'page_count') * number(connection, 'page_size') - sizeOf(path);
      if (growth >= max && !checkpoint()) enterLowSpace();
    },
  };
}
