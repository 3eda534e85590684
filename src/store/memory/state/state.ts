import type { Clock } from '../../../clock/clock.js';
import type { Change, EventKey, Revision } from '../../contract/event-store.js';
import type { EncodedEvent, EventRecord } from '../../contract/record.js';
import { createChangeLog, type ChangeLog } from '../history/change-log.js';
import { createEventStorage, type EventStorage } from '../bytes/event-storage.js';
import { createExpiryQueue, type ExpiryQueue } from '../index/expiry-queue.js';
import { createKeyIndex, type KeyIndex } from '../index/key-index.js';
import type { Slot, Version } from '../bytes/version.js';
import { createPastViews } from '../history/past-views.js';
import { createValueIndex } from '../index/value-index.js';
import { createRevisionIndex } from '../index/revision-index.js';
import { keyOf, sortKey } from '../bytes/sort-key.js';
import { StoredEvent } from '../bytes/stored-event.js';

/** Everything a memory store holds, and the operations that change it. All of them are synchronous. */
export interface MemoryState {
  /** The revision of sequence number 0. Inside of the store, revisions are sequence numbers counted from this one. */
  readonly start: Revision;
  readonly log: ChangeLog;
  readonly keys: KeyIndex;
  readonly revisions: ReturnType<typeof createRevisionIndex>;
  readonly valueIndex: ReturnType<typeof createValueIndex>;
  readonly pastViews: ReturnType<typeof createPastViews>;
  readonly expiry: ExpiryQueue;
  readonly events: EventStorage;
  find(key: EventKey): Version | undefined;
  /** The slot of a key, or the sort key for one. */
  slotOf(key: EventKey): Slot | string;
  /** Writes a new event. `expiresAt`: microseconds. `sequence`: a number after the latest; default: the next. */
  put(target: Slot | string, event: EncodedEvent, expiresAt: number, sequence?: number): Version;
  /** Adds an event of the initial state, at a sequence number before the first change. Its slot is free. */
  load(target: string, event: EncodedEvent, expiresAt: number, sequence: number): void;
  /** Puts a tombstone in front of a live version. `sequence`: as for `put`. */
  remove(version: Version, sequence?: number): Version;
  /** Drops the oldest change and the version that only it kept readable. */
  pruneOldest(): void;
  /** Memory in bytes, split into the current state and history. */
  held(): { readonly current: number; readonly history: number };
  /** The record of a version that has an event. `sequence`: overrides its own; `key`: its key, if the caller has it. */
  record(version: Version, sequence?: number, key?: EventKey): EventRecord;
  change(version: Version): Change;
}

/** A state whose first change gets the revision after `start`. `expiry`: an empty one, if another store expires. */
export function createMemoryState(
  start: Revision,
  clock: Clock,
  arenaBytes?: number,
  expiry: ExpiryQueue = createExpiryQueue(start),
): MemoryState {
  const log = createChangeLog();
  const keys = createKeyIndex();
  const revisions = createRevisionIndex();
  const valueIndex = createValueIndex();
  const pastViews = createPastViews(log);
  const events = createEventStorage(arenaBytes);

  const advance = (next: Version): void => {
    const { slot, older } = next;
    slot.head = next;
    if (next.event !== undefined) revisions.add(next);
    if (older?.event !== undefined) {
      revisions.drop(older);
      events.supersede(older.event);
    }
    valueIndex.put(next);
  };

  /** An event usually has the same values as the one it replaces; those are interned already and need no lookup. */
  const internedLike =
    (before: StoredEvent): MemoryState['valueIndex']['intern'] =>
    (field, value) => {
      const kept = StoredEvent.field(before, field);
      return value === kept && value !== '' ? kept : valueIndex.intern(field, value);
    };

  /** Key and slot of the last record returned: an update that uses this key saves 2 µs for finding and creating it. */
  let last: { readonly key: EventKey; readonly slot: Slot } | undefined;

  const keyOfSlot = (slot: Slot, given?: EventKey): EventKey => {
    if (last?.slot !== slot) {
      const key = given && Object.freeze({ namespace: given.namespace, name: given.name });
      last = { key: key ?? keyOf(slot.sortKey), slot };
    }
    return last.key;
  };

  /** The slot of the last key. The newest version of a slot that was removed from the index is a tombstone. */
  const known = (key: EventKey): Slot | undefined =>
    last?.key === key && last.slot.head.event !== undefined ? last.slot : undefined;

  const record = ({ slot, event, sequence }: Version, at = sequence, given?: EventKey): EventRecord => {
    const stored = event as StoredEvent;
    const expiresAt = StoredEvent.expiresAt(stored);
    const key = keyOfSlot(slot, given);
    return Object.freeze({ key, revision: start + at, event: stored, expiresAt });
  };

  const write = (target: Slot | string, given: EncodedEvent, expiresAt: number, sequence: number): Version => {
    const retentionMs = (expiresAt - clock.now()) / 1000;
    const isNew = typeof target === 'string';
    const slot = isNew ? ({ sortKey: target, head: undefined, queuedFor: undefined } as unknown as Slot) : target;
    const replaced = isNew ? undefined : target.head.event;
    const intern = replaced === undefined ? valueIndex.intern : internedLike(replaced);
    const version = events.keep(slot, sequence, given, expiresAt, retentionMs, intern);
    advance(version);
    if (isNew) keys.add(slot);
    else if (replaced === undefined) keys.markLive(slot);
    expiry.note(slot, expiresAt);
    return version;
  };

  return {
    start,
    log,
    keys,
    revisions,
    valueIndex,
    pastViews,
    expiry,
    events,
    record,
    find(key) {
      const head = (known(key) ?? keys.get(sortKey(key)))?.head;
      return head?.event === undefined ? undefined : head;
    },
    slotOf(key) {
      const text = sortKey(key);
      return keys.get(text) ?? text;
    },
    put(target, event, expiresAt, sequence = log.latest() + 1) {
      const version = write(target, event, expiresAt, sequence);
      log.append(version, clock.monotonic());
      return version;
    },
    load: write,
    remove(live, sequence = log.latest() + 1) {
      const { slot } = live;
      const tombstone: Version = { slot, sequence, event: undefined, older: live };
      advance(tombstone);
      keys.markDeleted(slot);
      log.append(tombstone, clock.monotonic());
      return tombstone;
    },
    pruneOldest() {
      const version = log.oldest();
      if (version === undefined) return;
      log.dropOldest();
      pastViews.prune(log.floor());
      // From here on every reader is at this revision or later, so the version before it can no longer be read.
      const { older } = version;
      version.older = undefined;
      if (older?.event !== undefined) {
        valueIndex.reclaim(older, version);
        events.release(older.event);
      }
      if (version.event === undefined && version.slot.head === version) {
        keys.drop(version.slot);
        expiry.drop(version.slot);
      }
    },
    held() {
      const { live, deleted } = keys.held();
      const { heap, arenas } = log.held();
      return {
        current: live + events.held() - events.past() - arenas + valueIndex.held() + revisions.held(),
        history: deleted + heap + arenas + events.past() + pastViews.held(),
      };
    },
    change(version) {
      // The key of a request may consist of slices of it, and the history of watches retains its keys for longer.
      last = undefined;
      const { older, event, sequence } = version;
      const previous = older?.event === undefined ? undefined : record(older);
      const state = event === undefined ? record(older as Version, sequence) : record(version);
      const { key, revision } = state;
      const type = event === undefined ? 'delete' : 'put';
      const change = { type, key, revision, record: state } as const;
      return Object.freeze(previous === undefined ? change : { ...change, previous });
    },
  };
}
