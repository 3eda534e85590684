import { fsyncSync, readFileSync, statSync, writeSync } from 'node:fs';
import type { Revision } from '../contract/event-store.js';
import { createPrivateFile, withFile } from './file-lock.js';
import { timeOf, type State } from './state.js';

/** Fixed, so that a full disk has room for every mark. */
const MARK_BYTES = 256;
const NOTE_EVERY_MS = 1000;
/** A file that may have lost revisions continues this far above them: more than is written between two copies. */
const BEYOND = 1_000_000_000;

interface Mark {
  /** The inode of the database file. Not its device, whose number may change when the machine restarts. */
  readonly file: string;
  /** The numbers its latest opening may have written into it. */
  readonly openings: readonly number[];
  /** A revision it had reached. */
  readonly latest: Revision;
}

export type MarkerFile = ReturnType<typeof readMarkerFile>;

/**
 * Records, beside the database, which database was open here last: nothing inside shows that a file is a restored copy.
 * Without a readable mark the next opening takes it for one.
 */
export function readMarkerFile(databasePath: string) {
  const path = `${databasePath}-mark`;

  const identity = (): string => String(statSync(databasePath, { throwIfNoEntry: false })?.ino);
  const read = (): Mark | undefined => {
    try {
      const mark = JSON.parse(readFileSync(path, 'utf8')) as Partial<Mark>;
      const { file, openings, latest } = mark;
      if (typeof file !== 'string' || !Array.isArray(openings) || !Number.isSafeInteger(latest)) return undefined;
      return { file, openings: openings as number[], latest: latest as number };
    } catch {
      return undefined;
    }
  };

  const found = read();
  let openings: readonly number[] = [];
  let noted = 0;
  let notedAt = 0;

  const write = (latest: Revision, safely: boolean): void => {
    try {
      const mark: Mark = { file: identity(), openings, latest };
      createPrivateFile(path);
      withFile(path, 'r+', (file) => {
        writeSync(file, JSON.stringify(mark).padEnd(MARK_BYTES), 0);
        if (safely) fsyncSync(file);
      });
      noted = latest;
    } catch {
      // The mark is then older, never wrong.
    }
  };

  return {
    /** The latest recorded revision; 0: none. */
    latest: (found?.latest ?? 0) as Revision,
    /** Whether the database is the one that was open here last, and has lost nothing since. */
    isProven: ({ opening, latest }: Pick<State, 'opening' | 'latest'>): boolean =>
      found !== undefined && found.file === identity() && found.openings.includes(opening) && latest >= found.latest,
    /** Called before the number of this opening is written into the database, which may fail. */
    begin(candidates: readonly number[], latest: Revision): void {
      openings = candidates;
      write(latest, true);
    },
    /** Records a revision, once a second at most. `force`: now, and synced. */
    note(latest: Revision, force = false): void {
      if (latest === noted && !force) return;
      const now = performance.now();
      if (!force && now - notedAt < NOTE_EVERY_MS) return;
      notedAt = now;
      write(latest, force);
    },
  };
}

/**
 * The counters of an opening. No revision is assigned twice: the file that was open here last continues from the clock
 * or its own counter. Any other may have lost revisions: it begins above all that may have been used.
 */
export function stateOfOpening(
  found: State,
  mark: MarkerFile,
  isNew: boolean,
  startAt: Revision | undefined,
  now: number,
): State {
  const proven = isNew ? mark.latest < found.latest : mark.isProven(found);
  const beyond = Math.max(startAt ?? now, mark.latest, found.latest) + BEYOND;
  const least = proven ? (startAt === undefined ? now : found.latest) : beyond;
  const latest = Math.max(found.latest, Math.min(Number.MAX_SAFE_INTEGER, Math.floor(least)));
  const opening = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  // A proven file stays proven when the number cannot be written; any other is unproven until it is.
  mark.begin(proven ? [found.opening, opening] : [opening], proven ? found.latest : latest);
  return { ...found, ...timeOf(found, now), latest, floor: proven ? found.floor : latest, opening };
}
