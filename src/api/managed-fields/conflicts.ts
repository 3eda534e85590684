import { intersection, sortedNodes, type FieldSet } from './field-set.js';
import type { Manager, Managers } from './managers.js';
import { pathText } from './path-element.js';
import { byCodePoint } from '../../json/code-point-order.js';
import { goQuote } from '../../json/go-print.js';
import { failureStatus } from '../../responses/failure-status.js';
import { statusFailure } from '../status/status-failure.js';

export function hasConflicts(others: Managers, changed: FieldSet): boolean {
  return [...others.values()].some(({ fields }) => intersection(fields, changed).size > 0);
}

/**
 * Requires that no other manager owns any of the fields.
 *
 * @throws StatusFailure 409 with a cause for each field, in the order of manager ids, then of the tree
 */
export function refuseConflicts(others: Managers, changed: FieldSet): void {
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
