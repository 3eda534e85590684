import type { ListQuery } from '../../contract.js';
import { storeError } from '../../errors.js';
import { namespaceBounds, sortKey } from '../bytes/sort-key.js';
import type { MemoryState } from '../state/state.js';

/** The range of a list query, with all bounds resolved. */
export interface ListRange {
  readonly namespace: string | undefined;
  /** The revision that is read, as a step. */
  readonly step: number;
  readonly newestFirst: boolean;
  /** Order by key: between these sort keys, both exclusive. */
  readonly above: string | undefined;
  readonly below: string | undefined;
  /** Newest first: at most this step. */
  readonly upTo: number;
}

/** Checks a query against the history. Fails with `expired` and `future-revision`. */
export function rangeOf(state: MemoryState, query: ListQuery): ListRange {
  const { after, namespace } = query;
  const { start } = state;
  const latest = start + state.log.latest();
  const floor = start + state.log.floor();
  const revision = query.at ?? latest;
  if (!(revision <= latest)) {
    throw storeError('future-revision', `revision ${revision} has not happened yet`, { current: latest });
  }
  if (revision < floor) {
    throw storeError('expired', `revision ${revision} is older than the history`, { current: floor });
  }
  if (!(Number.isSafeInteger(query.limit) && query.limit >= 1)) {
    throw new TypeError('list: give a limit that is a whole number of at least 1');
  }
  const newestFirst = query.order === 'newest-first';
  if (newestFirst && after !== undefined && after.revision === undefined) {
    throw new TypeError('list: newest-first goes on after a position with a revision');
  }
  const bounds = namespace === undefined ? undefined : namespaceBounds(namespace);
  let above = bounds?.above;
  if (after !== undefined) {
    const last = sortKey(after);
    if (above === undefined || last > above) above = last;
  }
  const upTo = after?.revision === undefined ? revision : Math.min(revision, after.revision - 1);
  return { namespace, step: revision - start, newestFirst, above, below: bounds?.below, upTo: upTo - start };
}
