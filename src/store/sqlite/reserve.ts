import { fsyncSync, ftruncateSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { createPrivateFile, sizeOf, withFile } from './file-lock.js';

/** Of a small disk the reserve takes no more than this share. */
const DISK_SHARE = 1 / 8;
/** Of the reserve, what is left to the log while the disk is full. */
const LOG_SHARE = 1 / 4;
/** A disk that has not even this part of the reserve besides is still full. */
const MORE_SHARE = 1 / 8;
const CHUNK_BYTES = 65_536;

/** Room on the disk that nothing but the database gets: a file beside it that is given up when the disk is full. */
export interface Reserve {
  /** What is wanted, bytes. 0: none. */
  readonly wantedBytes: number;
  /** What there is, bytes. */
  bytes(): number;
  /** Frees all of it for the next write. */
  release(): void;
  /**
   * Takes what is missing, and says whether the disk had that and some more. Where it has not, the reserve takes half of
   * it; `logBytes`, from a store whose file does not grow: all but what the log needs besides the bytes it has.
   */
  restock(logBytes?: number): boolean;
}

function sizeOfDisk(path: string): number {
  try {
    const { blocks, bsize } = statfsSync(dirname(path));
    return blocks > 0 ? blocks * bsize : Infinity;
  } catch {
    return Infinity;
  }
}

/** The reserve of a database file. Its own failures are no errors: it is then smaller than wanted. */
export function createReserve(databasePath: string, reserveBytes: number): Reserve {
  const path = `${databasePath}-reserve`;
  const share = Math.floor((sizeOfDisk(databasePath) * DISK_SHARE) / CHUNK_BYTES) * CHUNK_BYTES;
  const wantedBytes = Math.min(reserveBytes, share);

  const bytes = (): number => {
    try {
      return sizeOf(path);
    } catch {
      return 0;
    }
  };

  const resize = (work: (file: number) => void): void => {
    try {
      createPrivateFile(path);
      withFile(path, 'r+', work);
    } catch {
      // What it has is what counts.
    }
  };

  const fill = (file: number, from: number, to: number): void => {
    const chunk = new Uint8Array(CHUNK_BYTES);
    for (let at = from; at < to;) {
      // Nothing that a file system could compress.
      crypto.getRandomValues(chunk);
      at += writeSync(file, chunk, 0, Math.min(CHUNK_BYTES, to - at), at);
    }
  };

  if (wantedBytes === 0) rmSync(path, { force: true });

  return {
    wantedBytes,
    bytes,
    release: () =>
      resize((file) => {
        ftruncateSync(file, 0);
        // Some file systems give room back only with their next commit.
        fsyncSync(file);
      }),
    restock(logBytes) {
      if (wantedBytes === 0) return true;
      const enough = Math.ceil(wantedBytes * (1 + MORE_SHARE));
      const before = bytes();
      resize((file) => fill(file, before, enough));
      const found = bytes();
      const log = wantedBytes * LOG_SHARE;
      const share = logBytes === undefined ? Math.max(before, found / 2) : found - Math.max(0, log - logBytes);
      const kept = found >= enough ? wantedBytes : Math.max(0, Math.min(wantedBytes, Math.floor(share)));
      resize((file) => ftruncateSync(file, kept));
      return found >= enough;
    },
  };
}
