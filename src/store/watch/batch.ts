import { eventSize } from '../record.js';
import type { HubEntry } from './hub-entry.js';

/** The most changes a watcher gets at once, and about how many bytes of events: what a client that stopped holds. */
const MOST = 128;
const MOST_BYTES = 131_072;

/** The entries from `start` on, before `limit`, that make a batch: at least one, if there is one. */
export function batchAt(
  entries: readonly (HubEntry | undefined)[],
  start: number,
  limit: number = entries.length,
): readonly HubEntry[] {
  let bytes = 0;
  let end = start;
  for (; end < limit && end - start < MOST && bytes < MOST_BYTES; end++) {
    bytes += eventSize((entries[end] as HubEntry).change.record.event);
  }
  return entries.slice(start, end) as HubEntry[];
}
