import type { Change, Revision } from '../contract.js';
import type { Version } from './version.js';

const SEGMENT = 1024;

/** One step of history with what its removal has to know. */
export interface LogEntry {
  readonly change: Change;
  /** The version (or tombstone) that this step made. */
  readonly version: Version;
  /** When it was written, monotonic milliseconds. */
  readonly at: number;
  /** What history costs because of it, in bytes. */
  readonly cost: number;
}

/**
 * All changes since `floor()`, oldest first, in segments so that nothing large is ever copied at once. Revisions follow
 * each other without gaps here, so a revision is a place. Its extent decides three things alike: from where a watch may
 * resume, how long a continue token is good, and how long dead versions live.
 */
export interface ChangeLog {
  /** The oldest readable revision: everything after it is in the log. */
  floor(): Revision;
  latest(): Revision;
  /** The summed cost of the entries. */
  cost(): number;
  /** Adds the change with the revision `latest() + 1`. */
  append(entry: LogEntry): void;
  oldest(): LogEntry | undefined;
  /** Forgets the oldest entry; its revision becomes the floor. */
  dropOldest(): void;
  /** Up to `max` changes after a revision that is at least the floor; empty when there are none. */
  read(after: Revision, max: number): readonly Change[];
  /** Every entry after a revision that is at least the floor, oldest first. */
  each(after: Revision, visit: (entry: LogEntry) => void): void;
}

/** Makes an empty log whose first change will have the revision after `start`. */
export function createChangeLog(start: Revision): ChangeLog {
  const segments: (LogEntry | undefined)[][] = [];
  /** Entries of the first segment that were dropped already. */
  let dropped = 0;
  let floor = start;
  let latest = start;
  let cost = 0;

  const entryAt = (revision: Revision): LogEntry => {
    const index = revision - floor - 1 + dropped;
    return segments[Math.floor(index / SEGMENT)]?.[index % SEGMENT] as LogEntry;
  };

  return {
    floor: () => floor,
    latest: () => latest,
    cost: () => cost,
    append(entry) {
      const last = segments.at(-1);
      if (last === undefined || last.length === SEGMENT) segments.push([entry]);
      else last.push(entry);
      latest = entry.change.revision;
      cost += entry.cost;
    },
    oldest: () => segments[0]?.[dropped],
    dropOldest() {
      const [first] = segments;
      const entry = first?.[dropped];
      if (first === undefined || entry === undefined) return;
      cost -= entry.cost;
      floor = entry.change.revision;
      first[dropped++] = undefined;
      if (dropped === first.length) {
        segments.shift();
        dropped = 0;
      }
    },
    read(after, max) {
      const changes: Change[] = [];
      const end = Math.min(latest, after + max);
      for (let revision = after + 1; revision <= end; revision++) changes.push(entryAt(revision).change);
      return changes;
    },
    each(after, visit) {
      for (let revision = after + 1; revision <= latest; revision++) visit(entryAt(revision));
    },
  };
}
