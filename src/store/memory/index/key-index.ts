import { HEAP_COST, textCost } from '../accounting/heap-cost.js';
import { createOrderedIndex, type OrderedIndex } from './ordered-index.js';
import { createShardedMap } from './sharded-map.js';
import type { Slot } from './version.js';

/** All slots by key: found by name, and in order. Slots that hold a tombstone stand apart from living ones. */
export interface KeyIndex {
  get(sortKey: string): Slot | undefined;
  readonly living: OrderedIndex<string, Slot>;
  readonly buried: OrderedIndex<string, Slot>;
  /** A new slot, with a record. */
  add(slot: Slot): void;
  /** Its newest version became a tombstone. */
  bury(slot: Slot): void;
  /** Its newest version became a record again. */
  raise(slot: Slot): void;
  /** A buried slot that nobody can see any more. */
  drop(slot: Slot): void;
  /** What living and buried slots take in memory, in bytes. */
  held(): { readonly living: number; readonly buried: number };
}

const keyOf = (slot: Slot): string => slot.sortKey;
const costOf = ({ sortKey }: Slot): number => HEAP_COST.slot + textCost(sortKey);

/** Makes an empty {@link KeyIndex}. */
export function createKeyIndex(): KeyIndex {
  const slots = createShardedMap<Slot>();
  const living = createOrderedIndex<string, Slot>(keyOf);
  const buried = createOrderedIndex<string, Slot>(keyOf);
  const held = { living: 0, buried: 0 };

  return {
    get: (sortKey) => slots.get(sortKey),
    living,
    buried,
    held: () => held,
    add(slot) {
      slots.set(slot.sortKey, slot);
      living.insert(slot.sortKey, slot);
      held.living += costOf(slot);
    },
    bury(slot) {
      const cost = costOf(slot);
      held.living -= cost;
      held.buried += cost;
      living.delete(slot.sortKey);
      buried.insert(slot.sortKey, slot);
    },
    raise(slot) {
      const cost = costOf(slot);
      held.buried -= cost;
      held.living += cost;
      buried.delete(slot.sortKey);
      living.insert(slot.sortKey, slot);
    },
    drop(slot) {
      slots.delete(slot.sortKey);
      buried.delete(slot.sortKey);
      held.buried -= costOf(slot);
    },
  };
}
