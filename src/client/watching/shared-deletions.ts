import type { Event } from '../../model/event.js';
import { keyOf, revisionOf } from '../requests/revisions.js';

/** Kubernetes attaches at most 1,000 events to a lease. */
const MAX_KEYS = 10_000;

/**
 * The deletions at the last revision that was seen. Kubernetes lets etcd expire events by leases, and all events of a
 * lease are deleted at one revision: a position at this revision does not mean that all of its deletions were seen.
 */
export function createSharedDeletions() {
  let revision: string | undefined;
  let before = '';
  const keys = new Set<string>();
  return {
    /** The position before the revision of a deletion, which was reached at `position`; undefined if it was seen. */
    positionBefore(event: Event, position: string): string | undefined {
      const at = revisionOf(event);
      if (at === '') return position;
      if (at !== revision) {
        revision = at;
        before = position;
        keys.clear();
      }
      const key = keyOf(event);
      if (keys.has(key)) return undefined;
      if (keys.size < MAX_KEYS) keys.add(key);
      return before;
    },
    /** Where a watch resumes. One after a deletion would leave out others at its revision that were not sent yet. */
    resumeFrom(position: string | undefined): string | undefined {
      if (position === undefined || position !== revision || !/^[1-9]\d*$/.test(position)) return position;
      return String(BigInt(position) - 1n);
    },
  };
}
