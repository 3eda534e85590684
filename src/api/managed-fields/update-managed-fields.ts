import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import { capUpdaters, decodeManagers, encodeManagers, withStoredTimes, managerId } from './managers.js';
import type { Managers, Manager } from './managers.js';
import { contentBefore, sameContent, untracked, type ManagedVersion, type WireObject } from './tracked-object.js';
import { compareObjects, type Comparison } from './compare.js';
import { difference, EMPTY, union, LEAF, type FieldNode, type FieldSet } from './field-set.js';
import { fieldElement } from './path-element.js';
import type { Shape } from '../schema/shape.js';
import { shapeBelow, isAtomic } from './fields-of.js';

/** A create, an update, or a patch that is not an apply. */
export interface UpdateManagedFieldsInput {
  readonly version: ManagedVersion;
  readonly live?: WireObject | undefined;
  /** The object as the client wants it, before the server carries over fields that clients cannot change. */
  readonly next: WireObject;
  readonly stored?: readonly ManagedFieldsEntry[] | undefined;
  /** The entries in the request's object (after a patch: in the patched document); absent for none. */
  readonly sent?: readonly ManagedFieldsEntry[] | undefined;
  readonly manager: string;
  /** The current time: RFC 3339, UTC, whole seconds. */
  readonly time: string;
}

/**
 * The managed fields after a write that is not an apply. A valid list from the client replaces the stored one; an empty
 * one (or one empty entry) leaves the object untracked until its first apply (Kubernetes behaviour).
 */
export function updateManagedFields(input: UpdateManagedFieldsInput): ManagedFieldsEntry[] {
  const { live, stored = [], version } = input;
  const base = baseManagers(input);
  if (base.size === 0 && live) return [];
  const next = untracked(input.next);
  const after = recordChange(base, compareObjects(contentBefore(live, version), next, version.shape), input);
  const entries = encodeManagers(capUpdaters(after));
  return live && sameContent(live, next) ? withStoredTimes(entries, stored) : entries;
}

function baseManagers({ stored = [], sent }: UpdateManagedFieldsInput): Managers {
  if (sent && isReset(sent)) return new Map();
  return (sent && decodeManagers(sent)) ?? decodeManagers(stored) ?? new Map();
}

export function isReset(sent: readonly ManagedFieldsEntry[]): boolean {
  return sent.length === 0 || (sent.length === 1 && Object.keys(sent[0] ?? {}).length === 0);
}

/** The managers after such a write: changed fields belong to the changing manager alone, removed fields to none. */
export function recordChange(
  managers: Managers,
  comparison: Comparison,
  { version, manager, time }: Pick<UpdateManagedFieldsInput, 'version' | 'manager' | 'time'>,
): Managers {
  const after = withoutFields(ofVersion(managers, version), comparison);
  const taken = difference(comparison.changed, WITHOUT_OWNER);
  if (taken.size > 0) {
    const { apiVersion } = version;
    const self = { name: manager, operation: 'Update', apiVersion, subresource: '' } as const;
    const id = managerId(self);
    after.set(id, { ...self, time, fields: union([after.get(id)?.fields ?? EMPTY, taken]) });
  }
  return after;
}

export function withoutFields(managers: Managers, { changed, removed }: Comparison): Map<string, Manager> {
  const after = new Map<string, Manager>();
  for (const [id, manager] of managers) {
    const fields = difference(difference(manager.fields, changed), removed);
    if (fields.size > 0) after.set(id, { ...manager, fields });
  }
  return after;
}

/** Entries of other versions are dropped, and sets are adapted to the shape. */
export function ofVersion(managers: Managers, { apiVersion, shape }: ManagedVersion): Map<string, Manager> {
  const kept = new Map<string, Manager>();
  for (const [id, manager] of managers) {
    if (manager.apiVersion === apiVersion) kept.set(id, { ...manager, fields: fitToShape(manager.fields, shape) });
  }
  return kept;
}

/** A manager of a part of an atomic value owns all of it: clients, or earlier versions of the shape, may differ. */
function fitToShape(set: FieldSet, shape: Shape | undefined): FieldSet {
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

const METADATA_WITHOUT_OWNER = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
];

/** Fields that identify the object or are set by the server never have an owner (Kubernetes' stripped fields). */
export const WITHOUT_OWNER: FieldSet = new Map<string, FieldNode>([
  ['f:kind', LEAF],
  ['f:apiVersion', LEAF],
  ['f:metadata', { member: true, children: new Map(METADATA_WITHOUT_OWNER.map((name) => [fieldElement(name), LEAF])) }],
]);
