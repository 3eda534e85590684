import { compareObjects } from './compare.js';
import { difference, intersection, type FieldNode, type FieldSet, sortedElements } from './field-set.js';
import { fieldsOf } from './fields-of.js';
import { managerId, type Manager, type Managers } from './managers.js';
import { mergeIntent } from './merge.js';
import { prune } from './prune.js';
import { ofVersion, stripIdentity } from './update-managed-fields.js';
import { sameContent, type ManagedVersion, type WireObject } from './tracked-object.js';
import type { StatusCause } from '../../model/status.js';
import { byCodePoint } from '../../json/code-point-order.js';
import { goQuote } from '../../json/go-print.js';
import { failureStatus } from '../../responses/failure-status.js';
import { statusFailure, type StatusFailure } from '../status/status-failure.js';
import { pathText } from './path-element.js';

/** The fields that a manager wants an object to have. */
export interface Intent {
  readonly live: WireObject;
  /** Checked against the shape; without `kind`, `apiVersion` and managed fields. */
  readonly intent: WireObject;
  readonly manager: string;
  readonly time: string;
  /** Takes fields from other owners (`force`). */
  readonly force: boolean;
  readonly version: ManagedVersion;
}

/** The object and its managers after an apply, or the conflicts. */
export type IntentOutcome =
  | { readonly conflicts: readonly Conflict[] }
  | {
      /** As merged: times and numbers may stand as the intent has them. Undefined when the apply changes nothing. */
      readonly object: WireObject | undefined;
      readonly managers: Managers;
    };

/** Merges an intent into an object, as structured-merge-diff does. */
export function applyIntent(managers: Managers, input: Intent): IntentOutcome {
  const { live, intent, version, time } = input;
  const { shape, apiVersion } = version;
  const all = ofVersion(managers, version);
  const identity = { name: input.manager, operation: 'Apply', apiVersion, subresource: '' } as const;
  const self = managerId(identity);
  const last = all.get(self);
  all.set(self, { ...identity, time: last?.time, fields: fieldsOf(intent, shape) });
  const object = prune(mergeIntent(live, intent, shape), all, last?.fields, shape);
  const { changed, removed } = compareObjects(live, object, shape);
  const conflicts: Conflict[] = [];
  const after = new Map<string, Manager>();
  for (const [id, manager] of all) {
    if (id === self) continue;
    const taken = intersection(manager.fields, changed);
    if (taken.size > 0) conflicts.push({ id, manager, fields: taken });
    const fields = difference(difference(manager.fields, taken), removed);
    if (fields.size > 0) after.set(id, { ...manager, fields });
  }
  if (conflicts.length > 0 && !input.force) return { conflicts };
  const noop = sameContent(live, object);
  const owner = all.get(self) as Manager;
  const fields = stripIdentity(owner.fields);
  // A manager that changes nothing becomes an owner as well, without a time.
  if (fields.size > 0) after.set(self, { ...owner, fields, time: noop ? owner.time : time });
  return { object: noop ? undefined : object, managers: after };
}

/** Fields that an apply would change although other managers own them. */
export interface Conflict {
  readonly id: string;
  readonly manager: Manager;
  readonly fields: FieldSet;
}

/** 409 with a cause for each field. Managers are in the order of their ids, fields in that of the tree. */
export function conflictError(conflicts: readonly Conflict[]): StatusFailure {
  const sorted = [...conflicts].sort((left, right) => byCodePoint(left.id, right.id));
  const groups = sorted.map(({ manager, fields }) => ({
    who: managerText(manager),
    fields: pathsOf(fields).map(pathText),
  }));
  const causes = groups.flatMap(({ who, fields }) => fields.map((field) => cause(who, field)));
  const [first] = causes;
  const message =
    causes.length === 1
      ? `1 conflict: ${first?.message}: ${first?.field}`
      : `${causes.length} conflicts: ${groups.map(groupText).join('\n')}`;
  return statusFailure(failureStatus(409, 'Conflict', `Apply failed with ${message}`, { causes }));
}

const cause = (who: string, field: string): StatusCause => ({
  reason: 'FieldManagerConflict',
  message: `conflict with ${who}`,
  field,
});

const groupText = ({ who, fields }: { readonly who: string; readonly fields: readonly string[] }): string =>
  [`conflicts with ${who}:`, ...fields.map((field) => `- ${field}`)].join('\n');

function managerText({ name, operation, apiVersion, subresource }: Manager): string {
  const through = subresource ? ` with subresource ${goQuote(subresource)}` : '';
  return `${goQuote(name)}${through}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}

/** The paths of a set: the members of a level before what is below them. */
function pathsOf(set: FieldSet, above: readonly string[] = []): string[][] {
  const elements = sortedElements(set);
  const paths: string[][] = [];
  for (const element of elements) if ((set.get(element) as FieldNode).member) paths.push([...above, element]);
  for (const element of elements) {
    const { children } = set.get(element) as FieldNode;
    if (children) for (const path of pathsOf(children, [...above, element])) paths.push(path);
  }
  return paths;
}
