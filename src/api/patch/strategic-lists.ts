import type { ListShape, Shape } from '../schema/shape.js';
import { badRequest, unprocessable } from '../status/failures.js';
import { goPrint, goType } from '../../json/go-print.js';
import { isObject, member, type JsonObject } from '../../json/json-tree.js';
import { noMergeKey, PATCH, unknownDirective, withoutDirectives, SET_ORDER } from './strategic-directives.js';

/** Merges two objects; a parameter, because lists contain objects that contain lists. */
export type MergeObjects = (stored: JsonObject, patch: JsonObject, shape: Shape | undefined) => JsonObject;

/** A stored list after a patch of it. @throws StatusFailure 400, 422 */
export function mergeLists(
  stored: readonly unknown[],
  patch: readonly unknown[],
  shape: ListShape | undefined,
  mergeObjects: MergeObjects,
): readonly unknown[] {
  if (shape?.patchStrategy !== 'merge') return patch;
  requireOneType(stored, patch);
  if (!isObject(stored[0] ?? patch[0])) {
    return inOrder([...new Set([...stored, ...patch])], patch, stored, undefined);
  }
  const mergeKey = shape.patchMergeKey;
  if (mergeKey === undefined) throw badRequest('cannot merge lists without merge key');
  return mergeItems(stored as JsonObject[], patch as JsonObject[], mergeKey, shape.item, mergeObjects);
}

/** A stored list without the scalars that a patch removes. @throws StatusFailure 400, 422 */
export function deleteFromList(stored: readonly unknown[], removed: readonly unknown[]): readonly unknown[] {
  if (stored.length === 0 || removed.length === 0) return stored;
  requireOneType(stored, removed);
  const gone = new Set(removed);
  return stored.filter((item) => !gone.has(item));
}

/** Lists contain scalars of one type, or objects; lists of lists cannot be merged. */
function requireOneType(...lists: readonly (readonly unknown[])[]): void {
  const types = new Set(lists.flat().map(goType));
  const [first] = types;
  if (first === '[]interface {}') throw unprocessable();
  if (types.size > 1 || types.has('<nil>')) {
    throw badRequest(`list element types are not identical: ${goPrint(lists)}`);
  }
}

function mergeItems(
  stored: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
  itemShape: Shape,
  mergeObjects: MergeObjects,
): readonly unknown[] {
  const deleted = new Set<unknown>();
  const items: JsonObject[] = [];
  let replaced = false;
  for (const item of patch) {
    if (!Object.hasOwn(item, PATCH)) {
      items.push(item);
      continue;
    }
    const directive = member(item, PATCH);
    if (directive === 'merge') throw badRequest('merging lists cannot yet be specified in the patch');
    if (directive !== 'delete' && directive !== 'replace') throw unknownDirective(directive, item);
    if (directive === 'replace') replaced = true;
    else if (Object.hasOwn(item, mergeKey)) deleted.add(keyOf(item, mergeKey));
    else throw noMergeKey(item, mergeKey);
  }
  if (replaced) return items.map(withoutDirectives);

  const kept = stored.filter((item) => !deleted.has(keyOf(item, mergeKey)));
  const merged: JsonObject[] = [...kept];
  const indexes = indexesOf(merged, mergeKey);
  for (const item of items) {
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
    const key = keyOf(item, mergeKey);
    const index = indexes.get(key);
    if (index === undefined) {
      indexes.set(key, merged.length);
      merged.push(withoutDirectives(item) as JsonObject);
    } else {
      merged[index] = mergeObjects(merged[index] as JsonObject, item, itemShape);
    }
  }
  return inOrder(merged, items, kept, mergeKey);
}

function keyOf(item: unknown, mergeKey: string | undefined): unknown {
  return JSON.stringify(mergeKey !== undefined && isObject(item) ? member(item, mergeKey) : item);
}

function indexesOf(list: readonly unknown[], mergeKey: string | undefined): Map<unknown, number> {
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
