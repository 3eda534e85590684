import { HEAP_COST, textCost } from '../accounting/heap-cost.js';
import { createOrderedIndex, type OrderedIndex } from './ordered-index.js';
import { createShardedMap } from './sharded-map.js';
import type { Slot } from '../bytes/version.js';

/** All slots by key, for lookup and in order. Slots whose newest version is a tombstone are indexed separately. */
export interface KeyIndex {
  get(sortKey: string): Slot | undefined;
  readonly live: OrderedIndex<string, Slot>;
  readonly deleted: OrderedIndex<string, Slot>;
  add(slot: Slot): void;
  markDeleted(slot: Slot): void;
  markLive(slot: Slot): void;
  /** Removes a deleted slot that no reader can see any more. */
  drop(slot: Slot): void;
  /** Memory used by live and by deleted slots, in bytes. */
  held(): { readonly live: number; readonly deleted: number };
}

const keyOf = (slot: Slot): string => slot.sortKey;
const costOf = ({ sortKey }: Slot): number => HEAP_COST.slot + textCost(sortKey);

export function createKeyIndex(): KeyIndex {
  const slots = createShardedMap<Slot>();
  const live = createOrderedIndex<string, Slot>(keyOf);
  const deleted = createOrderedIndex<string, Slot>(keyOf);
  const held = { live: 0, deleted: 0 };

  return {
    get: (sortKey) => slots.get(sortKey),
    live,
    deleted,
    held: () => held,
    add(slot) {
      slots.set(slot.sortKey, slot);
      live.insert(slot);
      held.live += costOf(slot);
    },
    markDeleted(slot) {
      const cost = costOf(slot);
      held.live -= cost;
      held.deleted += cost;
      live.remove(slot);
      deleted.insert(slot);
    },
    markLive(slot) {
      const cost = costOf(slot);
      held.deleted -= cost;
      held.live += cost;
      deleted.remove(slot);
      live.insert(slot);
    },
    drop(slot) {
      slots.delete(slot.sortKey);
      deleted.remove(slot);
      held.deleted -= costOf(slot);
    },
  };
}
