import type { EncodedEvent } from '../../record.js';
import { endingLength } from './ending.js';
import { createFieldSets } from './field-sets.js';
import { createHeldParts } from '../accounting/held-parts.js';
import { prefixLength } from './prefix.js';
import { createSharedParts } from './shared-parts.js';
import { createArenas, type ArenaUsage } from './arenas.js';
import { nameOf } from './sort-key.js';
import { entrySize, StoredEvent, writeEvent, type EventBytes } from './stored-event.js';

/** Retention classes, each twice as long as the one before; the last is for events that were moved. */
const CLASSES = 16;
const FIRST_CLASS_MS = 60_000;

/** Stores events in as little memory as possible without making reads slower. */
export interface EventKeeper {
  /**
   * An immutable copy. `intern` returns an equal string that is stored already. `expiresAt`: microseconds since the
   * epoch; `retentionMs`: from now until then.
   */
  keep(
    sortKey: string,
    event: EncodedEvent,
    expiresAt: number,
    retentionMs: number,
    intern: (field: string, value: string | undefined) => string | undefined,
  ): StoredEvent;
  /** Marks an event that is no longer the newest of its key. Call this before `release`. */
  supersede(event: StoredEvent): void;
  /** Frees an event that can no longer be found. Records that were returned earlier stay readable. */
  release(event: StoredEvent): void;
  usage(): ArenaUsage;
  /** Compacts some arenas; returns false when nothing can be gained. */
  compact(): boolean;
  /** Memory taken by all of it, in bytes. */
  held(): number;
  /** The part of it, outside arenas, that only superseded events use. */
  past(): number;
}

function classOf(retentionMs: number): number {
  const doublings = Math.ceil(Math.log2(retentionMs / FIRST_CLASS_MS));
  return doublings > 0 ? Math.min(doublings, CLASSES - 1) : 0;
}

/** The length of the uid if it is directly before the cut, as `"uid":"…",` in the library's own bytes; 0 otherwise. */
function uidLength({ bytes, cut, uid }: EncodedEvent): number {
  const start = cut - 2 - uid.length;
  if (start < 0) return 0;
  for (let i = 0; i < uid.length; i++) {
    const unit = uid.charCodeAt(i);
    if (unit > 0x7f || bytes[start + i] !== unit) return 0;
  }
  return uid.length;
}

/** Creates an empty {@link EventKeeper}. `arenaBytes`: see {@link createArenas}. */
export function createEventKeeper(arenaBytes?: number): EventKeeper {
  const arenas = createArenas(StoredEvent.access, CLASSES, arenaBytes);
  const sets = createFieldSets();
  const parts = createSharedParts();
  const held = createHeldParts();

  return {
    keep(sortKey, event, expiresAt, retentionMs, intern) {
      const { bytes, cut, fields } = event;
      const slash = sortKey.indexOf('/');
      const prefix = prefixLength(bytes, sortKey, slash);
      const found = parts.find(bytes, Math.max(cut, prefix));
      const inBytes = uidLength(event);
      // A key that occurs in the bytes is ASCII, so its sort key needs no decoding.
      const name = prefix > 0 ? sortKey.slice(slash + 1) : nameOf(sortKey);
      const set = sets.of(event, name, inBytes === 0 && event.uid !== '');
      const lastOfShared = found === undefined ? prefix : found.start + found.part.bytes.length;
      const ending = endingLength(bytes, lastOfShared);
      const content: EventBytes = {
        bytes,
        prefix,
        ending,
        sharedFrom: found?.start ?? bytes.length - ending,
        sharedTo: found === undefined ? bytes.length - ending : lastOfShared,
        cut,
        uidLength: inBytes,
        expiresAt,
        recentSlot: sets.recent.nextSlot(),
      };
      const size = entrySize(content);
      const arena = arenas.reserve(size, classOf(retentionMs));
      writeEvent(arena, content);
      const own = (field: string): string | undefined => (set.split ? intern(field, fields[field]) : undefined);
      const stored = new StoredEvent(arena, arena.used, {
        sortKey,
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
    supersede(event) {
      const { set, shared } = StoredEvent.partsOf(event);
      held.supersede(set);
      if (shared !== undefined) held.supersede(shared);
    },
    release(event) {
      StoredEvent.markDead(event);
      const { set, shared } = StoredEvent.partsOf(event);
      held.release(set);
      if (shared !== undefined) held.release(shared);
      arenas.release(event);
    },
    usage: arenas.usage,
    compact: arenas.compact,
    held: () => arenas.allocated() + held.held(),
    past: held.past,
  };
}
