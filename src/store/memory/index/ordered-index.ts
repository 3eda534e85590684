/** The maximum entries of a block. At a million keys cache misses dominate, so that other sizes are no faster. */
const BLOCK = 128;
/** A block below `SMALL` entries is merged with a neighbour if both together have at most `JOINED`. */
const SMALL = 32;
const JOINED = 96;

/** How many entries with equal keys are examined to find one value. */
const MAX_EQUAL_KEYS = 8192;

/** Neighbours in an {@link OrderedIndex}: `values` from `first` up to, not including, `end`. */
export interface Span<V> {
  /** A block: the same array for as long as the block exists. Callers must not change or retain it. */
  readonly values: readonly V[];
  readonly first: number;
  readonly end: number;
}

export type OrderedIndex<K extends string | number, V> = ReturnType<typeof createOrderedIndex<K, V>>;

/** Returns how many of the first `length` sorted keys are below `key`, or (`equal`) at most `key`. */
function bound<K extends string | number>(length: number, keyAt: (i: number) => K, key: K, equal: boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const candidate = keyAt(middle);
    if (candidate < key || (equal && candidate === key)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Values sorted by a key derived from them, in blocks: no operation moves more than a block and the list of blocks.
 * Equal keys stay in order of insertion; the key of a value in the index must not change.
 */
export function createOrderedIndex<K extends string | number, V>(keyOf: (value: V) => K) {
  // First keys and lengths are stored beside the blocks so that searching and counting read few cache lines.
  const blocks: V[][] = [];
  const firsts: K[] = [];
  const counts: number[] = [];
  let total = 0;

  const keyIn = (values: readonly V[], index: number): K => keyOf(values[index] as V);

  const boundIn = (values: readonly V[], key: K, equal: boolean): number =>
    bound(values.length, (index) => keyIn(values, index), key, equal);

  const boundOfFirsts = (key: K, equal: boolean): number => bound(firsts.length, (i) => firsts[i] as K, key, equal);

  /** Ascending keys (revisions, expiry times) need no search: 0.1 µs instead of 0.5. They leave full blocks behind. */
  const append = (key: K, value: V): boolean => {
    const at = blocks.length - 1;
    const values = blocks[at] as V[];
    const { length } = values;
    if (keyIn(values, length - 1) > key) return false;
    if (length >= BLOCK) {
      addBlock(at + 1, [value]);
      return true;
    }
    values.push(value);
    counts[at] = length + 1;
    return true;
  };

  const addBlock = (at: number, values: V[]): void => {
    blocks.splice(at, 0, values);
    firsts.splice(at, 0, keyIn(values, 0));
    counts.splice(at, 0, values.length);
  };

  const dropBlock = (at: number): void => {
    blocks.splice(at, 1);
    firsts.splice(at, 1);
    counts.splice(at, 1);
  };

  const refresh = (at: number): void => {
    const values = blocks[at] as V[];
    firsts[at] = keyIn(values, 0);
    counts[at] = values.length;
  };

  const join = (at: number): boolean => {
    const left = blocks[at];
    const right = blocks[at + 1];
    if (left === undefined || right === undefined) return false;
    if (left.length >= SMALL && right.length >= SMALL) return false;
    if (left.length + right.length > JOINED) return false;
    left.push(...right);
    // A cache may use the array as its key; it should not keep the values in memory.
    right.length = 0;
    dropBlock(at + 1);
    refresh(at);
    return true;
  };

  const removeAt = (at: number, index: number): V => {
    const values = blocks[at] as V[];
    const [value] = values.splice(index, 1);
    total--;
    if (values.length === 0) dropBlock(at);
    else {
      refresh(at);
      if (values.length < SMALL && !join(at)) join(at - 1);
    }
    return value as V;
  };

  /** The position of the first key above `key`, or (`equal` false) of the first that is at least `key`. */
  const seek = (key: K, equal: boolean): [block: number, index: number] => {
    const at = boundOfFirsts(key, equal) - 1;
    if (at < 0) return [0, 0];
    return [at, boundIn(blocks[at] as V[], key, equal)];
  };

  const spans = (from: K | undefined, to: K | undefined, max: number): Span<V>[] => {
    const [startBlock, startIndex] = from === undefined ? [0, 0] : seek(from, true);
    const [endBlock, endIndex] = to === undefined ? [blocks.length, 0] : seek(to, false);
    const found: Span<V>[] = [];
    let left = max;
    for (let at = startBlock, first = startIndex; left > 0 && at <= endBlock && at < blocks.length; at++, first = 0) {
      const values = blocks[at] as V[];
      const end = Math.min(at === endBlock ? endIndex : values.length, first + left);
      if (end <= first) continue;
      found.push({ values, first, end });
      left -= end - first;
    }
    return found;
  };

  return {
    size: (): number => total,
    insert(value: V): void {
      const key = keyOf(value);
      total++;
      if (blocks.length === 0) return addBlock(0, [value]);
      if (append(key, value)) return;
      let at = Math.max(0, boundOfFirsts(key, true) - 1);
      let block = blocks[at] as V[];
      let index = boundIn(block, key, true);
      if (block.length >= BLOCK) {
        const half = BLOCK / 2;
        addBlock(at + 1, block.splice(half));
        refresh(at);
        if (index > half) {
          at++;
          index -= half;
          block = blocks[at] as V[];
        }
      }
      block.splice(index, 0, value);
      counts[at] = block.length;
      // Reading the first key again would cost two more cache misses per insert.
      if (index === 0) firsts[at] = key;
    },
    /** Removes this value; returns false when it is not among the first {@link MAX_EQUAL_KEYS} values with its key. */
    remove(value: V): boolean {
      const key = keyOf(value);
      let [at, index] = seek(key, false);
      for (let scanned = 0; scanned < MAX_EQUAL_KEYS; scanned++, index++) {
        if (index >= (counts[at] ?? 0)) {
          at++;
          index = 0;
        }
        const block = blocks[at];
        if (block === undefined || keyIn(block, index) !== key) return false;
        if (block[index] !== value) continue;
        removeAt(at, index);
        return true;
      }
      return false;
    },
    firstKey: (): K | undefined => firsts[0],
    shift: (): V | undefined => (total === 0 ? undefined : removeAt(0, 0)),
    /** The values of the last keys that are at most `from`, in descending order, at most `max`. */
    descend(from: K, max: number): V[] {
      const found: V[] = [];
      let [at, index] = seek(from, true);
      for (; at >= 0 && found.length < max; index = counts[--at] ?? 0) {
        const values = blocks[at] ?? [];
        while (index > 0 && found.length < max) found.push(values[--index] as V);
      }
      return found;
    },
    /** The values of the first keys above `from` and below `to`, at most `max`; `undefined`: no bound. */
    between(from: K | undefined, to: K | undefined, max: number): V[] {
      const found: V[] = [];
      for (const { values, first, end } of spans(from, to, max)) {
        for (let index = first; index < end; index++) found.push(values[index] as V);
      }
      return found;
    },
    /** The same range as spans of blocks. Any write to the index invalidates them. */
    spans: (from: K | undefined, to: K | undefined, max: number): Span<V>[] => spans(from, to, max),
    /** How many keys are above `from` and below `to`; `undefined`: no bound. Adds up blocks, never entries. */
    count(from: K | undefined, to: K | undefined): number {
      const [startBlock, startIndex] = from === undefined ? [0, 0] : seek(from, true);
      const [endBlock, endIndex] = to === undefined ? [blocks.length, 0] : seek(to, false);
      let between = 0;
      if ((endBlock - startBlock) * 2 <= blocks.length) {
        for (let at = startBlock; at < endBlock; at++) between += counts[at] as number;
      } else {
        // Most of the blocks: add up the others.
        between = total;
        for (let at = 0; at < startBlock; at++) between -= counts[at] as number;
        for (let at = endBlock; at < counts.length; at++) between -= counts[at] as number;
      }
      return Math.max(0, between + endIndex - startIndex);
    },
  };
}
