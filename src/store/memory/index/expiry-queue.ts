import { createOrderedIndex } from './ordered-index.js';
import { StoredEvent } from '../bytes/stored-event.js';
import type { Slot } from '../bytes/version.js';

/** Stale entries examined in one call: renewed and removed events leave stale entries behind. */
const SCAN_LIMIT = 256;

interface EarlierEntry {
  readonly slot: Slot;
  readonly moment: number;
}

export type ExpiryQueue = ReturnType<typeof createExpiryQueue>;

/**
 * Slots by the time at which they may expire. Every write renews the expiry, so an entry only means "check again then":
 * a slot has one entry (`slot.queuedFor`) and is queued again when that one comes up too early. A slot whose expiry
 * moves to an earlier time gets a second entry in a separate queue, because its first one is hard to find.
 *
 * Times are whole milliseconds since `start`: as small integers they take 16 bytes less per event.
 */
export function createExpiryQueue(start: number) {
  const entries = createOrderedIndex<number, Slot>((slot) => slot.queuedFor as number);
  const earlierEntries = createOrderedIndex<number, EarlierEntry>(({ moment }) => moment);
  /** The valid entry of each slot in `earlierEntries`; any other one is stale. */
  const earlier = new Map<Slot, EarlierEntry>();

  const momentOf = (time: number): number => Math.floor((time - start) / 1000);

  const note = (slot: Slot, expiresAt: number): void => {
    const moment = momentOf(expiresAt);
    if (slot.queuedFor === undefined) {
      slot.queuedFor = moment;
      entries.insert(slot);
    } else if (moment < Math.min(slot.queuedFor, earlier.get(slot)?.moment ?? Infinity)) {
      const entry = { slot, moment };
      earlier.set(slot, entry);
      earlierEntries.insert(entry);
    }
  };

  const shift = (moment: number): Slot | undefined => {
    for (let at = earlierEntries.firstKey(); at !== undefined && at <= moment; at = earlierEntries.firstKey()) {
      const entry = earlierEntries.shift() as EarlierEntry;
      if (earlier.get(entry.slot) !== entry) continue;
      earlier.delete(entry.slot);
      return entry.slot;
    }
    const first = entries.firstKey();
    if (first === undefined || first > moment) return undefined;
    const slot = entries.shift() as Slot;
    slot.queuedFor = undefined;
    return slot;
  };

  return {
    /** Records that the slot's newest version expires at `expiresAt` (microseconds). */
    note: (slot: Slot, expiresAt: number): void => note(slot, expiresAt),
    /** Removes the entries of a slot that will not be used again. */
    drop(slot: Slot): void {
      if (slot.queuedFor !== undefined && entries.remove(slot)) slot.queuedFor = undefined;
      const entry = earlier.get(slot);
      if (entry === undefined) return;
      earlier.delete(slot);
      earlierEntries.remove(entry);
    },
    /** Removes and returns the next slot that is due; `'later'` after it examined many that were not: call it again. */
    take(now: number): Slot | 'later' | undefined {
      const moment = momentOf(now);
      /** Due within this millisecond, but not yet. */
      const early: Slot[] = [];
      let due: Slot | 'later' | undefined;
      for (let stale = 0; due === undefined;) {
        if (stale === SCAN_LIMIT) {
          due = 'later';
          break;
        }
        const slot = shift(moment);
        if (slot === undefined) break;
        const { event } = slot.head;
        const expiresAt = event && StoredEvent.expiresAt(event);
        if (expiresAt === undefined) stale++;
        else if (expiresAt <= now) due = slot;
        // Not counted: it is put back, and the next call would examine it again.
        else if (momentOf(expiresAt) <= moment) early.push(slot);
        else {
          stale++;
          note(slot, expiresAt);
        }
      }
      for (const slot of early) note(slot, StoredEvent.expiresAt(slot.head.event as StoredEvent));
      return due;
    },
  };
}
