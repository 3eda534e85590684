import { ownText } from './own-text.js';

export interface BoundedCacheOptions<K, V> {
  /** The maximum number of entries, at least 1. */
  readonly maxEntries: number;
  /** The maximum total cost of all entries, according to `costOf`. Default: no limit. */
  readonly maxCost?: number | (() => number) | undefined;
  /** The cost of an entry: bytes, or characters of a text. It must not change while the entry is cached. Default: 0. */
  readonly costOf?: ((key: K, value: V) => number) | undefined;
}

interface Entry<V> {
  readonly value: V;
  readonly cost: number;
  used: boolean;
}

/** How many used entries one eviction retains, so that no call takes long. */
const MAX_SECOND_CHANCES = 16;

/**
 * A map that evicts the oldest entry that was not used since it was added or last retained ("second chance"): nearly
 * the same ones as LRU, but a hit only sets a flag (16 ns), instead of adding an entry again (62 ns).
 */
export function createBoundedCache<K, V>(options: BoundedCacheOptions<K, V>) {
  const { maxEntries, maxCost = Infinity, costOf } = options;
  const limit = typeof maxCost === 'function' ? maxCost : () => maxCost;
  /** In order of eviction. */
  const all = new Map<K, Entry<V>>();
  let cost = 0;

  const remove = (key: K): void => {
    const entry = all.get(key);
    if (entry === undefined) return;
    all.delete(key);
    cost -= entry.cost;
  };

  const fits = (own: number): boolean => all.size < maxEntries && cost + own <= limit();

  /** Called before the new entry is added, so that it is never evicted itself. */
  const ensureCapacity = (own: number): void => {
    if (fits(own)) return;
    let retained = 0;
    for (const [key, entry] of all) {
      if (entry.used && retained < MAX_SECOND_CHANCES) {
        retained++;
        entry.used = false;
        all.delete(key);
        all.set(key, entry);
      } else {
        remove(key);
        if (fits(own)) return;
      }
    }
  };

  return {
    get(key: K): V | undefined {
      const entry = all.get(key);
      if (entry === undefined) return undefined;
      entry.used = true;
      return entry.value;
    },
    /** Adds or replaces a value. A value that costs more than the limit is not cached. A text as key is copied. */
    set(key: K, value: V): void {
      remove(key);
      const own = costOf?.(key, value) ?? 0;
      if (own > limit()) return;
      ensureCapacity(own);
      const ownKey = typeof key === 'string' ? (ownText(key) as K & string) : key;
      all.set(ownKey, { value, cost: own, used: false });
      cost += own;
    },
    delete: (key: K): void => remove(key),
    clear(): void {
      all.clear();
      cost = 0;
    },
    size: (): number => all.size,
    cost: (): number => cost,
    /** All entries, least recently added or retained first. */
    *entries(): Iterable<readonly [K, V]> {
      for (const [key, { value }] of all) yield [key, value];
    },
  };
}
