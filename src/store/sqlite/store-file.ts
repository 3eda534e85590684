import { existsSync } from 'node:fs';
import { messageOf } from '../../model/error-message.js';
import type { Revision } from '../contract/event-store.js';
import { storeError, type StoreError } from '../contract/errors.js';
import type { LoadedDriver, SqlConnection } from './driver.js';
import { faultOf, lacksSpace, sqliteFailure } from './failure.js';
import { lockPathOf, takeLock } from './file-lock.js';
import { checkFile, createFolder, openDatabase } from './open-database.js';
import { readMarkerFile, type MarkerFile } from './marker-file.js';
import type { SyncStoreOptions } from './options.js';
import { createFileIdentity, type FileIdentity } from './file-identity.js';
import { createReserve, type Reserve } from './reserve.js';
import { createDiskSpace, type DiskSpace } from './disk-space.js';
import { insertState } from './state.js';
import { createBatchWriter, type BatchWriter } from './write-batch.js';

/** How long history is kept at most while the disk is full: watchers that keep up have read it by then. */
const LOW_SPACE_HISTORY_MS = 5000;

export interface Session {
  readonly connection: SqlConnection;
  readonly writer: BatchWriter;
}

export type StoreFile = ReturnType<typeof openStoreFile>;

/** The file and its lock. The connection to it can be dropped and made again. Its `unavailable` says what to do. */
export function openStoreFile(driver: LoadedDriver, options: SyncStoreOptions, now: number) {
  const { path, startAt, historyMs = 600_000, historyMaxBytes = 268_435_456, reserveBytes = 16_777_216 } = options;
  const start = Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, startAt ?? Math.floor(now)));
  const unavailable = (problem: string): StoreError =>
    storeError('unavailable', `the database file ${path} ${problem}`);
  let isNew = false;

  const failure = (error: unknown): StoreError =>
    faultOf(error) === 'other' ? unavailable(`cannot be opened: ${messageOf(error)}`) : sqliteFailure(path, error);
  const bounds = {
    historyMaxBytes,
    historyMs: () => (diskSpace.isShort() ? Math.min(historyMs, LOW_SPACE_HISTORY_MS) : historyMs),
  };
  const connect = (): Session => {
    const connection = openDatabase(driver, options, (fresh) => {
      insertState(fresh, start);
      isNew = true;
    });
    try {
      const writer = createBatchWriter(connection, bounds);
      diskSpace.begin(connection);
      return { connection, writer };
    } catch (error) {
      connection.close();
      throw error;
    }
  };
  /** A full disk may lack room even for the index of the log, which the reserve has. */
  const connectWithReserve = (): Session => {
    try {
      return connect();
    } catch (error) {
      if (!lacksSpace(error) || reserve.bytes() === 0) throw error;
      reserve.release();
      return connect();
    }
  };

  let release: ReturnType<typeof takeLock>;
  try {
    createFolder(path);
    // So that no lock is left beside a file that is not a database. With a lock there may be a store, whose own lock on
    // the file would end if this process opened the file.
    if (!existsSync(lockPathOf(path))) checkFile(path);
    release = takeLock(driver, path);
  } catch (error) {
    throw failure(error);
  }
  if (release === undefined) {
    throw unavailable('is in use by another store, of this process or another: only one at a time may have it open');
  }

  let session: Session | undefined;
  let identity: FileIdentity | undefined;
  const use = (): Session => {
    if (session !== undefined) return session;
    const problem = identity?.problem();
    // A file that was removed must not be created again while the store is open.
    if (problem !== undefined) throw new Error(problem);
    session = connectWithReserve();
    return session;
  };
  const reserve: Reserve = createReserve(path, reserveBytes);
  const diskSpace: DiskSpace = createDiskSpace(options, reserve, () => use().connection);
  const mark: MarkerFile = readMarkerFile(path);
  try {
    use();
    identity = createFileIdentity(path);
    diskSpace.recheck();
  } catch (error) {
    session?.connection.close();
    release();
    throw failure(error);
  }

  return {
    /** The connection. One that was dropped is made again, which may fail with a driver's error. */
    use: (): Session => use(),
    failure: (error: unknown): StoreError => failure(error),
    diskSpace: diskSpace as DiskSpace,
    mark: mark as MarkerFile,
    get isNew(): boolean {
      return isNew;
    },
    /** Drops the connection: a new one reads what a restart would. */
    drop(): void {
      try {
        session?.connection.close();
      } catch {
        // It is dropped either way.
      }
      session = undefined;
      // The next connection may create another log.
      identity.resetLog();
    },
    /** Why a write would be lost; `undefined`: it would not. */
    problem(): StoreError | undefined {
      const problem = identity.problem();
      if (problem !== undefined) return unavailable(`cannot be written: ${problem}`);
      if (!identity.wasCut()) return undefined;
      return unavailable(
        'cannot be used: it was cut off while it was open, or another program vacuumed it: ' +
          'start the service again, and restore it from a copy if it is damaged',
      );
    },
    /** Moves the log into the file, closes it and frees the lock. `latest`: the last revision, where it is known. */
    close(latest?: Revision): void {
      const isWhole = identity.problem() === undefined;
      try {
        session?.connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      } catch {
        // The log stays beside the file and is read when the file is opened again.
      }
      try {
        session?.connection.close();
        // For the next start, from the space that the log has freed.
        reserve.refill(Infinity);
        if (latest !== undefined && isWhole) mark.note(latest, true);
      } finally {
        session = undefined;
        release();
      }
    },
  };
}
