import type { Change, EventKey, Revision } from '../../contract.js';
import type { EncodedEvent, EventRecord } from '../../record.js';
import { createChangeLog, type ChangeLog } from '../history/change-log.js';
import { createEventKeeper, type EventKeeper } from '../bytes/event-keeper.js';
import { createExpiryQueue, type ExpiryQueue } from '../index/expiry-queue.js';
import { createKeyIndex, type KeyIndex } from '../index/key-index.js';
import { createPastViews, type PastViews } from '../history/past-views.js';
import { createPostings, type Postings } from '../index/postings.js';
import { createRevisionIndex, type RevisionIndex } from '../index/revision-index.js';
import { keyOf, sortKey } from '../bytes/sort-key.js';
import { StoredEvent } from '../bytes/stored-event.js';
import type { Slot, Version } from '../index/version.js';

/** With {@link MemoryState.put}. */
export interface PutTimes {
  /** Microseconds since the epoch. */
  readonly expiresAt: number;
  /** From now until then, in milliseconds. */
  readonly retentionMs: number;
  /** Now, monotonic milliseconds. */
  readonly at: number;
}

/** See {@link MemoryState.held}. */
export interface StateHeld {
  readonly current: number;
  readonly history: number;
}

/** Everything a memory store holds, and the three ways it changes. All of it happens at once, between two events. */
export interface MemoryState {
  /** The revision of step 0: everywhere in here revisions are steps, counted from the start. */
  readonly start: Revision;
  readonly log: ChangeLog;
  readonly keys: KeyIndex;
  readonly revisions: RevisionIndex;
  readonly postings: Postings;
  readonly pastViews: PastViews;
  readonly expiry: ExpiryQueue;
  readonly events: EventKeeper;
  /** The newest version of a key, if it is an event. */
  find(key: EventKey): Version | undefined;
  /** The slot of a key, or the sort key for one. */
  place(key: EventKey): Slot | string;
  /** Writes a new state there, whatever was there. */
  put(place: Slot | string, event: EncodedEvent, times: PutTimes): Version;
  /** Puts a tombstone in front of a living version. */
  bury(version: Version, at: number): Version;
  /** Forgets the oldest change and the state that only it kept readable. */
  forgetOldest(): void;
  /** What all this takes in memory, in bytes: what is current, and what is kept of the past. */
  held(): StateHeld;
  /** A version with an event, as callers get it. `step`: another one than its own; `key`: its key, where that is at hand. */
  record(version: Version, step?: number, key?: EventKey): EventRecord;
  /** What the step that made this version did. */
  change(version: Version): Change;
}

/** Makes an empty state whose first change gets the revision after `start`. `slabBytes`: see `createSlabs`. */
export function createMemoryState(start: Revision, slabBytes?: number): MemoryState {
  const log = createChangeLog();
  const keys = createKeyIndex();
  const revisions = createRevisionIndex();
  const postings = createPostings();
  const pastViews = createPastViews(log);
  const expiry = createExpiryQueue(start);
  const events = createEventKeeper(slabBytes);

  /** Makes `next` the newest version of its key. */
  const advance = (next: Version): void => {
    const { slot, older } = next;
    slot.head = next;
    if (next.event !== undefined) revisions.add(next);
    if (older?.event !== undefined) {
      revisions.drop(older);
      events.supersede(older.event);
    }
    postings.put(next);
  };

  /** An event mostly has the texts of the one it replaces: they are kept already, and need not be looked up. */
  const internedLike =
    (before: StoredEvent): Postings['intern'] =>
    (field, value) => {
      const kept = StoredEvent.field(before, field);
      return value === kept && value !== '' ? kept : postings.intern(field, value);
    };

  /**
   * The key of the last record that was given out, and its slot. An update asks for what it has just read, by that key: 2 µs
   * less than to look it up again and to make another.
   */
  let last: { readonly key: EventKey; readonly slot: Slot } | undefined;

  /** `given`: the key, where it is at hand and need not be made. */
  const keyOfSlot = (slot: Slot, given?: EventKey): EventKey => {
    if (last?.slot !== slot) {
      const key = given && Object.freeze({ namespace: given.namespace, name: given.name });
      last = { key: key ?? keyOf(slot.sortKey), slot };
    }
    return last.key;
  };

  /** A slot that is no longer in the index ends with a tombstone. */
  const known = (key: EventKey): Slot | undefined =>
    last?.key === key && last.slot.head.event !== undefined ? last.slot : undefined;

  const record = ({ slot, event, step }: Version, at = step, given?: EventKey): EventRecord => {
    const stored = event as StoredEvent;
    const expiresAt = StoredEvent.expiresAt(stored);
    const key = keyOfSlot(slot, given);
    return Object.freeze({ key, revision: start + at, event: stored, expiresAt });
  };

  return {
    start,
    log,
    keys,
    revisions,
    postings,
    pastViews,
    expiry,
    events,
    record,
    find(key) {
      const head = (known(key) ?? keys.get(sortKey(key)))?.head;
      return head?.event === undefined ? undefined : head;
    },
    place(key) {
      const text = sortKey(key);
      return keys.get(text) ?? text;
    },
    put(place, given, { expiresAt, retentionMs, at }) {
      const existing = typeof place === 'string' ? undefined : place;
      const kept = typeof place === 'string' ? place : place.sortKey;
      const intern = existing?.head.event === undefined ? postings.intern : internedLike(existing.head.event);
      const event = events.keep(kept, given, expiresAt, retentionMs, intern);
      const step = log.latest() + 1;
      const slot = existing ?? ({ sortKey: kept, head: undefined, queuedFor: undefined } as unknown as Slot);
      const version: Version = { slot, step, event, older: existing?.head };
      advance(version);
      if (existing === undefined) keys.add(slot);
      else if (version.older?.event === undefined) keys.raise(slot);
      expiry.note(slot, expiresAt);
      log.append(version, at);
      return version;
    },
    bury(living, at) {
      const { slot } = living;
      const tombstone: Version = { slot, step: log.latest() + 1, event: undefined, older: living };
      advance(tombstone);
      keys.bury(slot);
      log.append(tombstone, at);
      return tombstone;
    },
    forgetOldest() {
      const version = log.oldest();
      if (version === undefined) return;
      log.dropOldest();
      pastViews.forget(log.floor());
      // Readers from here on are at this revision or later. What stood before it went with the changes before.
      const { older } = version;
      version.older = undefined;
      if (older?.event !== undefined) {
        postings.reclaim(older, version);
        events.release(older.event);
      }
      if (version.event === undefined && version.slot.head === version) {
        keys.drop(version.slot);
        expiry.drop(version.slot);
      }
    },
    held() {
      const { living, buried } = keys.held();
      const { heap, slabs } = log.held();
      return {
        current: living + events.held() - events.past() - slabs + postings.held() + revisions.held(),
        history: buried + heap + slabs + events.past() + pastViews.held(),
      };
    },
    change(version) {
      const { older, event, step } = version;
      const previous = older?.event === undefined ? undefined : record(older);
      const state = event === undefined ? record(older as Version, step) : record(version);
      const { key, revision } = state;
      const type = event === undefined ? 'delete' : 'put';
      return Object.freeze(
        previous === undefined
          ? { type, key, revision, record: state }
          : { type, key, revision, record: state, previous },
      );
    },
  };
}
