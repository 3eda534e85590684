import type { ListQuery } from '../../contract/event-store.js';
import { checkReadable } from '../../contract/conditions.js';
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
  checkReadable(revision, floor, latest);
  const newestFirst = query.order === 'newest-first';
  const bounds = namespace === undefined ? undefined : namespaceBounds(namespace);
  let above = bounds?.above;
  if (after !== undefined) {
    const last = sortKey(after);
    if (above === undefined || last > above) above = last;
  }
  const upTo = after?.revision === undefined ? revision : Math.min(revision, after.revision - 1);
  return { namespace, step: revision - start, newestFirst, above, below: bounds?.below, upTo: upTo - start };
}
