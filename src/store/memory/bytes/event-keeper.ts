import type { EncodedEvent } from '../../record.js';
import { endingLength } from './ending.js';
import { createFieldSets } from './field-sets.js';
import { createHeldParts } from '../accounting/held-parts.js';
import { prefixLength } from './prefix.js';
import { createSharedParts } from './shared-parts.js';
import { createSlabs, type SlabUsage } from './slabs.js';
import { nameOf } from './sort-key.js';
import { slabSize, StoredEvent, writeEvent, type EventBytes } from './stored-event.js';

/** Classes of retention, each twice as long as the one before; the last is for events that were moved. */
const CLASSES = 16;
const FIRST_CLASS_MS = 60_000;

/** Keeps what events consist of, in as little memory as is possible without making reads slower. */
export interface EventKeeper {
  /**
   * A copy that nobody can change. `intern` gives an equal text that is kept already. `expiresAt`: microseconds since the
   * epoch; `retentionMs`: from now until then.
   */
  keep(
    sortKey: string,
    event: EncodedEvent,
    expiresAt: number,
    retentionMs: number,
    intern: (field: string, value: string | undefined) => string | undefined,
  ): StoredEvent;
  /** The event is no longer the newest of its key. Comes before its release. */
  supersede(event: StoredEvent): void;
  /** The event is not readable any more. Who holds it can still read it. */
  release(event: StoredEvent): void;
  usage(): SlabUsage;
  /** Moves some events together; false when there is nothing to gain. */
  compact(): boolean;
  /** What all this takes in memory, in bytes. */
  held(): number;
  /** The part of it, besides places in slabs, that only superseded events have. */
  past(): number;
}

function classOf(retentionMs: number): number {
  const doublings = Math.ceil(Math.log2(retentionMs / FIRST_CLASS_MS));
  return doublings > 0 ? Math.min(doublings, CLASSES - 1) : 0;
}

/** The length of the uid if it stands right before the cut, as `"uid":"…",` in the library's own bytes; 0 otherwise. */
function uidLength({ bytes, cut, uid }: EncodedEvent): number {
  const start = cut - 2 - uid.length;
  if (start < 0) return 0;
  for (let i = 0; i < uid.length; i++) {
    const unit = uid.charCodeAt(i);
    if (unit > 0x7f || bytes[start + i] !== unit) return 0;
  }
  return uid.length;
}

/** Makes an empty {@link EventKeeper}. `slabBytes`: see {@link createSlabs}. */
export function createEventKeeper(slabBytes?: number): EventKeeper {
  const slabs = createSlabs(StoredEvent.tenancy, CLASSES, slabBytes);
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
      // A key that stands in the bytes is ASCII, and so sorted by itself.
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
        seat: sets.recent.seat(),
      };
      const size = slabSize(content);
      const slab = slabs.room(size, classOf(retentionMs));
      writeEvent(slab, content);
      const own = (field: string): string | undefined => (set.split ? intern(field, fields[field]) : undefined);
      const stored = new StoredEvent(slab, slab.used, {
        sortKey,
        set,
        regardingName: own('regarding.name'),
        regardingUid: own('regarding.uid'),
        shared: found?.part,
      });
      slabs.settle(slab, stored, size);
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
      StoredEvent.bury(event);
      const { set, shared } = StoredEvent.partsOf(event);
      held.release(set);
      if (shared !== undefined) held.release(shared);
      slabs.release(event);
    },
    usage: slabs.usage,
    compact: slabs.compact,
    held: () => slabs.allocated() + held.held(),
    past: held.past,
  };
}
