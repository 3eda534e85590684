import { HEAP_COST } from '../accounting/heap-cost.js';
import { StoredEvent } from '../bytes/stored-event.js';
import type { Version } from '../bytes/version.js';

/** Entries per segment. With segments no large array is ever copied. */
const SEGMENT = 1024;
/** Approximate cost of a change besides event bytes: its objects and index entries. */
const ENTRY_COST = 256;

export type ChangeLog = ReturnType<typeof createChangeLog>;

/**
 * All changes since `floor()`, oldest first: from there a watch may resume, and superseded versions are kept. Positions
 * are sequence numbers: revisions counted from the store's start, without gaps unless they come from another store's
 * feed. An entry takes 20 bytes, a Change would take 140.
 */
export function createChangeLog() {
  const segments: { readonly versions: (Version | undefined)[]; readonly times: number[] }[] = [];
  let dropped = 0;
  let count = 0;
  let floor = 0;
  let latest = 0;
  let cost = 0;
  const held = { heap: 0, arenas: 0 };

  const at = (position: number): Version => {
    const index = position + dropped;
    return segments[Math.floor(index / SEGMENT)]?.versions[index % SEGMENT] as Version;
  };

  /** How many entries have this sequence number, which is not below the floor, or a smaller one. */
  const countUpTo = (sequence: number): number => {
    if (sequence >= latest) return count;
    // Without gaps there is nothing to search.
    if (latest - floor === count) return sequence - floor;
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (at(middle).sequence <= sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  /** Counts an entry that was added (`sign` 1) or dropped (-1). */
  const account = ({ older }: Version, sign: 1 | -1): void => {
    count += sign;
    cost += sign * (ENTRY_COST + (older?.event?.size ?? 0));
    held.heap += sign * (HEAP_COST.logEntry + (older === undefined ? 0 : HEAP_COST.olderVersion));
    if (older?.event !== undefined) held.arenas += sign * StoredEvent.access.sizeOf(older.event);
  };

  return {
    /** The oldest readable sequence number. All later ones are in the log. */
    floor: (): number => floor,
    latest: (): number => latest,
    /** Cost of the entries in bytes, including the superseded events that they retain. */
    cost: (): number => cost,
    /** Memory of the log and the superseded versions it retains, in bytes: heap objects, and entries in arenas. */
    held: (): { readonly heap: number; readonly arenas: number } => held,
    /** Adds the version (or tombstone) of a sequence number after `latest()`. `time`: monotonic milliseconds. */
    append(version: Version, time: number): void {
      let last = segments.at(-1);
      if (last === undefined || last.versions.length === SEGMENT) segments.push((last = { versions: [], times: [] }));
      last.versions.push(version);
      last.times.push(time);
      latest = version.sequence;
      account(version, 1);
    },
    oldest: (): Version | undefined => segments[0]?.versions[dropped],
    oldestAt: (): number | undefined => segments[0]?.times[dropped],
    /** Drops the oldest entry, if any; its number becomes the floor. Leaves the version's `older` unchanged. */
    dropOldest(): void {
      const [first] = segments;
      const version = first?.versions[dropped];
      if (first === undefined || version === undefined) return;
      first.versions[dropped++] = undefined;
      if (dropped === first.versions.length) {
        segments.shift();
        dropped = 0;
      }
      account(version, -1);
      floor = version.sequence;
    },
    /** Records that nothing changed between the last entry and this sequence number, which becomes the latest. */
    advance(sequence: number): void {
      latest = sequence;
    },
    countAfter: (sequence: number): number => count - countUpTo(sequence),
    /** Up to `max` versions after a sequence number that is at least the floor, oldest first. */
    read(after: number, max: number): readonly Version[] {
      const first = countUpTo(after);
      const versions: Version[] = [];
      for (let position = first; position < Math.min(count, first + max); position++) versions.push(at(position));
      return versions;
    },
  };
}
