import { createOrderedIndex, type OrderedIndex } from './ordered-index.js';
import type { Slot } from './version.js';

const SHARDS = 256;

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
}

/** Makes an empty {@link KeyIndex}. */
export function createKeyIndex(): KeyIndex {
  // One Map would copy itself when it grows: a pause of 60 ms at a million names. Many small ones grow one at a time.
  const shards: Map<string, Slot>[] = [];
  const living = createOrderedIndex<string, Slot>();
  const buried = createOrderedIndex<string, Slot>();

  const shardOf = (sortKey: string): Map<string, Slot> => {
    let hash = 0;
    for (let i = Math.max(0, sortKey.length - 8); i < sortKey.length; i++) hash = hash * 31 + sortKey.charCodeAt(i);
    hash %= SHARDS;
    return (shards[hash] ??= new Map());
  };

  return {
    get: (sortKey) => shardOf(sortKey).get(sortKey),
    living,
    buried,
    add(slot) {
      shardOf(slot.sortKey).set(slot.sortKey, slot);
      living.insert(slot.sortKey, slot);
    },
    bury(slot) {
      living.delete(slot.sortKey);
      buried.insert(slot.sortKey, slot);
    },
    raise(slot) {
      buried.delete(slot.sortKey);
      living.insert(slot.sortKey, slot);
    },
    drop(slot) {
      shardOf(slot.sortKey).delete(slot.sortKey);
      buried.delete(slot.sortKey);
    },
  };
}
