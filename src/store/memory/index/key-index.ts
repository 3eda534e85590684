import { HEAP_COST, textCost } from '../accounting/heap-cost.js';
import { createOrderedIndex, type OrderedIndex } from './ordered-index.js';
import { createKeyTable } from './key-table.js';
import type { Slot } from '../bytes/version.js';

export type KeyIndex = ReturnType<typeof createKeyIndex>;

const keyOf = (slot: Slot): string => slot.sortKey;
const costOf = ({ sortKey }: Slot): number => HEAP_COST.slot + textCost(sortKey);

/** All slots by key, for lookup and in order. Slots whose newest version is a tombstone are indexed separately. */
export function createKeyIndex() {
  const slots = createKeyTable(keyOf);
  const live = createOrderedIndex<string, Slot>(keyOf);
  const deleted = createOrderedIndex<string, Slot>(keyOf);
  const held = { live: 0, deleted: 0 };

  return {
    get: (sortKey: string): Slot | undefined => slots.get(sortKey),
    live: live as OrderedIndex<string, Slot>,
    deleted: deleted as OrderedIndex<string, Slot>,
    /** Memory used by live and by deleted slots, in bytes. */
    held: (): Readonly<Record<'live' | 'deleted', number>> => held,
    add(slot: Slot): void {
      slots.add(slot);
      live.insert(slot);
      held.live += costOf(slot);
    },
    markDeleted(slot: Slot): void {
      const cost = costOf(slot);
      held.live -= cost;
      held.deleted += cost;
      live.remove(slot);
      deleted.insert(slot);
    },
    markLive(slot: Slot): void {
      const cost = costOf(slot);
      held.deleted -= cost;
      held.live += cost;
      deleted.remove(slot);
      live.insert(slot);
    },
    /** Removes a deleted slot that no reader can see any more. */
    drop(slot: Slot): void {
      slots.delete(slot.sortKey);
      deleted.remove(slot);
      held.deleted -= costOf(slot);
    },
  };
}
