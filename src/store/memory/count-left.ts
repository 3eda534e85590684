import type { EventKey } from '../contract.js';
import type { LogEntry } from './change-log.js';
import type { ListRange } from './list-range.js';
import type { MemoryState } from './state.js';
import type { Version } from './version.js';

/** How many changes a count looks through to get from now back to a snapshot. Beyond that it is not given. */
const LONGEST_WAY_BACK = 20_000;

/**
 * How many events of the range follow `last`, in the snapshot of the range. The indexes count what is there now; what
 * happened since the snapshot is taken back change by change. `undefined`: too much has happened.
 */
export function countLeft(state: MemoryState, range: ListRange, last: Version): number | undefined {
  const { log } = state;
  const { revision, namespace, newestFirst, below } = range;
  if (log.latest() - revision > LONGEST_WAY_BACK) return undefined;
  const after = last.slot.sortKey;
  let left = newestFirst
    ? state.revisions.of(namespace).current.count(undefined, last.revision)
    : state.keys.living.count(after, below);

  const inRange = (key: EventKey, sortKey: string, version: number): boolean => {
    if (newestFirst) return version < last.revision && (namespace === undefined || key.namespace === namespace);
    return sortKey > after && (below === undefined || sortKey < below);
  };
  const takeBack = ({ change, version }: LogEntry): void => {
    const { key, sortKey } = version.slot;
    const { previous } = change;
    if (previous !== undefined && previous.revision <= revision && inRange(key, sortKey, previous.revision)) left++;
    const isNewest = change.type === 'put' && version.newer === undefined;
    if (isNewest && inRange(key, sortKey, version.revision)) left--;
  };
  log.each(revision, takeBack);
  return left;
}
