import { faultOf } from './failure.js';
import { sizeOf } from './file-lock.js';
import type { EngineOptions } from './options.js';
import type { Reserve } from './reserve.js';
import type { Session } from './session.js';

/** Room that only removals and expiry may use when `maxFileBytes` is reached. */
const EXTRA_BYTES = 4_194_304;
/** SQLite's own limit. */
const MOST_PAGES = 1_073_741_823;
const LOOK_EVERY_MS = 1000;
/** The same, while nothing is wrong but that the reserve is not whole. */
const LOOK_SELDOM_MS = 60_000;
/**
 * The log is moved into the file when it has so many pages, or as many as the reserve; while the disk is full, a quarter of
 * either. A page that was written many times is moved once: with 4,000 pages in place of SQLite's 1,000 a replace takes 0.77
 * of the CPU, and a quarter of the syncs of the file, for which writers wait.
 */
const LOG_PAGES = 4000;
const TIGHT_LOG_SHARE = 1 / 4;
/** So much of the reserve may be written before somebody looks whether the file can grow by it, and may wait to be moved. */
const GROWTH_SHARE = 1 / 8;
const OPERATION_BYTES = 2048;

/**
 * What is left to write to. While it is *tight* the file does not grow for new events: they get the pages that became free,
 * and what the disk has is for the log, for removals and for expiry. It is tight from the first write that found the disk
 * full until the reserve is whole again.
 */
export interface Room {
  isTight(): boolean;
  /** While it is tight and few pages are free, history is kept for a short time only. */
  isShort(): boolean;
  /** Sets the limits of a new connection. */
  begin(session: Session): void;
  /** The disk was found full: moves the log into the file, so that it can be written from its beginning again. */
  tighten(): void;
  /** Does what makes room with all the room there is. `failed`: it did not fit. */
  inReserve<T>(work: () => T, failed: (result: T) => boolean): T;
  /** Looks, once a second at most, whether there is room again. */
  keep(): void;
  /** After a commit: sees to it that the file can grow by what is in the log. */
  written(operations: number, bytes: number): void;
  /** What one transaction may put, bytes. */
  readonly mostBytes: number;
}

/** Makes the room of a database file. */
export function createRoom({ path, maxFileBytes }: EngineOptions, reserve: Reserve, use: () => Session): Room {
  const { wantedBytes } = reserve;
  let tight = false;
  let short = false;
  let lookedAt = -Infinity;
  let unchecked = 0;

  const number = ({ prepare }: Session, pragma: 'page_count' | 'freelist_count'): number =>
    Number(prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
  const logBytes = (): number => sizeOf(`${path}-wal`);

  const mostPages = ({ pageBytes }: Session, extraBytes = 0): number =>
    maxFileBytes === undefined ? MOST_PAGES : Math.ceil((maxFileBytes + extraBytes) / pageBytes);
  const setLimit = ({ connection }: Session, pages: number): void =>
    connection.exec(`PRAGMA max_page_count = ${Math.max(1, pages)}`);
  const limit = (session: Session): void => {
    const share = tight ? TIGHT_LOG_SHARE : 1;
    const logPages = wantedBytes > 0 ? Math.floor((wantedBytes * share) / session.pageBytes) : LOG_PAGES;
    const most = mostPages(session);
    session.connection.exec(`PRAGMA wal_autocheckpoint = ${Math.min(LOG_PAGES * share, Math.max(16, logPages))}`);
    setLimit(session, tight ? Math.min(most, number(session, 'page_count')) : most);
  };

  /** Moves the log into the file as far as readers let it. False: there was no room. */
  const checkpoint = (): boolean => {
    try {
      use().prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
      return true;
    } catch (error) {
      if (faultOf(error) !== 'full' && faultOf(error) !== 'io') throw error;
      return false;
    }
  };
  /** The same, with the reserve if need be. */
  const makeWay = (): void => {
    if (checkpoint() || reserve.bytes() === 0) return;
    reserve.release();
    checkpoint();
  };
  const fewFree = (session: Session): boolean =>
    number(session, 'freelist_count') * session.pageBytes < Math.max(wantedBytes / 2, EXTRA_BYTES / 4);

  const tighten = (): void => {
    const newly = !tight;
    tight = true;
    makeWay();
    if (newly) {
      lookedAt = performance.now();
      reserve.restock(logBytes());
    }
    const session = use();
    short = fewFree(session);
    limit(session);
  };

  return {
    mostBytes: wantedBytes > 0 ? wantedBytes / 2 : Infinity,
    isTight: () => tight,
    isShort: () => short,
    begin: limit,
    tighten,
    inReserve(work, failed) {
      const session = use();
      setLimit(session, mostPages(session, EXTRA_BYTES));
      try {
        makeWay();
        let result = work();
        if (failed(result) && reserve.bytes() > 0) {
          reserve.release();
          checkpoint();
          result = work();
        }
        checkpoint();
        return result;
      } finally {
        limit(use());
      }
    },
    keep() {
      if (!tight && reserve.bytes() === wantedBytes) return;
      const now = performance.now();
      if (now - lookedAt < (tight ? LOOK_EVERY_MS : LOOK_SELDOM_MS)) return;
      lookedAt = now;
      if (!tight) {
        reserve.restock();
        return;
      }
      const hasRoom = checkpoint() && reserve.restock(logBytes());
      const session = use();
      const few = fewFree(session);
      tight = !hasRoom || (few && number(session, 'page_count') >= mostPages(session));
      short = tight && few;
      limit(session);
    },
    written(operations, bytes) {
      unchecked += operations * OPERATION_BYTES + bytes;
      const most = wantedBytes * GROWTH_SHARE;
      if (tight || wantedBytes === 0 || unchecked < most) return;
      unchecked = 0;
      const session = use();
      const growth = number(session, 'page_count') * session.pageBytes - sizeOf(path);
      if (growth >= most && !checkpoint()) tighten();
    },
  };
}
