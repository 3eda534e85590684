import { compareObjects, type Comparison } from './compare.js';
import { difference, EMPTY, union, LEAF, type FieldNode, type FieldSet } from './field-set.js';
import { managerId, type Manager, type Managers } from './managers.js';
import { stripIdentity } from './stripped-fields.js';
import type { ManagedVersion, WireObject } from './tracked-object.js';
import type { Shape } from '../schema/shape.js';
import { shapeBelow } from './fields-of.js';
import { isAtomic } from './list-items.js';

/** A change of an object, and its manager. */
export interface Update {
  readonly live: WireObject;
  readonly next: WireObject;
  readonly manager: string;
  readonly time: string;
  readonly version: ManagedVersion;
}

/**
 * The managers after a change that was not an apply: changed fields belong to the changing manager alone, removed fields to
 * none, and managers without fields are dropped.
 */
export function recordUpdate(managers: Managers, update: Update): Managers {
  return recordChange(managers, compareObjects(update.live, update.next, update.version.shape), update);
}

/** {@link recordUpdate} with a known comparison. */
export function recordChange(
  managers: Managers,
  { changed, removed }: Comparison,
  { version, manager, time }: Omit<Update, 'live' | 'next'>,
): Managers {
  const after = new Map<string, Manager>();
  for (const [id, one] of ofVersion(managers, version)) {
    const fields = difference(difference(one.fields, changed), removed);
    if (fields.size > 0) after.set(id, { ...one, fields });
  }
  const taken = stripIdentity(changed);
  if (taken.size > 0) {
    const { apiVersion } = version;
    const self = { name: manager, operation: 'Update', apiVersion, subresource: '' } as const;
    const id = managerId(self);
    after.set(id, { ...self, time, fields: union([after.get(id)?.fields ?? EMPTY, taken]) });
  }
  return after;
}

/** The managers with entries of this version, with sets adapted to its shape. Other entries are dropped. */
export function ofVersion(managers: Managers, { apiVersion, shape }: ManagedVersion): Map<string, Manager> {
  const kept = new Map<string, Manager>();
  for (const [id, manager] of managers) {
    if (manager.apiVersion === apiVersion) kept.set(id, { ...manager, fields: fitToShape(manager.fields, shape) });
  }
  return kept;
}

/**
 * Adapts a set to the shape: a manager that owns a part of an atomic value owns all of it. Such sets come from
 * clients that send managed fields, and from earlier versions of the shape.
 */
export function fitToShape(set: FieldSet, shape: Shape | undefined): FieldSet {
  let fitted: Map<string, FieldNode> | undefined;
  for (const [element, node] of set) {
    const below = shapeBelow(shape, element);
    if (!below || !node.children) continue;
    const children = isAtomic(below) && below.kind !== 'scalar' ? undefined : fitToShape(node.children, below);
    if (children === node.children) continue;
    fitted ??= new Map(set);
    fitted.set(element, children ? { member: node.member, children } : LEAF);
  }
  return fitted ?? set;
}
