import type { ByteHints } from '../../contract/byte-hints.js';
import type { EncodedEvent } from '../../contract/record.js';
import { HEADER, MAX_LENGTH, MAX_OFFSET } from './arena-entry.js';
import { createCommonBytesTable, textMatchesAt } from './common-bytes.js';
import { areEqual, costOf, createSharedFields } from './shared-fields.js';
import { createHeldParts } from '../accounting/held-parts.js';
import { createSharedParts } from './shared-parts.js';
import { createArenas, type ArenaUsage } from './arenas.js';
import { nameOf } from './sort-key.js';
import { StoredEvent } from './stored-event.js';
import type { Slot, Version } from './version.js';

/** Retention classes, each twice as long as the one before; the last is for events that were moved. */
const CLASSES = 16;
const FIRST_CLASS_MS = 60_000;

export type EventStorage = ReturnType<typeof createEventStorage>;

function classOf(retentionMs: number): number {
  const doublings = Math.ceil(Math.log2(retentionMs / FIRST_CLASS_MS));
  return doublings > 0 ? Math.min(doublings, CLASSES - 1) : 0;
}

/** Up to this length bytes are copied one by one. */
const SHORT = 64;

const NO_HINTS: ByteHints = { name: -1, namespace: -1, uid: -1, regardingVersion: -1, shared: [], suffix: -1 };

/** Stores events in as little memory as possible without making reads slower. */
export function createEventStorage(arenaBytes?: number) {
  const arenas = createArenas(StoredEvent.access, CLASSES, arenaBytes);
  const commonBytes = createCommonBytesTable();
  const sets = createSharedFields(commonBytes.all);
  const parts = createSharedParts();
  const held = createHeldParts();

  return {
    /** Returns how many bytes `keep` would allocate for an event that replaces another. */
    sizeFor(sortKey: string, { bytes, hints = NO_HINTS }: EncodedEvent, replaced: StoredEvent): number {
      const { prefix, suffix } = commonBytes.find(bytes, hints, sortKey);
      const end = bytes.length - suffix;
      const found = parts.find(bytes, hints.shared, prefix, end, StoredEvent.partsOf(replaced), false);
      return HEADER.length + end - prefix - (found?.part.bytes.length ?? 0);
    },
    /** Returns how much more heap the fields and labels of an event need, at most, than those of the one it replaces. */
    moreHeapFor({ fields, labels }: EncodedEvent, replaced: StoredEvent): number {
      if (areEqual(labels, replaced.labels) && areEqual(fields, replaced.fields)) return 0;
      const { set } = StoredEvent.partsOf(replaced);
      return costOf(fields, labels) - (set.current > 1 ? 0 : set.cost);
    },
    /**
     * Stores a copy of an event as the version at `sequence` of a slot, which may be new. `intern` returns an equal
     * string that is stored already. `expiresAt`: microseconds; `retentionMs`: until then.
     */
    keep(
      slot: Slot,
      sequence: number,
      event: EncodedEvent,
      expiresAt: number,
      retentionMs: number,
      intern: (field: string, value: string | undefined) => string | undefined,
    ): StoredEvent {
      const { sortKey } = slot;
      const replaced = (slot.head as Version | undefined)?.event;
      const { bytes, cut, fields, uid, hints = NO_HINTS } = event;
      const { index, prefix, suffix } = commonBytes.find(bytes, hints, sortKey);
      const end = bytes.length - suffix;
      const found = parts.find(bytes, hints.shared, prefix, end, replaced && StoredEvent.partsOf(replaced), true);
      const uidInBytes = hints.uid <= MAX_OFFSET && uid.length <= MAX_LENGTH && textMatchesAt(bytes, hints.uid, uid);
      // A key that occurs in the bytes is ASCII, so its sort key needs no decoding.
      const name = prefix > 0 ? sortKey.slice(sortKey.indexOf('/') + 1) : nameOf(sortKey);
      const set = sets.of(event, name, !uidInBytes && uid !== '');
      const sharedFrom = found?.start ?? end;
      const sharedTo = found === undefined ? end : sharedFrom + found.part.bytes.length;
      const before = sharedFrom - prefix;
      const after = end - sharedTo;
      const size = HEADER.length + before + after;
      const arena = arenas.reserve(size, classOf(retentionMs));
      const { view, used } = arena;
      view.setFloat64(used + HEADER.expires, expiresAt);
      view.setUint32(used + HEADER.before, before);
      view.setUint32(used + HEADER.after, after);
      view.setUint32(used + HEADER.cut, cut);
      view.setUint16(used + HEADER.prefix, prefix);
      view.setUint16(used + HEADER.uidAt, uidInBytes ? hints.uid : 0);
      view.setUint16(used + HEADER.versionAt, set.versioned ? hints.regardingVersion : 0);
      view.setUint8(used + HEADER.uidLength, uidInBytes ? uid.length : 0);
      view.setUint8(
        used + HEADER.versionLength,
        set.versioned ? (fields['regarding.resourceVersion']?.length ?? 0) : 0,
      );
      view.setUint8(used + HEADER.commonBytes, index);
      const at = used + HEADER.length;
      // Usually little more than the uid: a loop takes 0.04 µs, a subarray and its copy 0.2.
      if (before <= SHORT) for (let i = 0; i < before; i++) arena.bytes[at + i] = bytes[prefix + i] as number;
      else arena.bytes.set(bytes.subarray(prefix, sharedFrom), at);
      if (after > 0) arena.bytes.set(bytes.subarray(sharedTo, end), at + before);
      const own = (field: string): string | undefined => (set.split ? intern(field, fields[field]) : undefined);
      const stored = new StoredEvent(slot, sequence, arena, arena.used, {
        set,
        regardingName: own('regarding.name'),
        regardingUid: own('regarding.uid'),
        shared: found?.part,
      });
      arenas.commit(arena, stored, size);
      held.hold(set);
      if (found !== undefined) held.hold(found.part);
      return stored;
    },
    /** Marks an event that is no longer the newest of its key. Call this before `release`. */
    supersede(event: StoredEvent): void {
      const { set, shared } = StoredEvent.partsOf(event);
      held.supersede(set);
      if (shared !== undefined) held.supersede(shared);
    },
    /** Frees an event that can no longer be found. Records that were returned earlier stay readable. */
    release(event: StoredEvent): void {
      const { set, shared } = StoredEvent.partsOf(event);
      held.release(set);
      if (shared !== undefined) held.release(shared);
      arenas.release(event);
    },
    usage: (): ArenaUsage => arenas.usage(),
    compact: (): boolean => arenas.compact(),
    held: (): number => arenas.allocated() + held.held(),
    /** The part of it, outside arenas, that only superseded events use. */
    past: (): number => held.past(),
  };
}
