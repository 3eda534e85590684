import { setMember } from '../../json/json-document.js';
import { isObject, member } from '../../json/json-tree.js';
import type { ListShape, Shape, StructShape } from '../schema/shape.js';
import { elementOf, isAtomic, isVacant, itemsByElement, memberShape, fieldsOf, withStructs } from './fields-of.js';
import type { WireObject } from './tracked-object.js';
import { difference, intersection, union, type FieldSet } from './field-set.js';
import { fieldElement } from './path-element.js';

function mergeValue(live: unknown, intent: unknown, shape: Shape): unknown {
  if (intent === undefined) return live;
  if (isAtomic(shape) || live === undefined || (isVacant(live) && isVacant(intent))) return intent;
  if (shape.kind === 'list') return mergeItems(live, intent, shape);
  return mergeIntent(isObject(live) ? live : {}, isObject(intent) ? intent : {}, shape);
}

/** Fields of the intent win, other fields stay, and nothing is removed. Unchanged parts are shared. */
export function mergeIntent(live: WireObject, intent: WireObject, shape: Shape): WireObject {
  const merged: Record<string, unknown> = {};
  for (const source of [live, intent]) {
    for (const key of Object.keys(source)) {
      const below = memberShape(shape, key);
      if (!below || Object.hasOwn(merged, key)) continue;
      const value = mergeValue(member(live, key), member(intent, key), below);
      if (value !== undefined) setMember(merged, key, value);
    }
  }
  return merged;
}

/** As in structured-merge-diff: in the intent's order; items only in the live list stay before the next common item. */
function mergeItems(live: unknown, intent: unknown, shape: ListShape): unknown[] {
  const liveItems = (Array.isArray(live) ? live : []) as readonly unknown[];
  const before = itemsByElement(live, shape);
  const wanted = itemsByElement(intent, shape);
  // The fallback equals no element of an intent.
  const left = liveItems.map((item) => elementOf(item, shape) ?? '');
  const shared = [...wanted.keys()].filter((element) => before.has(element)).values();
  let next = shared.next().value;
  let at = 0;
  const merged: unknown[] = [];
  for (const [element, [item]] of wanted) {
    while (at < left.length && left[at] !== next) {
      const isWanted = wanted.has(left[at] as string);
      if (!isWanted) merged.push(liveItems[at]);
      at++;
      // After the last common item, only repeated items are wanted.
      if (isWanted && next === undefined) break;
    }
    const sameElement = before.get(element) ?? [];
    // Repeated items have no single counterpart to merge with.
    merged.push(mergeValue(sameElement.length > 1 ? null : sameElement[0], item, shape.item));
    if (element !== next) continue;
    next = shared.next().value;
    at++;
  }
  return [...merged, ...liveItems.filter((_, index) => index >= at && !wanted.has(left[index] as string))];
}

/** Removes what an applier owned last time and no manager wants now: `owned` has the fields of all of them. */
export function prune(
  merged: WireObject,
  owned: readonly FieldSet[],
  last: FieldSet | undefined,
  shape: StructShape,
): WireObject {
  if (!last || last.size === 0) return merged;
  const structs = (set: FieldSet): FieldSet => withStructs(set, shape);
  const setOf = (object: WireObject): FieldSet => structs(fieldsOf(object, shape));
  const all = setOf(merged);
  const wanted = structs(last);
  const withoutLast = removeMembers(merged, wanted, shape);
  const kept = union([setOf(withoutLast), structs(union(owned))]);
  const withOwned = removeMembers(merged, difference(all, kept), shape);
  // Fields below a removed one that were not the applier's stay.
  return removeMembers(merged, intersection(difference(all, setOf(withOwned)), wanted), shape);
}

function removeMembers(object: WireObject, set: FieldSet, shape: Shape): WireObject {
  const rest: Record<string, unknown> = {};
  for (const key of Object.keys(object)) {
    const node = set.get(fieldElement(key));
    const below = memberShape(shape, key);
    if (node?.member || !below) continue;
    setMember(rest, key, node?.children ? removeBelow(object[key], node.children, below) : object[key]);
  }
  return rest;
}

/** A value that becomes empty is null, which means that it is empty, not that the field itself was removed. */
function removeBelow(value: unknown, set: FieldSet, shape: Shape): unknown {
  if (shape.kind === 'scalar') return value;
  if (isAtomic(shape) || isVacant(value)) return null;
  const rest = shape.kind === 'list' ? removeItems(value, set, shape) : removeMembers(value as WireObject, set, shape);
  return isVacant(rest) ? null : rest;
}

function removeItems(value: unknown, set: FieldSet, shape: ListShape): unknown[] {
  const rest: unknown[] = [];
  for (const item of Array.isArray(value) ? value : []) {
    const node = set.get(elementOf(item, shape) ?? '');
    if (node?.member) continue;
    rest.push(node?.children ? removeBelow(item, node.children, shape.item) : item);
  }
  return rest;
}
