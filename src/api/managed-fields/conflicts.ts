import type { StatusCause } from '../../model/status.js';
import { byCodePoint } from '../../json/code-point-order.js';
import { goQuote } from '../../json/go-print.js';
import { failureStatus } from '../../responses/failure-status.js';
import { statusError, type StatusError } from '../status/status-error.js';
import type { FieldNode, FieldSet } from './field-set.js';
import { sortedElements } from './fields-v1.js';
import type { Manager } from './managers.js';
import { pathText } from './path-element.js';

/** Fields that an apply would change although other managers own them. */
export interface Conflict {
  readonly id: string;
  readonly manager: Manager;
  readonly fields: FieldSet;
}

/** 409 with a cause for each field. Managers are in the order of their ids, fields in that of the tree. */
export function conflictError(conflicts: readonly Conflict[]): StatusError {
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
  return statusError(failureStatus(409, 'Conflict', `Apply failed with ${message}`, { causes }));
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
export function pathsOf(set: FieldSet, above: readonly string[] = []): string[][] {
  const elements = sortedElements(set);
  const paths: string[][] = [];
  for (const element of elements) if ((set.get(element) as FieldNode).member) paths.push([...above, element]);
  for (const element of elements) {
    const { children } = set.get(element) as FieldNode;
    if (children) for (const path of pathsOf(children, [...above, element])) paths.push(path);
  }
  return paths;
}
