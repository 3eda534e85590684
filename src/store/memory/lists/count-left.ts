import type { ListRange } from './list-range.js';
import { namespaceOf } from '../bytes/sort-key.js';
import type { MemoryState } from '../state/state.js';
import type { Version } from '../index/key-index.js';

/** The most changes that are undone to count at an earlier revision. Beyond that no count is returned. */
const MAX_CHANGES = 20_000;

/**
 * How many events of the range follow `last` at the revision of the range. The indexes count the newest state; changes
 * since the revision are undone one by one. `undefined` when there are too many of them.
 */
export function countLeft(state: MemoryState, range: ListRange, last: Version): number | undefined {
  const { log } = state;
  const { step, namespace, newestFirst, below } = range;
  if (log.latest() - step > MAX_CHANGES) return undefined;
  const after = last.slot.sortKey;
  let left = newestFirst
    ? state.revisions.of(namespace).count(undefined, last.step)
    : state.keys.live.count(after, below);

  const inRange = (version: Version): boolean => {
    const { sortKey } = version.slot;
    if (newestFirst) return version.step < last.step && (namespace === undefined || namespaceOf(sortKey) === namespace);
    return sortKey > after && (below === undefined || sortKey < below);
  };
  const undo = (version: Version): void => {
    const { older } = version;
    if (older?.event !== undefined && older.step <= step && inRange(older)) left++;
    const isNewest = version.event !== undefined && version.slot.head === version;
    if (isNewest && inRange(version)) left--;
  };
  log.each(step, undo);
  return left;
}
