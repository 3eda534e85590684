import type { Change, EventKey, Revision } from '../contract.js';
import type { EncodedEvent, EventRecord } from '../record.js';
import { createChangeLog, type ChangeLog } from './change-log.js';
import { createExpiryQueue, type ExpiryQueue } from './expiry-queue.js';
import { createKeyIndex, type KeyIndex } from './key-index.js';
import { createPostings, type Postings } from './postings.js';
import { createRevisionIndex, type RevisionIndex } from './revision-index.js';
import { sortKey } from './sort-key.js';
import type { Slot, Version } from './version.js';

/** What a change costs in the log besides event bytes: its objects and its places in the indexes, roughly. */
const ENTRY_COST = 256;

/** Everything a memory store holds, and the three ways it changes. All of it happens at once, between two events. */
export interface MemoryState {
  readonly log: ChangeLog;
  readonly keys: KeyIndex;
  readonly revisions: RevisionIndex;
  readonly postings: Postings;
  readonly expiry: ExpiryQueue;
  /** The newest version of a key, if it is a record. */
  find(key: EventKey): Version | undefined;
  /** Writes a new state of the key, whatever was there. */
  put(key: EventKey, event: EncodedEvent, expiresAt: number, at: number): EventRecord;
  /** Turns a living version into a tombstone and returns its last state at the deletion's revision. */
  bury(version: Version, at: number): EventRecord;
  /** Forgets the oldest change and the state that only it kept readable. */
  forgetOldest(): void;
}

function createRecord(key: EventKey, revision: Revision, event: EncodedEvent, expiresAt: number): EventRecord {
  return Object.freeze({ key, revision, event, expiresAt });
}

/** Makes an empty state whose first change gets the revision after `start`. */
export function createMemoryState(start: Revision): MemoryState {
  const log = createChangeLog(start);
  const keys = createKeyIndex();
  const revisions = createRevisionIndex();
  const postings = createPostings();
  const expiry = createExpiryQueue();

  /** Puts `next` in front of the slot's newest version. */
  const advance = (slot: Slot, next: Version): void => {
    const { head } = slot;
    head.newer = next;
    slot.head = next;
    if (head.record === undefined) return;
    revisions.supersede(head);
    postings.supersede(head);
  };

  const append = (version: Version, type: Change['type'], record: EventRecord, at: number): void => {
    const { key } = version.slot;
    const { revision } = version;
    const previous = version.older?.record;
    const change: Change = Object.freeze(
      previous === undefined ? { type, key, revision, record } : { type, key, revision, record, previous },
    );
    log.append({ change, version, at, cost: ENTRY_COST + (previous?.event.bytes.length ?? 0) });
  };

  const reclaim = (version: Version): void => {
    version.reclaimed = true;
    if (version.record === undefined) return;
    revisions.drop(version);
    postings.drop(version);
  };

  return {
    log,
    keys,
    revisions,
    postings,
    expiry,
    find(key) {
      const head = keys.get(sortKey(key))?.head;
      return head?.record === undefined ? undefined : head;
    },
    put(givenKey, event, expiresAt, at) {
      const text = sortKey(givenKey);
      const existing = keys.get(text);
      const revision = log.latest() + 1;
      const key = existing?.key ?? Object.freeze({ namespace: givenKey.namespace, name: givenKey.name });
      const record = createRecord(key, revision, event, expiresAt);
      const version = { revision, record, older: existing?.head, newer: undefined, reclaimed: false } as Version & {
        slot: Slot;
      };
      if (existing === undefined) {
        version.slot = { key, sortKey: text, head: version, queuedFor: undefined };
        keys.add(version.slot);
      } else {
        version.slot = existing;
        if (existing.head.record === undefined) keys.raise(existing);
        advance(existing, version);
      }
      revisions.add(version);
      postings.add(version);
      expiry.note(version.slot, expiresAt);
      append(version, 'put', record, at);
      return record;
    },
    bury(living, at) {
      const { slot } = living;
      const last = living.record as EventRecord;
      const revision = log.latest() + 1;
      const tombstone: Version = {
        slot,
        revision,
        record: undefined,
        older: living,
        newer: undefined,
        reclaimed: false,
      };
      keys.bury(slot);
      advance(slot, tombstone);
      const record = createRecord(last.key, revision, last.event, last.expiresAt);
      append(tombstone, 'delete', record, at);
      return record;
    },
    forgetOldest() {
      const entry = log.oldest();
      if (entry === undefined) return;
      log.dropOldest();
      const { version } = entry;
      // Readers from here on are at this revision or later. What stood before it went with the changes before.
      const { older } = version;
      version.older = undefined;
      if (older !== undefined) reclaim(older);
      if (version.record === undefined && version.newer === undefined) keys.drop(version.slot);
    },
  };
}
