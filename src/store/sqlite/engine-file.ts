import type { Revision } from '../contract/event-store.js';
import { storeError, type StoreError } from '../contract/errors.js';
import type { LoadedDriver } from './driver.js';
import { faultOf, sqliteFailure } from './failure.js';
import { takeLock } from './file-lock.js';
import { createFolder, openDatabase } from './open-database.js';
import { readOpeningMark, type OpeningMark } from './opening-mark.js';
import type { EngineOptions } from './options.js';
import { createPresence, type Presence } from './presence.js';
import { createReserve, type Reserve } from './reserve.js';
import { createRoom, type Room } from './room.js';
import { createSession, type Session } from './session.js';
import { insertState } from './state.js';

/** How long history is kept at most while the disk is full: watchers that keep up have read it by then. */
const TIGHT_HISTORY_MS = 5000;

/** The database file as an engine holds it: its lock, and a connection that can be given up and made again. */
export interface EngineFile {
  /** The connection. One that was given up is made again, which may fail with a driver's error. */
  use(): Session;
  /** Gives the connection up: a new one reads what a restart would. */
  giveUp(): void;
  /** What the disk and `maxFileBytes` leave. */
  readonly room: Room;
  readonly mark: OpeningMark;
  /** Whether this opening has made the file. */
  readonly isNew: boolean;
  /** Why what is written now would be lost; `undefined`: it would not. */
  problem(): StoreError | undefined;
  /** What an error of `use` means. */
  failure(error: unknown): StoreError;
  /** Moves the log into the file and lets go of it. `latest`: how far it came, where that is known. */
  close(latest?: Revision): void;
}

/**
 * Opens the file, or makes it, and takes its lock.
 *
 * @throws StoreError `unavailable` that says what is wrong with the file and what to do.
 */
export function openEngineFile(driver: LoadedDriver, options: EngineOptions, now: number): EngineFile {
  const { path, startAt, historyMs, historyMaxBytes } = options;
  const start = Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, startAt ?? Math.floor(now)));
  let isNew = false;

  const failure = (error: unknown): StoreError => {
    if (faultOf(error) !== 'other') return sqliteFailure(path, error);
    const text = error instanceof Error ? error.message : String(error);
    return storeError('unavailable', `the database file ${path} cannot be opened: ${text}`);
  };
  const bounds = {
    historyMaxBytes,
    historyMs: () => (room.isShort() ? Math.min(historyMs, TIGHT_HISTORY_MS) : historyMs),
  };
  const connect = (): Session => {
    const connection = openDatabase(driver, options, (fresh) => {
      insertState(fresh, start);
      isNew = true;
    });
    try {
      const session = createSession(connection, bounds);
      room.begin(session);
      return session;
    } catch (error) {
      connection.close();
      throw error;
    }
  };
  /** A full disk has not even room for the index of the log, but the reserve has. */
  const connectWithReserve = (): Session => {
    try {
      return connect();
    } catch (error) {
      const fault = faultOf(error);
      if ((fault !== 'full' && fault !== 'io') || reserve.bytes() === 0) throw error;
      reserve.release();
      return connect();
    }
  };

  let release;
  try {
    createFolder(path);
    release = takeLock(driver, path);
  } catch (error) {
    throw failure(error);
  }
  if (release === undefined) {
    throw storeError(
      'unavailable',
      `the database file ${path} is in use by another store, of this process or another: only one at a time may have it open`,
    );
  }

  let session: Session | undefined;
  let presence: Presence | undefined;
  const use = (): Session => {
    if (session !== undefined) return session;
    const problem = presence?.problem();
    // A file that was removed must not be made anew in the middle of its life.
    if (problem !== undefined) throw new Error(problem);
    session = connectWithReserve();
    return session;
  };
  const reserve: Reserve = createReserve(path, options.reserveBytes);
  const room: Room = createRoom(options, reserve, use);
  let mark: OpeningMark;
  try {
    mark = readOpeningMark(path);
    use();
    presence = createPresence(path);
    room.keep();
  } catch (error) {
    session?.connection.close();
    release();
    throw failure(error);
  }

  return {
    use,
    failure,
    room,
    mark,
    isNew,
    giveUp() {
      try {
        session?.connection.close();
      } catch {
        // It is given up either way.
      }
      session = undefined;
      // The next connection may make a log of its own.
      presence?.forgetLog();
    },
    problem() {
      if (presence === undefined) return undefined;
      const problem = presence.problem();
      if (problem !== undefined) {
        return storeError('unavailable', `the database file ${path} cannot be written: ${problem}`);
      }
      if (!presence.wasCut()) return undefined;
      return storeError(
        'unavailable',
        `the database file ${path} cannot be used: it was cut off while it was open: restore it from a copy`,
      );
    },
    close(latest) {
      const whole = presence?.problem() === undefined;
      try {
        session?.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      } catch {
        // The log stays beside the file and is read when it is opened again.
      }
      try {
        session?.connection.close();
        // For the next start, from what the log has given back.
        reserve.restock(Infinity);
        if (latest !== undefined && whole) mark.note(latest, true);
      } finally {
        session = undefined;
        release();
      }
    },
  };
}
