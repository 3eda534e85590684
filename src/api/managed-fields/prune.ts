import type { StructShape, ListShape, Shape } from '../schema/shape.js';
import { difference, intersection, union, type FieldSet } from './field-set.js';
import { fieldsOf, withStructs, isAtomic, isVacant, itemElement, memberShape } from './fields-of.js';
import type { WireObject } from './tracked-object.js';
import { setMember } from '../../json/json-document.js';
import { fieldElement } from './path-element.js';

/**
 * Removes the fields that an applier owned last time, does not want now, and no other manager owns.
 *
 * @param owned the fields of all managers, the applier's new ones included
 * @param last the fields that the applier owned before
 */
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
    const found = itemElement(item, shape);
    const node = 'element' in found ? set.get(found.element) : undefined;
    if (node?.member) continue;
    rest.push(node?.children ? removeBelow(item, node.children, shape.item) : item);
  }
  return rest;
}
