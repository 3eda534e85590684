import type { StoredEvent } from './stored-event.js';

/** Everything known about one key: its newest version, with older ones chained behind it. */
export interface Slot {
  readonly sortKey: string;
  head: Version;
  /** The time of this slot's entry in the expiry queue, in the queue's own unit; `undefined` when it has none. */
  queuedFor: number | undefined;
}

/** One state of a key: an event, or a tombstone. The event is itself the version, which saves 40 MB of a million. */
export interface Version {
  readonly slot: Slot;
  /** The revision, counted from the store's start: a small integer takes 8 bytes, one from the clock 24. */
  readonly sequence: number;
  readonly event: StoredEvent | undefined;
  older: Version | undefined;
}

/** The version of a key that is visible at `sequence`, if that is an event. */
export function visibleVersion(slot: Slot, sequence: number): Version | undefined {
  let version: Version | undefined = slot.head;
  while (version !== undefined && version.sequence > sequence) version = version.older;
  return version?.event === undefined ? undefined : version;
}
