import type { ListOptions } from '../../api/options/list-options.js';
import type { Selector } from '../../api/selectors/contract.js';
import { parseFieldSelector } from '../../api/selectors/field-selector.js';
import { parseLabelSelector } from '../../api/selectors/label-selector.js';
import { allOf } from '../../api/selectors/all-of.js';
import { badRequest } from '../../api/status/failures.js';
import type { VerbCall } from '../request/call.js';

/** What a list or watch picks: both selectors, and the name of a single-object watch. */
export function readSelection(call: VerbCall, options: ListOptions): Selector {
  const { maxSelectorTerms } = call.environment;
  const labels = parseLabelSelector(options.labelSelector, maxSelectorTerms);
  const fields = parseFieldSelector(options.fieldSelector, call.version.selectable, maxSelectorTerms);
  const { name } = call.scope;
  if (name === '') return allOf(labels, fields);
  const asked = fields.exact('metadata.name');
  if (asked !== undefined && asked !== name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  return allOf(labels, fields, parseFieldSelector(`metadata.name=${escaped(name)}`, call.version.selectable));
}

const escaped = (value: string): string => value.replace(/[\\,=]/g, '\\$&');
