import type { EventKey, Revision } from '../contract.js';
import type { EventRecord } from '../record.js';

/** Everything known about one key: its newest version, with older ones chained behind it. */
export interface Slot {
  readonly key: EventKey;
  /** See `sortKey`. */
  readonly sortKey: string;
  head: Version;
  /** The moment for which the expiry queue holds an entry that counts; `undefined`: none. */
  queuedFor: number | undefined;
}

/** One state of a key: an event, or (no `record`) a tombstone. */
export interface Version {
  readonly slot: Slot;
  readonly revision: Revision;
  readonly record: EventRecord | undefined;
  older: Version | undefined;
  newer: Version | undefined;
  /** No readable revision shows it any more. */
  reclaimed: boolean;
}

/** True when a reader of `revision` sees exactly this version of its key. */
export function isVisible(version: Version, revision: Revision): boolean {
  return version.revision <= revision && (version.newer === undefined || version.newer.revision > revision);
}

/** What a reader of `revision` sees of a key: a version with a record, or nothing. */
export function visibleVersion(slot: Slot, revision: Revision): Version | undefined {
  let version: Version | undefined = slot.head;
  while (version !== undefined && version.revision > revision) version = version.older;
  return version?.record === undefined ? undefined : version;
}
