import { createOrderedIndex } from './ordered-index.js';
import { StoredEvent } from '../bytes/stored-event.js';
import type { Slot } from './version.js';

/** How many entries are looked at for one that is due: events that were renewed or removed leave theirs behind. */
const LOOKS = 256;

/**
 * Slots by the moment they may expire. With one retention time it is a FIFO: entries go in at the end and out at the
 * front. Every write renews the time, so an entry only says "look again then": a slot has one (`slot.queuedFor`), and is
 * queued anew when that one comes up too early. The few that are to go sooner than they were to be looked at have a
 * second one, in a queue of their own.
 */
export interface ExpiryQueue {
  /** The slot's newest version expires at `expiresAt` (microseconds). */
  note(slot: Slot, expiresAt: number): void;
  /**
   * Takes the next slot whose newest version is due at `now`. `'later'`: it has looked at enough entries that were not, and
   * wants to be asked again.
   */
  take(now: number): Slot | 'later' | undefined;
  /** The slot is gone, and is never noted again. */
  drop(slot: Slot): void;
}

/**
 * Makes an empty {@link ExpiryQueue}. Moments are whole milliseconds since about `start` (microseconds): as small integers
 * that are nowhere but in the slot they take 24 bytes of an event less than exact ones.
 */
export function createExpiryQueue(start: number): ExpiryQueue {
  const entries = createOrderedIndex<number, Slot>((slot) => slot.queuedFor as number);
  const hastened = createOrderedIndex<number, Slot>();
  /** The entry in `hastened` that counts. */
  const sooner = new Map<Slot, number>();

  const momentOf = (time: number): number => Math.floor((time - start) / 1000);

  const note = (slot: Slot, expiresAt: number): void => {
    const moment = momentOf(expiresAt);
    if (slot.queuedFor === undefined) {
      slot.queuedFor = moment;
      entries.insert(moment, slot);
    } else if (moment < Math.min(slot.queuedFor, sooner.get(slot) ?? Infinity)) {
      sooner.set(slot, moment);
      hastened.insert(moment, slot);
    }
  };

  /** The slot of the first entry that is due at this moment; `undefined`: there is none. */
  const shift = (moment: number): Slot | undefined => {
    for (let at = hastened.firstKey(); at !== undefined && at <= moment; at = hastened.firstKey()) {
      const slot = hastened.shift() as Slot;
      if (sooner.get(slot) !== at) continue;
      sooner.delete(slot);
      return slot;
    }
    const first = entries.firstKey();
    if (first === undefined || first > moment) return undefined;
    const slot = entries.shift() as Slot;
    slot.queuedFor = undefined;
    return slot;
  };

  return {
    note,
    drop(slot) {
      if (slot.queuedFor !== undefined && entries.remove(slot.queuedFor, slot)) slot.queuedFor = undefined;
      const at = sooner.get(slot);
      if (at === undefined) return;
      sooner.delete(slot);
      hastened.remove(at, slot);
    },
    take(now) {
      const moment = momentOf(now);
      /** Due within this millisecond, but not yet. */
      const early: Slot[] = [];
      let due: Slot | 'later' | undefined;
      for (let looked = 0; due === undefined; looked++) {
        if (looked === LOOKS) {
          due = 'later';
          break;
        }
        const slot = shift(moment);
        if (slot === undefined) break;
        const { event } = slot.head;
        if (event === undefined) continue;
        const expiresAt = StoredEvent.expiresAt(event);
        if (expiresAt <= now) due = slot;
        else if (momentOf(expiresAt) > moment) note(slot, expiresAt);
        else early.push(slot);
      }
      for (const slot of early) note(slot, StoredEvent.expiresAt(slot.head.event as StoredEvent));
      return due;
    },
  };
}
