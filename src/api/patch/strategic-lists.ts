import { badRequest, unprocessable } from '../status/failures.js';
import { goPrint, goType } from '../../json/go-print.js';
import { isObject, member } from '../../json/json-tree.js';
import { PATCH, SET_ORDER } from './strategic-directives.js';

/** A stored list without the scalars that a patch removes. @throws StatusFailure 400, 422 */
export function deleteFromList(stored: readonly unknown[], removed: readonly unknown[]): readonly unknown[] {
  if (stored.length === 0 || removed.length === 0) return stored;
  requireOneType(stored, removed);
  const gone = new Set(removed);
  return stored.filter((item) => !gone.has(item));
}

/** Lists contain scalars of one type, or objects; lists of lists cannot be merged. */
export function requireOneType(...lists: readonly (readonly unknown[])[]): void {
  const types = new Set(lists.flat().map(goType));
  const [first] = types;
  if (first === '[]interface {}') throw unprocessable();
  if (types.size > 1 || types.has('<nil>')) {
    throw badRequest(`list element types are not identical: ${goPrint(lists)}`);
  }
}

export function keyOf(item: unknown, mergeKey: string | undefined): unknown {
  return JSON.stringify(mergeKey !== undefined && isObject(item) ? member(item, mergeKey) : item);
}

export function indexesOf(list: readonly unknown[], mergeKey: string | undefined): Map<unknown, number> {
  const indexes = new Map<unknown, number>();
  list.forEach((item, index) => {
    const key = keyOf(item, mergeKey);
    if (!indexes.has(key)) indexes.set(key, index);
  });
  return indexes;
}

/** Sorts a merged list: items of the patch as in the patch, others as stored, and first only if they were before. */
export function inOrder(
  merged: readonly unknown[],
  patchOrder: readonly unknown[],
  storedOrder: readonly unknown[],
  mergeKey: string | undefined,
): unknown[] {
  const inPatch = indexesOf(patchOrder, mergeKey);
  const inStored = indexesOf(storedOrder, mergeKey);
  const index = (indexes: Map<unknown, number>, item: unknown): number =>
    indexes.get(keyOf(item, mergeKey)) ?? Number.MAX_SAFE_INTEGER;
  const isPatched = (item: unknown): boolean => inPatch.has(keyOf(item, mergeKey));
  const patched = merged.filter(isPatched).sort((a, b) => index(inPatch, a) - index(inPatch, b));
  const others = merged.filter((item) => !isPatched(item)).sort((a, b) => index(inStored, a) - index(inStored, b));

  const result: unknown[] = [];
  let next = 0;
  for (const item of others) {
    const at = inStored.get(keyOf(item, mergeKey));
    while (next < patched.length) {
      const otherIndex = inStored.get(keyOf(patched[next], mergeKey));
      if (at !== undefined && otherIndex !== undefined && at < otherIndex) break;
      result.push(patched[next++]);
    }
    result.push(item);
  }
  return [...result, ...patched.slice(next)];
}

/** A list with `$setElementOrder` must be in that order, unless the order is empty. @throws StatusFailure 400 */
export function requireOrder(list: readonly unknown[], order: readonly unknown[], mergeKey: string | undefined): void {
  if (order.length === 0) return;
  const items = list.filter((item) => mergeKey === undefined || !isObject(item) || !Object.hasOwn(item, PATCH));
  let next = 0;
  for (const key of order) {
    if (next < items.length && keyOf(items[next], mergeKey) === keyOf(key, mergeKey)) next++;
  }
  if (next === items.length) return;
  const text = `The order in patch list:\n${goPrint(list)}\n doesn't match ${SET_ORDER} list:\n${goPrint(order)}\n`;
  throw badRequest(text);
}
