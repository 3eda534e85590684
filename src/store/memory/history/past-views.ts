import type { ChangeLog } from './change-log.js';
import { HEAP_COST } from '../accounting/heap-cost.js';
import { createOrderedIndex, type OrderedIndex } from '../index/ordered-index.js';
import { namespaceOf } from '../bytes/sort-key.js';
import type { Version } from '../index/version.js';

/** How many changes are gone through in one turn of the event loop: 1 to 2 ms. */
const IN_A_TURN = 2048;
/** How many views are remembered: a walk in pages needs one, and who walks no longer does not say so. */
const VIEWS = 8;

/** Versions that stood at a step and no longer do, by revision. */
export interface PastView {
  readonly step: number;
  readonly versions: OrderedIndex<number, Version>;
  /** Goes through some changes that it has not seen; true when it has seen all, and is right until the next write. */
  catchUp(): boolean;
}

/**
 * What it takes to read newest first at a revision that has passed. It is found in the changes since then, once for all
 * pages of a walk: to keep superseded versions in an index of their own would cost every update 3 µs, and hardly any is
 * ever asked for in that order.
 */
export interface PastViews {
  /** The view of one namespace (`undefined`: all) at a step that is not below the log's floor. */
  of(step: number, namespace: string | undefined): PastView;
  /** Steps below this can no longer be read. */
  forget(floor: number): void;
  /** What is remembered takes in memory, in bytes. */
  held(): number;
}

function createView(log: ChangeLog, step: number, namespace: string | undefined): PastView {
  const versions = createOrderedIndex<number, Version>((version) => version.step);
  let seen = step;

  const note = ({ older }: Version): void => {
    if (older?.event === undefined || older.step > step) return;
    if (namespace === undefined || namespaceOf(older.slot.sortKey) === namespace) versions.insert(older.step, older);
  };

  return {
    step,
    versions,
    catchUp() {
      // What is no longer in the log makes the step unreadable as well, which the reader finds out.
      for (const change of log.read(Math.max(seen, log.floor()), IN_A_TURN)) {
        note(change);
        seen = change.step;
      }
      return seen >= log.latest();
    },
  };
}

/** Makes the views of a log. */
export function createPastViews(log: ChangeLog): PastViews {
  /** In order of their last use. */
  const known = new Map<string, PastView>();

  return {
    of(step, namespace) {
      // Namespaces have no slash.
      const id = `${step}/${namespace ?? ''}`;
      const view = known.get(id) ?? createView(log, step, namespace);
      known.delete(id);
      known.set(id, view);
      for (const oldest of known.keys()) {
        if (known.size <= VIEWS) break;
        known.delete(oldest);
      }
      return view;
    },
    held() {
      if (known.size === 0) return 0;
      let entries = 0;
      for (const { versions } of known.values()) entries += versions.size();
      return entries * HEAP_COST.indexEntry;
    },
    forget(floor) {
      if (known.size === 0) return;
      for (const [id, { step }] of known) if (step < floor) known.delete(id);
    },
  };
}
