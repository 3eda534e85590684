const SEGMENT = 1024;
const SWEEP_FROM = 16;
/** Up to here an array is copied to grow: `push` would leave room for as many again, 20 MB at a million events. */
const SHORT = 32;

/**
 * A bag whose items die by themselves: they stay until half of it is dead and are then swept, one segment of 1,024 at a
 * time. To look for an item that leaves would cost 850 µs in a frequent value's array, a Set twice the memory. Plain data,
 * because there is one for each value of an indexed field.
 */
export interface SweepList<T> {
  tail: T[];
  full: T[][] | undefined;
  size: number;
  /** By how many there are more than should be: one for each that died. Count before `sweep`. */
  dead: number;
}

/** Adds an item. */
export function put<T>(list: SweepList<T>, item: T): void {
  if (list.tail.length === SEGMENT) {
    (list.full ??= []).push(list.tail);
    list.tail = [item];
  } else if (list.tail.length < SHORT) list.tail = [...list.tail, item];
  else list.tail.push(item);
  list.size++;
}

/** Removes dead items and doubles, if enough have died to be worth it. */
export function sweep<T>(list: SweepList<T>, isAlive: (item: T) => boolean): void {
  if (list.size < SWEEP_FROM || list.dead * 2 < list.size) return;
  const segment = list.full?.shift() ?? list.tail;
  const alive = [...new Set(segment)].filter(isAlive);
  const removed = segment.length - alive.length;
  list.size -= removed;
  list.dead -= removed;
  if (segment === list.tail) {
    list.tail = alive;
    return;
  }
  // What is left of several segments becomes one again.
  const last = list.full?.at(-1);
  if (last !== undefined && last.length + alive.length <= SEGMENT) last.push(...alive);
  else if (alive.length > 0) list.full?.push(alive);
}

/** Visits all items, dead ones and doubles included. */
export function each<T>(list: SweepList<T>, visit: (item: T) => void): void {
  list.full?.forEach((segment) => segment.forEach(visit));
  list.tail.forEach(visit);
}
