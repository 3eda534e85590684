import { badRequest } from '../status/failures.js';
import { goPrint } from '../../json/go-print.js';
import { isObject, member } from '../../json/json-tree.js';
import { PATCH, SET_ORDER } from './strategic-directives.js';

/** The key by which items of a list are matched: the item itself, or the value of its merge key. */
export function keyOf(item: unknown, mergeKey: string | undefined): unknown {
  const key = mergeKey !== undefined && isObject(item) ? member(item, mergeKey) : item;
  return typeof key === 'object' && key !== null ? JSON.stringify(key) : key;
}

/** The first place of every key in a list. */
export function placesOf(list: readonly unknown[], mergeKey: string | undefined): Map<unknown, number> {
  const places = new Map<unknown, number>();
  list.forEach((item, index) => {
    const key = keyOf(item, mergeKey);
    if (!places.has(key)) places.set(key, index);
  });
  return places;
}

/**
 * Sorts a merged list: items of the patch in the order of the patch, the others in stored order.
 * Between the two kinds, a stored item comes first only if it did so before.
 */
export function inOrder(
  merged: readonly unknown[],
  patchOrder: readonly unknown[],
  storedOrder: readonly unknown[],
  mergeKey: string | undefined,
): unknown[] {
  const inPatch = placesOf(patchOrder, mergeKey);
  const inStored = placesOf(storedOrder, mergeKey);
  const place = (places: Map<unknown, number>, item: unknown): number =>
    places.get(keyOf(item, mergeKey)) ?? Number.MAX_SAFE_INTEGER;
  const sorted = (items: unknown[], places: Map<unknown, number>): unknown[] =>
    items.sort((a, b) => place(places, a) - place(places, b));
  const patched = sorted(
    merged.filter((item) => inPatch.has(keyOf(item, mergeKey))),
    inPatch,
  );
  const others = sorted(
    merged.filter((item) => !inPatch.has(keyOf(item, mergeKey))),
    inStored,
  );

  const result: unknown[] = [];
  let next = 0;
  for (const item of others) {
    const at = inStored.get(keyOf(item, mergeKey));
    while (next < patched.length) {
      const rival = inStored.get(keyOf(patched[next], mergeKey));
      if (at !== undefined && rival !== undefined && at < rival) break;
      result.push(patched[next++]);
    }
    result.push(item);
  }
  return [...result, ...patched.slice(next)];
}

/**
 * A list with `$setElementOrder` must have its own items in that order.
 *
 * @throws StatusError 400 where it does not
 */
export function requireOrder(list: readonly unknown[], order: readonly unknown[], mergeKey: string | undefined): void {
  const items = list.filter((item) => mergeKey === undefined || !isObject(item) || member(item, PATCH) !== 'delete');
  let next = 0;
  for (const key of order) {
    if (next < items.length && keyOf(items[next], mergeKey) === keyOf(key, mergeKey)) next++;
  }
  if (next === items.length) return;
  const text = `The order in patch list:\n${goPrint(list)}\n doesn't match ${SET_ORDER} list:\n${goPrint(order)}\n`;
  throw badRequest(text);
}
