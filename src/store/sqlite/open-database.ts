import { accessSync, constants, existsSync, fsyncSync, mkdirSync, readSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LoadedDriver, SqlConnection } from './driver.js';
import { createPrivateFile, sizeOf, withFile } from './file-lock.js';
import type { SyncStoreOptions } from './options.js';
import { APPLICATION_ID, checkSchema, createSchema } from './schema.js';

/** How long a statement waits for another process: reads, which need no lock, wait behind it in the thread. */
export const BUSY_TIMEOUT = 'PRAGMA busy_timeout = 100';
const OPENING_TIMEOUT = 'PRAGMA busy_timeout = 5000';
/** With larger pages, the commit of a batch writes fewer of them; with smaller ones, a single write writes less. */
const DATABASE_PAGE_BYTES = 4096;
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\u0000';
/** After a burst the log beside the file shrinks back to this. */
const WAL_BYTES_KEPT = 67_108_864;

/** Refuses, without changing it, a file that is not a database of this store, or that was truncated. */
function checkHeader(path: string, size: number): void {
  const header = new Uint8Array(HEADER_BYTES);
  // SQLite would open a read-only file for reading, and not detect when it becomes writable.
  withFile(path, 'r+', (file) => readSync(file, header, 0, HEADER_BYTES, 0));
  if (new TextDecoder().decode(header.subarray(0, MAGIC.length)) !== MAGIC) {
    throw new Error('it is not an SQLite database, or its beginning is damaged');
  }
  const view = new DataView(header.buffer);
  if (view.getUint32(68) !== APPLICATION_ID) {
    throw new Error('it is an SQLite database of another program: choose another path');
  }
  const pageBytes = view.getUint16(16) === 1 ? 65_536 : view.getUint16(16);
  const expected = pageBytes * view.getUint32(28);
  // If there is a log beside it, the missing end may be in the log.
  if (size < expected && sizeOf(`${path}-wal`) === 0) {
    throw new Error(`it has ${size} bytes where ${expected} are expected: it was cut off, restore it from a copy`);
  }
}

/** Makes a new database under another name and moves it into place, so that what is at `path` is always complete. */
function create(driver: LoadedDriver, { path }: SyncStoreOptions, begin: (connection: SqlConnection) => void): void {
  const draft = `${path}-new`;
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(draft + suffix, { force: true });
  createPrivateFile(draft);
  const connection = driver.open(draft);
  try {
    connection.exec(`PRAGMA page_size = ${DATABASE_PAGE_BYTES}; PRAGMA synchronous = FULL`);
    createSchema(connection);
    begin(connection);
  } finally {
    connection.close();
  }
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  renameSync(draft, path);
  try {
    // The entry of a new file is on disk only when its folder is.
    withFile(dirname(path), 'r', fsyncSync);
  } catch {
    // Windows opens no folders.
  }
}

/** Whether there is a file. Refuses one that cannot be used; an empty one, as what a failed restore leaves. */
export function checkFile(path: string): boolean {
  const size = sizeOf(path);
  if (size === 0 && sizeOf(`${path}-wal`) > 0) {
    throw new Error(`it is missing or empty, but its log ${path}-wal is there: restore it, or remove the log as well`);
  }
  if (!existsSync(path)) return false;
  if (size === 0) throw new Error('it is empty: restore it from a copy, or remove it to begin with a new one');
  checkHeader(path, size);
  return true;
}

/** `begin` gives a new file its first state. */
export function openDatabase(
  driver: LoadedDriver,
  options: SyncStoreOptions,
  begin: (connection: SqlConnection) => void,
): SqlConnection {
  const { path, cacheBytes = 16_777_216, checkOnOpen } = options;
  if (!checkFile(path)) create(driver, options, begin);
  const connection = driver.open(path);
  try {
    connection.exec(OPENING_TIMEOUT);
    const mode = connection.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
    if (mode !== 'wal') throw new Error(`its file system cannot keep a write-ahead log (journal mode ${String(mode)})`);
    connection.exec('PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY');
    connection.exec(`PRAGMA cache_size = ${-Math.ceil(cacheBytes / 1024)}`);
    connection.exec(`PRAGMA journal_size_limit = ${WAL_BYTES_KEPT}`);
    if (checkOnOpen === true) {
      const found = connection.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
      if (found !== 'ok') throw new Error(`it is damaged: restore it from a copy (${String(found)})`);
    }
    checkSchema(connection);
    connection.exec(BUSY_TIMEOUT);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** @throws Error that names what cannot be written: Node reports ENOENT for a folder to be made in a read-only one. */
export function createFolder(path: string): void {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    let above = folder;
    while (!existsSync(above) && dirname(above) !== above) above = dirname(above);
    try {
      accessSync(above, constants.W_OK);
    } catch (reason) {
      const { code = '' } = reason as { readonly code?: string };
      throw new Error(`its folder ${folder} cannot be made: ${above} is not writable (${code})`, { cause });
    }
    throw cause;
  }
}
