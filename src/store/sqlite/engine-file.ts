import { storeError, type StoreError } from '../errors.js';
import type { LoadedDriver } from './driver.js';
import { faultOf, sqliteFailure } from './failure.js';
import { takeLock } from './file-lock.js';
import { createFolder, openDatabase } from './open-database.js';
import type { EngineOptions } from './options.js';
import { createSession, type Session } from './session.js';
import { insertState } from './state.js';

/** Room that only removals and expiry may use when `maxFileBytes` is reached. */
const RESERVED_BYTES = 4_194_304;

/** The database file as an engine holds it: its lock, and a connection that can be given up and made again. */
export interface EngineFile {
  /** The connection. One that was given up is made again, which may fail with a driver's error. */
  use(): Session;
  /** Gives the connection up: a new one reads what a restart would. */
  giveUp(): void;
  /** Moves the log into the file and works with a limit that is a bit higher. */
  inReserve<T>(work: () => T): T;
  /** What an error of `use` means. */
  failure(error: unknown): StoreError;
  /** Moves the log into the file and lets go of it. */
  close(): void;
}

/**
 * Opens the file, or makes it, and takes its lock.
 *
 * @throws StoreError `unavailable` that says what is wrong with the file and what to do.
 */
export function openEngineFile(driver: LoadedDriver, options: EngineOptions, now: number): EngineFile {
  const { path, startAt, maxFileBytes } = options;
  const start = Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, startAt ?? Math.floor(now)));

  const failure = (error: unknown): StoreError => {
    if (faultOf(error) !== 'other') return sqliteFailure(path, error);
    const text = error instanceof Error ? error.message : String(error);
    return storeError('unavailable', `the database file ${path} cannot be opened: ${text}`);
  };
  const limitPages = ({ connection, pageBytes }: Session, extraBytes: number): void => {
    if (maxFileBytes === undefined) return;
    connection.exec(`PRAGMA max_page_count = ${Math.ceil((maxFileBytes + extraBytes) / pageBytes)}`);
  };
  const connect = (): Session => {
    const connection = openDatabase(driver, options, (fresh) => insertState(fresh, start));
    try {
      const session = createSession(connection, options);
      limitPages(session, 0);
      return session;
    } catch (error) {
      connection.close();
      throw error;
    }
  };

  let lock;
  try {
    createFolder(path);
    lock = takeLock(driver, path);
  } catch (error) {
    throw failure(error);
  }
  if (lock === undefined) {
    throw storeError(
      'unavailable',
      `the database file ${path} is in use by another store, of this process or another: only one at a time may have it open`,
    );
  }
  const { release } = lock;

  let session: Session | undefined;
  try {
    session = connect();
  } catch (error) {
    release();
    throw failure(error);
  }
  const use = (): Session => (session ??= connect());

  return {
    use,
    failure,
    giveUp() {
      try {
        session?.connection.close();
      } catch {
        // It is given up either way.
      }
      session = undefined;
    },
    inReserve(work) {
      try {
        const open = use();
        open.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
        limitPages(open, RESERVED_BYTES);
      } catch {
        // Then the work says what is wrong.
      }
      try {
        return work();
      } finally {
        if (session !== undefined) limitPages(session, 0);
      }
    },
    close() {
      try {
        session?.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      } catch {
        // The log stays beside the file and is read when it is opened again.
      }
      try {
        session?.connection.close();
      } finally {
        session = undefined;
        release();
      }
    },
  };
}
