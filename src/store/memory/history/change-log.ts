import { HEAP_COST } from '../accounting/heap-cost.js';
import { StoredEvent } from '../bytes/stored-event.js';
import type { Version } from '../bytes/version.js';
import { createChangeEntries } from './change-entries.js';

/** Approximate cost of a change besides event bytes: its objects and index entries. */
const ENTRY_COST = 256;

function costOf({ older }: Version): number {
  return ENTRY_COST + (older?.event?.size ?? 0);
}

function heapOf({ older }: Version): number {
  return HEAP_COST.logEntry + (older === undefined ? 0 : HEAP_COST.olderVersion);
}

function arenasOf({ older }: Version): number {
  return older?.event === undefined ? 0 : StoredEvent.access.sizeOf(older.event);
}

export type ChangeLog = ReturnType<typeof createChangeLog>;

/**
 * All changes since `floor()`, oldest first. Positions are steps: revisions counted from the store's start. Those of a store of its
 * own have no gaps, those that a feed brings may. The range of the log determines from where a watch may resume, how long a
 * continue token is valid, and how long superseded versions are kept. An entry is the version that a step created and its
 * time: 20 bytes, where a complete Change would take 140.
 */
export function createChangeLog() {
  const entries = createChangeEntries();
  let floor = 0;
  let latest = 0;
  let cost = 0;
  const held = { heap: 0, arenas: 0 };

  /** How many entries are at or before a step that is at least the floor. Without gaps they need not be searched. */
  const countUpTo = (step: number): number => {
    if (step >= latest) return entries.count();
    return latest - floor === entries.count() ? step - floor : entries.countUpTo(step);
  };

  return {
    /** The oldest readable step. All later steps are in the log. */
    floor: (): number => floor,
    latest: (): number => latest,
    /** Cost of the entries in bytes, including the superseded events that they retain. */
    cost: (): number => cost,
    /** Memory of the log and the superseded versions it retains, in bytes: heap objects, and entries in arenas. */
    held: (): { readonly heap: number; readonly arenas: number } => held,
    /** Adds the version (or tombstone) of a step after `latest()`. `at`: monotonic milliseconds. */
    append(version: Version, at: number): void {
      entries.append(version, at);
      latest = version.step;
      cost += costOf(version);
      held.heap += heapOf(version);
      held.arenas += arenasOf(version);
    },
    oldest: (): Version | undefined => entries.oldest(),
    /** When the oldest entry was written. */
    oldestAt: (): number | undefined => entries.oldestTime(),
    /** Drops the oldest entry; its step becomes the floor. Leaves the version's `older` unchanged. */
    dropOldest(): void {
      const version = entries.oldest();
      if (version === undefined) return;
      entries.dropOldest();
      cost -= costOf(version);
      held.heap -= heapOf(version);
      held.arenas -= arenasOf(version);
      floor = version.step;
    },
    /** Nothing happened between the last entry and this step, which becomes the latest. */
    advance(step: number): void {
      latest = step;
    },
    /** How many changes there are after a step that is at least the floor. */
    countAfter: (step: number): number => entries.count() - countUpTo(step),
    /** Up to `max` versions after a step that is at least the floor, oldest first; empty when there are none. */
    read(after: number, max: number): readonly Version[] {
      const versions: Version[] = [];
      const first = countUpTo(after);
      const end = Math.min(entries.count(), first + max);
      for (let position = first; position < end; position++) versions.push(entries.at(position));
      return versions;
    },
  };
}
