import type { ListRange } from './list-range.js';
import { namespaceOf } from '../bytes/sort-key.js';
import type { MemoryState } from '../state/state.js';
import type { Version } from '../index/version.js';

/** How many changes a count looks through to get from now back to a snapshot. Beyond that it is not given. */
const LONGEST_WAY_BACK = 20_000;

/**
 * How many events of the range follow `last`, in the snapshot of the range. The indexes count what is there now; what
 * happened since the snapshot is taken back change by change. `undefined`: too much has happened.
 */
export function countLeft(state: MemoryState, range: ListRange, last: Version): number | undefined {
  const { log } = state;
  const { step, namespace, newestFirst, below } = range;
  if (log.latest() - step > LONGEST_WAY_BACK) return undefined;
  const after = last.slot.sortKey;
  let left = newestFirst
    ? state.revisions.of(namespace).count(undefined, last.step)
    : state.keys.living.count(after, below);

  const inRange = (version: Version): boolean => {
    const { sortKey } = version.slot;
    if (newestFirst) return version.step < last.step && (namespace === undefined || namespaceOf(sortKey) === namespace);
    return sortKey > after && (below === undefined || sortKey < below);
  };
  const takeBack = (version: Version): void => {
    const { older } = version;
    if (older?.event !== undefined && older.step <= step && inRange(older)) left++;
    const isNewest = version.event !== undefined && version.slot.head === version;
    if (isNewest && inRange(version)) left--;
  };
  log.each(step, takeBack);
  return left;
}
