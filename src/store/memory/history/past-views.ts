import { createBoundedCache } from '../../../cache/bounded-cache.js';
import type { ChangeLog } from './change-log.js';
import { HEAP_COST } from '../accounting/heap-cost.js';
import { createOrderedIndex, type OrderedIndex } from '../index/ordered-index.js';
import { namespaceOf } from '../bytes/sort-key.js';
import type { Version } from '../bytes/version.js';

/** Changes read in one turn of the event loop: 1 to 2 ms. */
const IN_A_TURN = 2048;
/** How many views are cached. A paged list needs one, and clients do not announce when they stop paging. */
const VIEWS = 8;

/** Versions that were current at a sequence number and no longer are, by revision. */
export interface PastView {
  readonly sequence: number;
  readonly versions: OrderedIndex<number, Version>;
  /** Reads some of the changes not yet seen; true when the view is complete, which it is until the next write. */
  catchUp(): boolean;
}

function createView(log: ChangeLog, sequence: number, namespace: string | undefined): PastView {
  const versions: OrderedIndex<number, Version> = createOrderedIndex((version) => version.sequence);
  let seen = sequence;

  const note = ({ older }: Version): void => {
    if (older?.event === undefined || older.sequence > sequence) return;
    if (namespace === undefined || namespaceOf(older.slot.sortKey) === namespace) versions.insert(older);
  };

  return {
    sequence,
    versions,
    catchUp() {
      // If changes were dropped from the log the number is unreadable too; the reader fails with `expired` then.
      const changes = log.read(Math.max(seen, log.floor()), IN_A_TURN);
      for (const change of changes) note(change);
      // The latest sequence number need not be that of a change.
      seen = changes.length < IN_A_TURN ? log.latest() : (changes.at(-1) as Version).sequence;
      return seen >= log.latest();
    },
  };
}

/** Views for newest-first lists at an earlier revision: an index of superseded versions would cost each update 3 µs. */
export function createPastViews(log: ChangeLog) {
  const known = createBoundedCache<string, PastView>({ maxEntries: VIEWS });

  return {
    /** The view of one namespace (`undefined`: all) at a sequence number that is not below the log's floor. */
    of(sequence: number, namespace: string | undefined): PastView {
      // Namespaces have no slash.
      const id = `${sequence}/${namespace ?? ''}`;
      const before = known.get(id);
      if (before !== undefined) return before;
      const view = createView(log, sequence, namespace);
      known.set(id, view);
      return view;
    },
    held(): number {
      if (known.size() === 0) return 0;
      let entries = 0;
      for (const [, { versions }] of known.entries()) entries += versions.size();
      return entries * HEAP_COST.indexEntry;
    },
    prune(floor: number): void {
      if (known.size() === 0) return;
      for (const [id, { sequence }] of known.entries()) if (sequence < floor) known.delete(id);
    },
  };
}
