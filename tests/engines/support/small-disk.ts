import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of its own, in memory. */
export interface SmallDisk {
  readonly path: string;
  free(): number;
  /** Fills all free space, as another program would. */
  fill(): void;
  /** Frees that space again. */
  empty(): void;
  remove(): void;
}

/** Makes a disk of some bytes. `undefined`, and one line that says so: mounting is not allowed here. With CI=true that fails. */
export function createSmallDisk(bytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'kube-vitals-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path], { stdio: 'ignore' });
  } catch (error) {
    rmdirSync(path);
    if (process.env['CI'] === 'true') throw new Error('a small disk cannot be mounted: run as root', { cause: error });
    process.stdout.write('skipped: only root can mount a small disk\n');
    return undefined;
  }
  const ballast = join(path, 'ballast');
  return {
    path,
    free() {
      const { bavail, bsize } = statfsSync(path);
      return bavail * bsize;
    },
    fill() {
      const file = openSync(ballast, 'a');
      const chunk = new Uint8Array(65_536).fill(1);
      for (let { length } = chunk; length > 0;) {
        try {
          if (writeSync(file, chunk, 0, length) === 0) length >>= 1;
        } catch {
          length >>= 1;
        }
      }
      closeSync(file);
    },
    empty: () => rmSync(ballast, { force: true }),
    remove() {
      // Lazily, because a failed test may have left a store open on it.
      execFileSync('umount', ['-l', path], { stdio: 'ignore' });
      rmdirSync(path);
    },
  };
}
