import { fsyncSync, ftruncateSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { createPrivateFile, sizeOf, withFile } from './file-lock.js';

/** The largest share of a small disk that the reserve takes. */
const DISK_SHARE = 1 / 8;
/** The share of the reserve that is left to the log while the disk is full. */
const LOG_SHARE = 1 / 4;
/** A disk is full until it has this share of the reserve free besides the reserve. */
const MORE_SHARE = 1 / 8;
const CHUNK_BYTES = 65_536;

function sizeOfDisk(path: string): number {
  try {
    const { blocks, bsize } = statfsSync(dirname(path));
    return blocks > 0 ? blocks * bsize : Infinity;
  } catch {
    return Infinity;
  }
}

export type Reserve = ReturnType<typeof createReserve>;

/** Disk space for the database alone: a file that is emptied when the disk is full. A failed write makes it smaller. */
export function createReserve(databasePath: string, reserveBytes: number) {
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
      // Its size shows how far it came.
    }
  };

  const fill = (file: number, from: number, to: number): void => {
    const chunk = new Uint8Array(CHUNK_BYTES);
    for (let at = from; at < to;) {
      // Random, so that no file system compresses it.
      crypto.getRandomValues(chunk);
      at += writeSync(file, chunk, 0, Math.min(CHUNK_BYTES, to - at), at);
    }
  };

  if (wantedBytes === 0) rmSync(path, { force: true });

  return {
    wantedBytes: wantedBytes as number,
    bytes: (): number => bytes(),
    /** Frees all of it for the next write. */
    release: (): void =>
      resize((file) => {
        ftruncateSync(file, 0);
        // Some file systems free space only with their next commit.
        fsyncSync(file);
      }),
    /**
     * Takes what is missing; true if the disk had that and some more. If not, the reserve takes half of the free space,
     * or, with `logBytes` of a file that does not grow, all but what the log needs besides these.
     */
    refill(logBytes?: number): boolean {
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
