import { setMember } from './json-document.js';
import { byCodePoint } from './code-point-order.js';

/** A JSON object. Keys are the client's: look them up with {@link member} only. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for an object and for a list, whose keys are the indexes. */
export function isContainer(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

/** The greatest 64-bit integer that a number can hold: 2^63 - 1024. */
export const GREATEST_INT64 = 9_223_372_036_854_774_784;

export function isInt32(value: number): boolean {
  return (value | 0) === value;
}

export function isInt64(value: number): boolean {
  return Number.isInteger(value) && value <= GREATEST_INT64 && value >= -(2 ** 63);
}

/** An own property, never an inherited one (`constructor`). */
export function member(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A deep copy, without members that are `undefined`. Depth must be bounded by the caller. */
export function cloneTree<T>(value: T): T {
  if (Array.isArray(value)) return value.map(cloneTree) as T;
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    if (value[key] !== undefined) setMember(copy, key, cloneTree(value[key]));
  }
  return copy as T;
}

/** Equality of JSON values: order counts in arrays, not in objects. Depth must be bounded by the caller. */
export function sameTree(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => sameTree(item, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) if (!Object.hasOwn(right, key) || !sameTree(left[key], right[key])) return false;
  return true;
}

/** Works without recursion, and stops once `maxNodes` is exceeded. A scalar has depth 0, an empty object 1. */
export function measureTree(value: unknown, maxNodes: number): { readonly nodes: number; readonly depth: number } {
  let nodes = 1;
  let depth = 0;
  let level: object[] = [];
  if (isContainer(value)) level.push(value);
  while (level.length > 0 && nodes <= maxNodes) {
    const below: object[] = [];
    depth++;
    for (const node of level) {
      if (Array.isArray(node)) {
        nodes += node.length;
        for (const item of node) if (isContainer(item)) below.push(item);
      } else {
        const members = node as JsonObject;
        for (const key in members) {
          nodes++;
          const child = members[key];
          if (isContainer(child)) below.push(child);
        }
      }
    }
    level = below;
  }
  return { nodes, depth };
}

/**
 * JSON in which objects have their keys in order of code points, as Go writes maps; with `touched` only these objects:
 * Kubernetes' patch library parses only what a patch reaches.
 */
export function sortedJson(value: unknown, touched?: WeakSet<object>): string {
  if (Array.isArray(value)) return `[${value.map((item) => sortedJson(item, touched)).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  if (touched?.has(value) !== false) keys.sort(byCodePoint);
  return `{${keys.map((key) => `${JSON.stringify(key)}:${sortedJson(value[key], touched)}`).join(',')}}`;
}

/** The depth limit of free JSON (`fieldsV1`), because later processing is recursive. */
export const MAX_FREE_DEPTH = 100;

export function depthWithin(value: unknown, left: number): boolean {
  if (!isContainer(value)) return true;
  if (left === 0) return false;
  for (const key in value) if (!depthWithin(value[key], left - 1)) return false;
  return true;
}
