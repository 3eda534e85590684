import { setMember } from '../decode/json-document.js';
import { isObject, type JsonObject } from './json-tree.js';

/**
 * Applies a JSON Merge Patch (RFC 7396). Nothing given is changed; the result shares what the patch does not reach. Depth
 * must be bounded by the caller.
 *
 * @param touched receives the objects the patch reached
 */
export function applyMergePatch(target: unknown, patch: unknown, touched: WeakSet<object> = new WeakSet()): unknown {
  if (!isObject(patch)) return patch;
  const result: JsonObject = {};
  touched.add(result);
  const before = isObject(target) ? target : {};
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(patch, key)) setMember(result, key, before[key]);
    else if (patch[key] !== null) setMember(result, key, applyMergePatch(before[key], patch[key], touched));
  }
  for (const key of Object.keys(patch)) {
    if (patch[key] === null || Object.hasOwn(before, key)) continue;
    setMember(result, key, applyMergePatch(undefined, patch[key], touched));
  }
  return result;
}
