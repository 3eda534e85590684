import { compareObjects } from './compare.js';
import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import { decodeObject } from '../decode/decode-object.js';
import { isObject, member } from '../../json/json-tree.js';
import { badRequest } from '../status/failures.js';
import { intentError } from './check-intent.js';
import { difference, intersection, sortedNodes, type FieldSet } from './field-set.js';
import { fieldsOf } from './fields-of.js';
import { lastAppliedFields, withLastApplied } from './last-applied.js';
import { capUpdaters, decodeManagers, encodeManagers, managerId, withStoredTimes } from './managers.js';
import type { Managers, Manager } from './managers.js';
import { mergeIntent, prune } from './merge.js';
import { ofVersion, recordChange, withoutFields, WITHOUT_OWNER } from './update-managed-fields.js';
import type { UpdateManagedFieldsInput } from './update-managed-fields.js';
import { contentBefore, emptyObject, sameContent, untracked, describeObject, objectType } from './tracked-object.js';
import type { ManagedVersion, WireObject } from './tracked-object.js';
import { pathText } from './path-element.js';
import { byCodePoint } from '../../json/code-point-order.js';
import { goQuote } from '../../json/go-print.js';
import { failureStatus } from '../../responses/failure-status.js';
import { statusFailure } from '../status/status-failure.js';

/** The manager of all fields that existed before managed fields were tracked. */
const BEFORE_FIRST_APPLY = 'before-first-apply';
/** The only manager that takes over from the annotation of its own client-side apply. */
const KUBECTL = 'kubectl';

export interface ApplyManagedFieldsInput extends Pick<
  UpdateManagedFieldsInput,
  'version' | 'live' | 'stored' | 'manager' | 'time'
> {
  /** The intent, as `readApplyBody` returns it: with `kind` and `apiVersion`, unchecked. */
  readonly intent: Readonly<Record<string, unknown>>;
  readonly force: boolean;
}

/**
 * Merges a manager's intent into the stored object: its fields become the manager's, those it owned before and does not
 * want now are removed unless another manager owns them, and other managers' fields are kept unless `force` takes them.
 * An apply that changes nothing returns the stored object, with the resourceVersion of the intent.
 *
 * @throws StatusFailure 400 for an unusable intent; 409 with one cause per field for conflicts
 */
export function applyManagedFields(input: ApplyManagedFieldsInput): {
  /** Canonical, without managed fields. */
  readonly object: Record<string, unknown>;
  readonly entries: ManagedFieldsEntry[];
} {
  const { version, stored = [], manager } = input;
  const intent = checkedIntent(input.intent, version);
  const live = contentBefore(input.live, version);
  const { merged, managers } = mergedInto(live, intent, managersBefore(stored, live, input), input);
  let object = merged === live ? { ...live } : decoded(merged, input);
  if (manager === KUBECTL) object = withLastApplied(object, input.intent);
  const entries = encodeManagers(managers);
  return { object, entries: sameContent(live, object) ? withStoredTimes(entries, stored) : entries };
}

/** `live` itself if nothing changes. Times and numbers of the intent may not be canonical. @throws StatusFailure 409 */
function mergedInto(
  live: WireObject,
  intent: WireObject,
  before: Managers,
  { version, manager, force, time }: ApplyManagedFieldsInput,
): { readonly merged: WireObject; readonly managers: Managers } {
  const { shape, apiVersion } = version;
  const identity = { name: manager, operation: 'Apply', apiVersion, subresource: '' } as const;
  const self = managerId(identity);
  const others = ofVersion(before, version);
  const last = others.get(self);
  others.delete(self);
  const wanted = fieldsOf(intent, shape);
  const owned = [wanted, ...[...others.values()].map(({ fields }) => fields)];
  const merged = prune(mergeIntent(live, intent, shape), owned, last?.fields, shape);
  const comparison = compareObjects(live, merged, shape);
  if (!force) {
    const { changed } = comparison;
    // What kubectl applied last is read from an annotation, which may be long.
    const isLenient = manager === KUBECTL && hasConflicts(others, changed);
    refuseConflicts(others, isLenient ? difference(changed, lastAppliedFields(live, version)) : changed);
  }
  const managers = withoutFields(others, comparison);
  const noop = sameContent(live, merged);
  const fields = difference(wanted, WITHOUT_OWNER);
  const { metadata } = intent;
  const revision = isObject(metadata) ? member(metadata, 'resourceVersion') : undefined;
  // One that is no condition is a change to Kubernetes, since it is not the stored one.
  const isChange = !noop || (revision !== undefined && /^0*$/.test(String(revision ?? '')));
  // A manager that changes nothing becomes an owner as well, with the time of its last apply in any version, if there is one.
  if (fields.size > 0) managers.set(self, { ...identity, fields, time: isChange ? time : before.get(self)?.time });
  // The caller checks the resourceVersion that an intent may have, also if nothing else changes.
  return { merged: noop && revision === undefined ? live : merged, managers };
}

function checkedIntent(intent: Readonly<Record<string, unknown>>, version: ManagedVersion): WireObject {
  const type = objectType(intent);
  if (type.apiVersion !== version.apiVersion || type.kind !== version.kind) {
    throw badRequest(`invalid object type: ${type.text}`);
  }
  const metadata = member(intent, 'metadata');
  if (isObject(metadata) && Array.isArray(member(metadata, 'managedFields'))) {
    throw badRequest('metadata.managedFields must be nil');
  }
  const wrong = intentError(intent, version.shape);
  if (wrong !== undefined) {
    throw badRequest(`failed to create typed patch object (${describeObject(intent)}): ${wrong}`);
  }
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = intent;
  return untracked(rest);
}

/** The managers before the apply. The fields of an untracked object belong to {@link BEFORE_FIRST_APPLY}. */
function managersBefore(
  stored: readonly ManagedFieldsEntry[],
  live: WireObject,
  { version, time, live: existing }: ApplyManagedFieldsInput,
): Managers {
  const managers = decodeManagers(stored) ?? new Map();
  if (managers.size > 0 || !existing) return managers;
  const all = compareObjects(emptyObject(version.shape), live, version.shape);
  return capUpdaters(recordChange(managers, all, { manager: BEFORE_FIRST_APPLY, time, version }));
}

/** The merged object in canonical form. @throws StatusFailure 400 for times and numbers that are invalid */
function decoded(object: WireObject, { intent, version }: ApplyManagedFieldsInput): Record<string, unknown> {
  const result = decodeObject(object, version.shape);
  if ('object' in result) return result.object;
  const { text } = objectType(intent);
  throw badRequest(
    `failed to convert new object (${describeObject(intent)}) to proper version: ` +
      `unable to convert unstructured object to ${text}: ${result.fault.converter}`,
  );
}

function hasConflicts(others: Managers, changed: FieldSet): boolean {
  return [...others.values()].some(({ fields }) => intersection(fields, changed).size > 0);
}

/** @throws StatusFailure 409 if another manager owns a field: a cause for each, by manager id, then as in the tree */
function refuseConflicts(others: Managers, changed: FieldSet): void {
  const groups = [...others]
    .map(([id, manager]) => ({ id, manager, fields: intersection(manager.fields, changed) }))
    .filter(({ fields }) => fields.size > 0)
    .sort((left, right) => byCodePoint(left.id, right.id))
    .map(({ manager, fields }) => ({ who: managerText(manager), fields: pathsOf(fields).map(pathText) }));
  const causes = groups.flatMap(({ who, fields }) =>
    fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  );
  const [first] = causes;
  if (!first) return;
  const text =
    causes.length === 1
      ? `1 conflict: ${first.message}: ${first.field}`
      : `${causes.length} conflicts: ${groups.map(groupText).join('\n')}`;
  throw statusFailure(failureStatus(409, 'Conflict', `Apply failed with ${text}`, { causes }));
}

const groupText = ({ who, fields }: { readonly who: string; readonly fields: readonly string[] }): string =>
  [`conflicts with ${who}:`, ...fields.map((field) => `- ${field}`)].join('\n');

function managerText({ name, operation, apiVersion, subresource }: Manager): string {
  const through = subresource ? ` with subresource ${goQuote(subresource)}` : '';
  return `${goQuote(name)}${through}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}

/** The paths of a set: the members of a level before what is below them. */
function pathsOf(set: FieldSet, above: readonly string[] = []): string[][] {
  const nodes = sortedNodes(set).map(([element, node]) => ({ path: [...above, element], ...node }));
  return [
    ...nodes.filter(({ member }) => member).map(({ path }) => path),
    ...nodes.flatMap(({ path, children }) => (children ? pathsOf(children, path) : [])),
  ];
}
