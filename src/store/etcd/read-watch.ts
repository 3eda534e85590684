import type { Change } from '../contract/event-store.js';
import { storeError, type StoreError } from '../contract/errors.js';
import type { Revision } from '../contract/record.js';
import type { Layout } from './layout.js';
import type { WatchEvent } from './connection.js';

export interface WatchBatch {
  readonly changes: readonly Change[];
  /** Everything up to here was seen. */
  readonly seen: Revision;
  /** History ended in the middle: what follows the changes is unknown. */
  readonly failure?: StoreError;
}

/** The changes in the events of a watch, from the first after `after`. */
export function readWatchEvents(layout: Layout, events: readonly WatchEvent[], after: Revision): WatchBatch {
  const changes: Change[] = [];
  let seen = after;
  /** Nothing is given of a revision of which a change is missing, because readers cannot resume within it. */
  const endBefore = (revision: Revision, message: string): WatchBatch => {
    if (changes.at(-1)?.revision === revision) changes.pop();
    const failure = storeError('expired', message, { current: revision });
    return { changes, seen: Math.min(seen, revision - 1), failure };
  };
  for (const { type, kv, previous } of events) {
    const revision = kv.modRevision;
    if (revision <= after) continue;
    const isFirst = type === 'put' && kv.version === 1;
    const isOwn = layout.isTick(kv.key) || layout.isLift(kv.key);
    if (!isOwn && !isFirst && previous === undefined) {
      // etcd omits a previous state that was compacted in the meantime.
      return endBefore(revision, 'etcd has compacted the state before a change');
    }
    seen = revision;
    if (isOwn) continue;
    const before = previous && layout.record(previous);
    const record = type === 'put' ? layout.record(kv) : before && { ...before, revision };
    if (record === undefined) continue;
    if (changes.at(-1)?.revision === revision) {
      // Another program changed several events in one transaction.
      return endBefore(revision, 'several events were changed at one revision of etcd');
    }
    changes.push({ type, key: record.key, revision, record, ...(before !== undefined && { previous: before }) });
  }
  return { changes, seen };
}
