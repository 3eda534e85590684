import type { StructShape } from '../schema/shape.js';
import { difference, intersection, union, type FieldSet } from './field-set.js';
import { fieldsOf, withStructs } from './fields-of.js';
import type { Managers } from './managers.js';
import { removeFields } from './remove-fields.js';
import type { WireObject } from './tracked-object.js';

/**
 * Removes from a merged object the fields that its applier owned last time, does not want now, and no other manager owns.
 *
 * @param managers all managers, the applier with its new fields
 * @param last the fields that the applier owned before
 */
export function prune(
  merged: WireObject,
  managers: Managers,
  last: FieldSet | undefined,
  shape: StructShape,
): WireObject {
  if (!last || last.size === 0) return merged;
  const structs = (set: FieldSet): FieldSet => withStructs(set, shape);
  const setOf = (object: WireObject): FieldSet => structs(fieldsOf(object, shape));
  const all = setOf(merged);
  const wanted = structs(last);
  const owned = structs(union([...managers.values()].map(({ fields }) => fields)));
  const withoutLast = removeFields(merged, wanted, shape);
  const withOwned = removeFields(merged, difference(all, union([setOf(withoutLast), owned])), shape);
  // Fields below a removed one that were not the applier's stay.
  return removeFields(merged, intersection(difference(all, setOf(withOwned)), wanted), shape);
}
