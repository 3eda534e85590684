import { setMember } from '../../json/json-document.js';
import type { ListShape, Shape } from '../schema/shape.js';
import { badRequest } from '../status/failures.js';
import { goQuote, shorten } from '../../json/go-print.js';
import { isObject, member, type JsonObject } from '../../json/json-tree.js';
import {
  DELETE_FROM_LIST,
  fieldOfDirective,
  noMergeKey,
  notAList,
  PATCH,
  RETAIN_KEYS,
  SET_ORDER,
  unknownDirective,
  withoutDirectives,
} from './strategic-directives.js';
import { deleteFromList, indexesOf, inOrder, keyOf, requireOneType, requireOrder } from './strategic-lists.js';

/**
 * Objects merge, `null` removes, lists merge or are replaced as the shape defines, and directives change that. The
 * result shares what the patch does not reach; types are checked when it is decoded.
 *
 * @throws StatusFailure 400 for an impossible directive (in Kubernetes some are a 500), 422 for lists of lists
 */
export function applyStrategicMerge(stored: JsonObject, patch: JsonObject, shape: Shape | undefined): JsonObject {
  if (Object.hasOwn(patch, PATCH)) return followDirective(patch);
  const result: JsonObject = {};
  const retained = retainedKeys(patch);
  for (const key of Object.keys(stored)) {
    if (!retained || retained.has(key)) setMember(result, key, stored[key]);
  }
  const keys = Object.keys(patch).filter((key) => key !== RETAIN_KEYS);
  const done = new Set<string>();
  for (const key of keys) {
    if (!key.startsWith(SET_ORDER)) continue;
    const field = fieldOfDirective(key, SET_ORDER);
    mergeInOrder(result, patch, field, patch[key], shape);
    done.add(key).add(field);
  }
  for (const key of keys) {
    if (!key.startsWith(DELETE_FROM_LIST)) continue;
    done.add(key);
    deleteScalars(result, fieldOfDirective(key, DELETE_FROM_LIST), patch[key]);
  }
  for (const key of keys) {
    if (!done.has(key)) mergeMember(result, key, patch[key], shape);
  }
  return result;
}

function followDirective(patch: JsonObject): JsonObject {
  const directive = patch[PATCH];
  if (directive === 'delete') return {};
  if (directive !== 'replace') throw unknownDirective(directive, patch);
  const { [PATCH]: _, ...members } = patch;
  return withoutDirectives(members) as JsonObject;
}

/** The keys `$retainKeys` lists; they must cover what the patch sets. */
function retainedKeys(patch: JsonObject): ReadonlySet<unknown> | undefined {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return undefined;
  const list = patch[RETAIN_KEYS];
  const wrong = 'invalid patch format of retainKeys';
  if (!Array.isArray(list)) throw badRequest(wrong);
  const retained = new Set<unknown>(list);
  for (const key of Object.keys(patch)) {
    if (patch[key] === null || key === RETAIN_KEYS || retained.has(key)) continue;
    if (!key.startsWith(DELETE_FROM_LIST) && !key.startsWith(SET_ORDER)) throw badRequest(wrong);
  }
  return retained;
}

function mergeMember(result: JsonObject, key: string, value: unknown, shape: Shape | undefined): void {
  if (value === null) {
    delete result[key];
    return;
  }
  const before = member(result, key);
  if (isObject(before) && isObject(value)) {
    setMember(result, key, applyStrategicMerge(before, value, memberShape(shape, key)));
  } else if (Array.isArray(before) && Array.isArray(value)) {
    setMember(result, key, mergeLists(before, value, listShape(shape, key)));
  } else {
    const added = withoutDirectives(value);
    if (added === undefined) delete result[key];
    else setMember(result, key, added);
  }
}

/** A stored list after a patch of it. @throws StatusFailure 400, 422 */
function mergeLists(
  stored: readonly unknown[],
  patch: readonly unknown[],
  shape: ListShape | undefined,
): readonly unknown[] {
  if (shape?.patchStrategy !== 'merge') return patch;
  requireOneType(stored, patch);
  if (!isObject(stored[0] ?? patch[0])) {
    return inOrder([...new Set([...stored, ...patch])], patch, stored, undefined);
  }
  const mergeKey = shape.patchMergeKey;
  if (mergeKey === undefined) throw badRequest('cannot merge lists without merge key');
  return mergeItems(stored as JsonObject[], patch as JsonObject[], mergeKey, shape.item);
}

function mergeItems(
  stored: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
  itemShape: Shape,
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
      merged[index] = applyStrategicMerge(merged[index] as JsonObject, item, itemShape);
    }
  }
  return inOrder(merged, items, kept, mergeKey);
}

/** `null` removes the whole list; other values that are not lists are ignored (Kubernetes behaviour). */
function deleteScalars(result: JsonObject, field: string, value: unknown): void {
  if (value === null) delete result[field];
  const before = member(result, field);
  if (Array.isArray(before) && Array.isArray(value)) setMember(result, field, deleteFromList(before, value));
}

/** Follows `$setElementOrder`, and merges the patch's own list of that field. */
function mergeInOrder(
  result: JsonObject,
  patch: JsonObject,
  field: string,
  order: unknown,
  shape: Shape | undefined,
): void {
  const stored = listMember(result, field);
  const list = listMember(patch, field);
  if (!Array.isArray(order)) throw notAList(order);
  const fieldShape = listShape(shape, field);
  const mergeKey = fieldShape?.patchMergeKey;
  requireOrder(list ?? [], order, mergeKey);
  if (!stored && !list) return;
  const merged =
    stored && list ? mergeLists(stored, list, fieldShape) : (stored ?? (withoutDirectives(list) as readonly unknown[]));
  setMember(result, field, inOrder(merged, order, stored ?? [], mergeKey));
}

function listMember(object: JsonObject, field: string): readonly unknown[] | undefined {
  const value = member(object, field);
  if (value === undefined || Array.isArray(value)) return value;
  throw notAList(value);
}

function memberShape(shape: Shape | undefined, key: string): Shape | undefined {
  if (shape?.kind === 'map') return shape.value;
  if (shape?.kind !== 'struct') return undefined;
  const field = shape.byName.get(key);
  if (field) return field.shape;
  throw badRequest(`unable to find api field in struct ${shape.name} for the json field ${goQuote(shorten(key))}`);
}

function listShape(shape: Shape | undefined, key: string): ListShape | undefined {
  const found = memberShape(shape, key);
  return found?.kind === 'list' ? found : undefined;
}
