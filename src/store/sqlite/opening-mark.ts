import { fsyncSync, readFileSync, statSync, writeSync } from 'node:fs';
import type { Revision } from '../contract/event-store.js';
import { createPrivateFile, withFile } from './file-lock.js';
import { timeOf, type State } from './state.js';

/** Always as long, so that a full disk has room for it. */
const MARK_BYTES = 256;
const NOTE_EVERY_MS = 1000;
/** A file that may have lost revisions goes on so far above: more than anybody writes between two copies. */
const BEYOND = 1_000_000_000;

/** What is remembered of the database file, outside of it. */
interface Mark {
  /** Which file it is. */
  readonly file: string;
  /** The numbers its latest opening may have written into it. */
  readonly openings: readonly number[];
  /** A revision it had reached. */
  readonly latest: Revision;
}

/**
 * Remembers, in a file beside the database, which database was open here last. A copy of it that was put back has lost what
 * came after it was made, and nothing inside of it says so.
 */
export interface OpeningMark {
  /** Whether the database is the one that was open here last, and has lost nothing since. */
  isProven(found: { readonly opening: number; readonly latest: Revision }): boolean;
  /** The latest revision that is remembered; 0: none. */
  readonly latest: Revision;
  /** Before the number of this opening is written into the database: it may or may not happen. */
  begin(openings: readonly number[], latest: Revision): void;
  /** Notes a revision, once a second at most. `force`: now, and safely. */
  note(latest: Revision, force?: boolean): void;
}

/** Reads the mark of a database file. Its failures are no errors: the next opening then takes the file for a copy. */
export function readOpeningMark(databasePath: string): OpeningMark {
  const path = `${databasePath}-mark`;

  const identity = (): string => {
    // Without the device, whose number may be another one after a restart of the machine.
    return String(statSync(databasePath, { throwIfNoEntry: false })?.ino);
  };
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
      // It says less than it could, never something wrong.
    }
  };

  return {
    latest: found?.latest ?? 0,
    isProven: ({ opening, latest }) =>
      found !== undefined && found.file === identity() && found.openings.includes(opening) && latest >= found.latest,
    begin(candidates, latest) {
      openings = candidates;
      write(latest, true);
    },
    note(latest, force = false) {
      if (latest === noted && !force) return;
      const now = performance.now();
      if (!force && now - notedAt < NOTE_EVERY_MS) return;
      notedAt = now;
      write(latest, force);
    },
  };
}

/**
 * Where an opening begins, which its mark is told. It never gives out a revision again: the file that was open here last
 * goes on where it was, by the clock or by its own counter. Any other one, a copy that was restored above all, has lost
 * nobody knows what: it begins above everything that can have been, and what clients remember from before is expired.
 */
export function stateOfOpening(
  found: State,
  mark: OpeningMark,
  isNew: boolean,
  startAt: Revision | undefined,
  now: number,
): State {
  const proven = isNew ? mark.latest < found.latest : mark.isProven(found);
  const beyond = Math.max(startAt ?? now, mark.latest, found.latest) + BEYOND;
  const least = proven ? (startAt === undefined ? now : found.latest) : beyond;
  const latest = Math.max(found.latest, Math.min(Number.MAX_SAFE_INTEGER, Math.floor(least)));
  const opening = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  // Whether the number gets into a file that is proven does not matter; another one stays unproven until it has.
  mark.begin(proven ? [found.opening, opening] : [opening], proven ? found.latest : latest);
  return { ...found, ...timeOf(found, now), latest, floor: proven ? found.floor : latest, opening };
}
