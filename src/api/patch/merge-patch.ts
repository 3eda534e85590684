import { setMember } from '../../json/json-document.js';
import { isObject, member, type JsonObject } from '../../json/json-tree.js';

/**
 * Applies a JSON Merge Patch (RFC 7396). Arguments are not changed; the result shares parts that the patch does not reach. Depth
 * must be bounded by the caller.
 *
 * @param touched receives the objects the patch reached
 */
export function applyMergePatch(target: unknown, patch: unknown, touched: object[] = []): unknown {
  if (!isObject(patch)) return patch;
  const before = isObject(target) ? target : {};
  // Unlike an assignment, a spread copies `__proto__` as data.
  const result: JsonObject = { ...before };
  touched.push(result);
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) delete result[key];
    else setMember(result, key, applyMergePatch(member(before, key), value, touched));
  }
  return result;
}
