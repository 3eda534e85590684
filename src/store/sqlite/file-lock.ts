import { accessSync, closeSync, constants, existsSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { storeError } from '../contract/errors.js';
import type { LoadedDriver } from './driver.js';
import { faultOf } from './failure.js';

export const lockPathOf = (path: string): string => `${path}-lock`;

/**
 * Takes the lock of a database file: an exclusive transaction, never ended, on an empty database beside it. The
 * operating system releases it with the process, and the database stays open to readers, such as a backup. Returns its
 * release; `undefined` if another process holds it. Only SQLite may open the file: closing it otherwise drops the lock.
 */
export function takeLock(driver: LoadedDriver, path: string): (() => void) | undefined {
  const lockPath = lockPathOf(path);
  createPrivateFile(lockPath);
  // On a file that may not be written, SQLite begins an exclusive transaction without a lock.
  accessSync(lockPath, constants.W_OK);
  const connection = driver.open(lockPath);
  try {
    connection.exec('PRAGMA locking_mode = NORMAL');
    // An exclusive transaction on an empty database writes a journal at once, which a full disk has no room for.
    connection.exec('PRAGMA journal_mode = MEMORY');
    connection.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    connection.close();
    if (faultOf(error) === 'busy') return undefined;
    throw error;
  }
  return () => {
    // Ending the transaction frees the lock even where a driver closes only when its statements are collected.
    connection.exec('ROLLBACK');
    connection.close();
  };
}

/** The file that a path leads to through symbolic links, because SQLite keeps its log beside that file. */
export function linkTarget(path: string): string {
  if (existsSync(path)) return realpathSync.native(path);
  try {
    readlinkSync(path);
  } catch {
    return path;
  }
  const problem = 'is a symbolic link to a file that does not exist: restore the file, or remove the link';
  throw storeError('unavailable', `the database file ${path} ${problem}`);
}

export function createPrivateFile(path: string): void {
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'EEXIST') throw error;
  }
}

export function withFile(path: string, flags: 'r' | 'r+', work: (file: number) => void): void {
  const file = openSync(path, flags);
  try {
    work(file);
  } finally {
    closeSync(file);
  }
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
