import { createOrderedIndex } from './ordered-index.js';
import { StoredEvent } from './stored-event.js';
import type { Slot } from './version.js';

/**
 * Slots by the moment they may expire. With one retention time it is a FIFO: entries go in at the end and out at the
 * front. Every write renews the time, so an entry only says "look again then": a slot has one that counts
 * (`slot.queuedFor`), and is queued anew when that one comes up too early.
 */
export interface ExpiryQueue {
  /** The slot's newest version expires at `expiresAt` (microseconds). */
  note(slot: Slot, expiresAt: number): void;
  /** Takes the next slot whose newest version is due at `now`. */
  take(now: number): Slot | undefined;
}

/** Makes an empty {@link ExpiryQueue}. */
export function createExpiryQueue(): ExpiryQueue {
  const entries = createOrderedIndex<number, Slot>();

  const note = (slot: Slot, expiresAt: number): void => {
    if (slot.queuedFor !== undefined && slot.queuedFor <= expiresAt) return;
    slot.queuedFor = expiresAt;
    entries.insert(expiresAt, slot);
  };

  return {
    note,
    take(now) {
      for (let at = entries.firstKey(); at !== undefined && at <= now; at = entries.firstKey()) {
        const slot = entries.shift() as Slot;
        if (slot.queuedFor !== at) continue;
        slot.queuedFor = undefined;
        const { event } = slot.head;
        if (event === undefined) continue;
        const expiresAt = StoredEvent.expiresAt(event);
        if (expiresAt <= now) return slot;
        note(slot, expiresAt);
      }
      return undefined;
    },
  };
}
