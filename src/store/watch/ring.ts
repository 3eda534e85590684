import type { Change, Revision } from '../contract/event-store.js';
import { batchAt, type Batch } from './batch.js';
import { createFrameMemory } from './frame-memory.js';
import { HubEntry, type EntryStorage } from './hub-entry.js';

/** The minimum number of empty elements at the front before the rest is copied. */
const SLACK = 1024;

export type Ring = ReturnType<typeof createRing>;

/** Creates a buffer of the latest changes, up to `maxBytes`: all after `floor()` up to `head()`, without gaps. */
export function createRing(maxBytes: number) {
  let entries: (HubEntry | undefined)[] = [];
  let start = 0;
  let floor = 0;
  let head = 0;
  let bytes = 0;
  /** The last result of `read`: watchers advance in groups, so most calls are equal. */
  let latest: { readonly after: Revision; readonly to: Revision; readonly batch: Batch } | undefined;

  const trim = (): void => {
    while (bytes > maxBytes && start < entries.length) {
      const entry = entries[start] as HubEntry;
      entries[start++] = undefined;
      bytes -= entry.cost();
      floor = entry.change.revision;
    }
    if (start >= SLACK && start * 2 >= entries.length) {
      entries = entries.slice(start);
      start = 0;
    }
  };

  const onGrow = (entry: HubEntry, grown: number): void => {
    // Entries that left the ring are not counted.
    if (entry.change.revision <= floor) return;
    bytes += grown;
    trim();
  };

  const storage: EntryStorage = { memory: createFrameMemory(), onGrow };

  const indexAfter = (revision: Revision): number => {
    let low = start;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((entries[middle] as HubEntry).change.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    floor: (): Revision => floor,
    /** The revision of the last change, or a later one that the feed has reached. */
    head: (): Revision => head,
    size: (): { readonly changes: number; readonly bytes: number; readonly maxBytes: number } => ({
      changes: entries.length - start,
      bytes,
      maxBytes,
    }),
    /** Empties the ring; the next change comes after this revision. */
    restart(at: Revision): void {
      entries = [];
      start = 0;
      bytes = 0;
      floor = at;
      head = at;
      latest = undefined;
    },
    append(changes: readonly Change[]): void {
      for (const change of changes) {
        // A feed that repeats changes after a failure must not make watchers see them twice.
        if (change.revision <= head) continue;
        const entry = new HubEntry(change, storage);
        entries.push(entry);
        bytes += entry.cost();
        head = change.revision;
      }
      trim();
    },
    advance(to: Revision): void {
      head = Math.max(head, to);
    },
    /** Changes after a revision that is at least the floor, up to another. Equal calls share the batch. */
    read(after: Revision, to: Revision): Batch | undefined {
      if (after >= to) return undefined;
      if (latest?.after === after && latest.to === to) return latest.batch;
      const first = indexAfter(after);
      const end = indexAfter(to);
      if (first === end) return undefined;
      const batch = batchAt(entries, first, end);
      latest = { after, to, batch };
      return batch;
    },
  };
}
