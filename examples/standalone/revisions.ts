import { readIfThere, writePrivateFile } from './private-file.js';

/** How many revisions are set aside at once: more than a server writes in hours. */
const BLOCK = 100_000_000;
/** What must be left of a block when nobody has looked for {@link LOOK_MS}. */
const RESERVE = BLOCK / 10;
const LOOK_MS = 60_000;

/** The revisions of a store that forgets everything when it ends, kept apart from run to run. */
export interface Revisions {
  /** Where this run begins: above everything an earlier run may have used. */
  readonly startAt: number;
  /** Sets further revisions aside while the store uses them up. Ends with `stop`. */
  keepAhead(revision: () => Promise<number>): { readonly stop: () => void };
}

/**
 * Sets revisions aside in a file, so that a memory store that is started again never uses one twice and can still count
 * from small numbers that people can read. A client that watches from before the restart is told that its revision is gone.
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
        if ((await revision()) < ceiling - RESERVE) return;
        ceiling += BLOCK;
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
