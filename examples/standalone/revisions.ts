import { readIfThere, writePrivateFile } from './private-file.js';

/** How many revisions are set aside at once: more than a server writes in hours. */
const BLOCK = 100_000_000;
/** What must be left of a block when nobody has looked for {@link LOOK_MS}. */
const RESERVE = BLOCK / 10;
const LOOK_MS = 60_000;

/** The revisions of a store in this process or on this disk, kept apart from store to store. */
export interface Revisions {
  /** Where a new store begins: above everything an earlier one in this data directory may have used. */
  readonly startAt: number;
  /** Sets further revisions aside while the store uses them up. Ends with `stop`. */
  keepAhead(revision: () => Promise<number>): { readonly stop: () => void };
}

/**
 * Sets revisions aside in a file, so that a store that begins anew (in memory at each start, in a file when that was
 * deleted) never uses one twice and can still count from small numbers that people can read. A client that watches from
 * before is told that its revision is gone.
 *
 * @throws Error when the file holds anything but a number
 */
export async function setRevisionsAside(path: string): Promise<Revisions> {
  const startAt = await readCeiling(path);
  let ceiling = startAt + BLOCK;
  await writePrivateFile(path, `${ceiling}\n`);
  return {
    startAt,
    keepAhead(revision) {
      const look = async (): Promise<void> => {
        const reached = await revision();
        if (reached < ceiling - RESERVE) return;
        ceiling = Math.max(ceiling, reached) + BLOCK;
        await writePrivateFile(path, `${ceiling}\n`);
      };
      const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS).unref();
      return { stop: () => clearInterval(timer) };
    },
  };
}

async function readCeiling(path: string): Promise<number> {
  const text = (await readIfThere(path)) ?? '0';
  if (!/^\d{1,15}\n?$/.test(text)) throw new Error(`${path} should hold a number; delete it to count from 1 again`);
  return Number(text);
}
