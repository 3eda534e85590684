import { jsonKind, wrongType } from '../decode/decode-fault.js';
import type { JsonDocument } from '../../json/json-document.js';
import { strictError } from '../body/parse-body.js';
import { isObject } from '../../json/json-tree.js';

const MEMBERS: readonly string[] = ['op', 'from', 'path', 'value'];
const TEXTS: readonly string[] = ['op', 'from', 'path'];

/** The error is in the words of Kubernetes' strict decoder (`Warn`, `Strict`) or of its patch library (`Ignore`). */
export function jsonPatchTypeError(value: unknown, strict: boolean): string | undefined {
  if (value === null) return undefined;
  if (!Array.isArray(value)) return wrongType(value, strict ? '[]handlers.jsonPatchOp' : 'jsonpatch.Patch');
  for (const operation of value) {
    if (operation === null) continue;
    if (!isObject(operation)) return wrongType(operation, strict ? 'handlers.jsonPatchOp' : 'jsonpatch.Operation');
    if (!strict) continue;
    for (const key of TEXTS) {
      const text = Object.hasOwn(operation, key) ? operation[key] : null;
      if (text === null || typeof text === 'string') continue;
      return `json: cannot unmarshal ${jsonKind(text)} into Go struct field jsonPatchOp.${key} of type string`;
    }
  }
  return undefined;
}

/** Unknown and duplicate keys of operations: `json patch unknown field "[0].foo"`. At most `max` of them. */
export function jsonPatchStrictErrors({ value, duplicates }: JsonDocument, max: number): string[] {
  const errors: string[] = [];
  const operations = Array.isArray(value) ? value : [];
  for (let index = 0; index < operations.length && errors.length < max; index++) {
    const operation: unknown = operations[index];
    if (!isObject(operation)) continue;
    for (const key of Object.keys(operation)) {
      if (!MEMBERS.includes(key)) errors.push(`json patch ${strictError('unknown', `[${index}].${key}`)}`);
    }
  }
  for (const path of duplicates) {
    const [, key = ''] = /^\[\d+\]\.([a-z]+)/.exec(path) ?? [];
    if (MEMBERS.includes(key)) errors.push(`json patch ${strictError('duplicate', path)}`);
  }
  return errors.slice(0, max);
}
