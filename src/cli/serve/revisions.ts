import { readIfThere, writePrivateFile } from './private-file.js';

/** How many revisions are reserved at once: more than a server writes in hours. */
const BLOCK = 100_000_000;
/** The next block is reserved when less than this is left, checked every {@link CHECK_MS}. */
const RESERVE = BLOCK / 10;
const CHECK_MS = 60_000;

export interface Revisions {
  /** The first revision of a new store: above all that an earlier one in this data directory may have used. */
  readonly startAt: number;
  /** Reserves further revisions as the store uses them up, until `stop` is called. */
  keepReserving(revision: () => Promise<number>): { readonly stop: () => void };
}

/**
 * Reserves revisions in a file, so that a store that starts empty never uses one twice and can still count from small
 * numbers. Clients that watch from before such a start get an error for their old revision.
 *
 * @param storeIsDurable the file matters only if the store is deleted: the start continues if it cannot be written (a
 * full disk), and the write is tried again later
 */
export async function reserveRevisions(
  path: string,
  { storeIsDurable }: { readonly storeIsDurable: boolean },
): Promise<Revisions> {
  const startAt = await readCeiling(path);
  let ceiling = startAt + BLOCK;
  let written = await writePrivateFile(path, `${ceiling}\n`).then(
    () => true,
    (error: unknown) => {
      if (!storeIsDurable) throw error;
      return false;
    },
  );
  return {
    startAt,
    keepReserving(revision) {
      const check = async (): Promise<void> => {
        const reached = await revision();
        if (written && reached < ceiling - RESERVE) return;
        ceiling = Math.max(ceiling, reached) + BLOCK;
        written = false;
        await writePrivateFile(path, `${ceiling}\n`);
        written = true;
      };
      const timer = setInterval(() => void check().catch(() => undefined), CHECK_MS).unref();
      return { stop: () => clearInterval(timer) };
    },
  };
}

async function readCeiling(path: string): Promise<number> {
  const text = ((await readIfThere(path)) ?? '0').trim();
  const ceiling = Number(text);
  // Revisions that come from the clock in microseconds have 16 digits.
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(ceiling + BLOCK)) {
    throw new Error(`${path} should contain a number; delete it to count from 1 again`);
  }
  return ceiling;
}
