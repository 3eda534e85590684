const SEGMENT = 1024;
const SWEEP_FROM = 16;
/** Up to this length an array is copied to grow: `push` and spread allocate 17 places more, 140 bytes a value. */
const SHORT = 32;

/**
 * An unordered list with lazy removal: dead items are swept when they are half of it, in segments of 1,024. Searching
 * the array of a frequent value would take 850 µs, and a Set twice the memory. Plain data: each value has one.
 */
export interface SweepList<T> {
  /** A single item is stored without an array, which would take 56 bytes. Items are not arrays themselves. */
  tail: T | T[];
  full: T[][] | undefined;
  size: number;
  /** The number of dead items. Increment it before calling `sweep`. */
  dead: number;
}

export function put<T>(list: SweepList<T>, item: T): void {
  const { tail } = list;
  if (!Array.isArray(tail)) list.tail = [tail, item];
  else if (tail.length === SEGMENT) {
    (list.full ??= []).push(tail);
    list.tail = item;
  } else if (tail.length < SHORT) list.tail = tail.concat([item]);
  else tail.push(item);
  list.size++;
}

/** Removes dead items and duplicates when enough items are dead. */
export function sweep<T>(list: SweepList<T>, isAlive: (item: T) => boolean): void {
  if (list.size < SWEEP_FROM || list.dead * 2 < list.size) return;
  const full = list.full?.shift();
  const segment = full ?? itemsOf(list.tail);
  const alive = [...new Set(segment)].filter(isAlive);
  const removed = segment.length - alive.length;
  list.size -= removed;
  list.dead -= removed;
  if (full === undefined) {
    list.tail = alive;
    return;
  }
  // Merge what is left of several segments.
  const last = list.full?.at(-1);
  if (last !== undefined && last.length + alive.length <= SEGMENT) last.push(...alive);
  else if (alive.length > 0) list.full?.push(alive);
}

export function each<T>(list: SweepList<T>, visit: (item: T) => void): void {
  list.full?.forEach((segment) => segment.forEach(visit));
  itemsOf(list.tail).forEach(visit);
}

function itemsOf<T>(tail: T | T[]): T[] {
  return Array.isArray(tail) ? tail : [tail];
}
