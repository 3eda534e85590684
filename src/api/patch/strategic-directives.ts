import { setMember } from '../../json/json-document.js';
import { badRequest } from '../status/failures.js';
import type { StatusFailure } from '../status/status-failure.js';
import { goPrint, goPrintAsText, goType } from '../../json/go-print.js';
import { isObject, type JsonObject } from '../../json/json-tree.js';

/** How to treat the enclosing object or list: `replace` or `delete`. */
export const PATCH = '$patch';
/** The keys an object may keep. */
export const RETAIN_KEYS = '$retainKeys';
/** With `/field`: scalars to remove from the list. */
export const DELETE_FROM_LIST = '$deleteFromPrimitiveList';
export const SET_ORDER = '$setElementOrder';

/** The field a directive such as `$setElementOrder/finalizers` names. @throws StatusFailure 400 */
export function fieldOfDirective(key: string, directive: string): string {
  if (key.startsWith(`${directive}/`)) return key.slice(directive.length + 1);
  throw badRequest(`invalid patch format of ${directive === SET_ORDER ? 'setElementOrder' : 'primitive'} list`);
}

export function unknownDirective(directive: unknown, where: JsonObject): StatusFailure {
  return badRequest(`unknown patch type: ${goPrintAsText(directive)} in map: ${goPrint(where)}`);
}

export function noMergeKey(item: JsonObject, mergeKey: string): StatusFailure {
  return badRequest(`map: ${goPrint(item)} does not contain declared merge key: ${mergeKey}`);
}

export function notAList(value: unknown): StatusFailure {
  return badRequest(`expected a []interface {}, but received a ${goType(value)}`);
}

/**
 * A new value of the document: without directives, which have nothing to act on, and without nulls. Undefined for an
 * object with a `$patch`: what should be replaced or deleted is not there (Kubernetes behaviour).
 */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, PATCH)) return undefined;
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const kept = value[key] === null || isDirective(key) ? undefined : withoutDirectives(value[key]);
    if (kept !== undefined) setMember(result, key, kept);
  }
  return result;
}

function isDirective(key: string): boolean {
  return key === RETAIN_KEYS || key.startsWith(DELETE_FROM_LIST) || key.startsWith(SET_ORDER);
}
