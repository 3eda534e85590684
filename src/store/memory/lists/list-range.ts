import type { ListQuery } from '../../contract/event-store.js';
import { checkReadable } from '../../contract/conditions.js';
import { namespaceBounds, namespaceOf, sortKey } from '../bytes/sort-key.js';
import type { Version } from '../bytes/version.js';
import type { MemoryState } from '../state/state.js';

export interface ListRange {
  readonly namespace: string | undefined;
  /** The revision that is read, as a sequence number. */
  readonly sequence: number;
  readonly newestFirst: boolean;
  /** Order by key: between these sort keys, both exclusive. */
  readonly above: string | undefined;
  readonly below: string | undefined;
  /** Newest first: at most this sequence number. */
  readonly upTo: number;
}

export function inRange(range: ListRange, { slot: { sortKey }, sequence }: Version): boolean {
  const { newestFirst, namespace, upTo, above, below } = range;
  if (newestFirst) return sequence <= upTo && (namespace === undefined || namespaceOf(sortKey) === namespace);
  return (above === undefined || sortKey > above) && (below === undefined || sortKey < below);
}

export function rangeOf(state: MemoryState, query: ListQuery): ListRange {
  const { after, namespace } = query;
  const { start } = state;
  const latest = start + state.log.latest();
  const floor = start + state.log.floor();
  const revision = query.at ?? latest;
  checkReadable(revision, floor, latest);
  const newestFirst = query.order === 'newest-first';
  const bounds = namespace === undefined ? undefined : namespaceBounds(namespace);
  let above = bounds?.above;
  if (after !== undefined) {
    const last = sortKey(after);
    if (above === undefined || last > above) above = last;
  }
  const upTo = after?.revision === undefined ? revision : Math.min(revision, after.revision - 1);
  return { namespace, sequence: revision - start, newestFirst, above, below: bounds?.below, upTo: upTo - start };
}

/** The most changes that are undone to count at an earlier revision. Beyond that no count is returned. */
const MAX_CHANGES = 20_000;

/**
 * How many events of the range follow `last` at the revision of the range. The indexes count the newest state; changes
 * since the revision are undone one by one. `undefined` when there are too many of them.
 */
export function countLeft({ log, revisions, keys }: MemoryState, range: ListRange, last: Version): number | undefined {
  const { sequence, namespace, newestFirst, below } = range;
  if (log.countAfter(sequence) > MAX_CHANGES) return undefined;
  const above = last.slot.sortKey;
  const rest = { ...range, above, upTo: last.sequence - 1 };
  let left = newestFirst ? revisions.of(namespace).count(undefined, last.sequence) : keys.live.count(above, below);
  for (const version of log.read(sequence, MAX_CHANGES)) {
    const { older } = version;
    if (older?.event !== undefined && older.sequence <= sequence && inRange(rest, older)) left++;
    const isNewest = version.event !== undefined && version.slot.head === version;
    if (isNewest && inRange(rest, version)) left--;
  }
  return left;
}
