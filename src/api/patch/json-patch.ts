import { MAX_DEPTH } from '../../json/parse-json.js';
import { setMember } from '../../json/json-document.js';
import { cloneTree, isObject, measureTree, member, sameTree } from '../../json/json-tree.js';

/** How many bytes all copies together may add to a document (Kubernetes' limit). */
const MAX_COPY_BYTES = 3 * 1024 * 1024;
/** The most values to move, compare and copy, path steps included: the work of a small patch is unbounded otherwise. */
const MAX_WORK = 80_000;

interface Patching {
  document: unknown;
  copied: number;
  work: number;
  readonly touched: WeakSet<object>;
}

/** Applies a JSON Patch (RFC 6902) to a copy. Undefined if an operation fails. */
export function applyJsonPatch(
  document: unknown,
  operations: readonly unknown[],
): { readonly document: unknown; readonly touched: WeakSet<object>; readonly copied: boolean } | undefined {
  const touched = new WeakSet<object>();
  const patching: Patching = { document: cloneTree(document), copied: 0, work: 0, touched };
  if (operations.length > 0 && isObject(patching.document)) touched.add(patching.document);
  for (const operation of operations) {
    if (!isObject(operation) || !apply(patching, operation) || patching.work > MAX_WORK) return undefined;
  }
  return { document: patching.document, touched, copied: patching.copied > 0 };
}

function apply(patching: Patching, operation: Record<string, unknown>): boolean {
  const op = member(operation, 'op');
  const path = pointer(patching, operation, 'path');
  if (path === undefined) return false;
  switch (op) {
    case 'add':
    case 'replace':
    case 'test': {
      if (!Object.hasOwn(operation, 'value')) return false;
      const value = operation['value'];
      if (op === 'add') return put(patching, path, cloneTree(value));
      const target = find(patching, path);
      // RFC 6902 does not define `test` of a missing value; Kubernetes compares null.
      if (op === 'test' && !target) return value === null && isObject(parentOf(patching, path));
      if (!target) return false;
      if (op === 'test') return equal(patching, target.value, value);
      return replace(patching, path, cloneTree(value));
    }
    case 'remove':
      return take(patching, path);
    case 'move':
    case 'copy': {
      const from = pointer(patching, operation, 'from');
      const source = from && find(patching, from);
      if (!from || !source) return false;
      if (op === 'copy') return copy(patching, source.value, path);
      // A value cannot be moved into itself; in its own place it stays.
      if (from.every((token, index) => token === path[index])) return path.length === from.length;
      return take(patching, from) && put(patching, path, source.value);
    }
    default:
      return false;
  }
}

/** This many path steps cost as much as copying a value. */
const STEPS_OF_WORK = 4;

function pointer(patching: Patching, operation: Record<string, unknown>, key: string): readonly string[] | undefined {
  const text = member(operation, key);
  const tokens = typeof text === 'string' ? parsePointer(text) : undefined;
  if (tokens) patching.work += Math.floor(tokens.length / STEPS_OF_WORK);
  return tokens;
}

function find(patching: Patching, path: readonly string[]): { readonly value: unknown } | undefined {
  let value = patching.document;
  for (const token of path) {
    if (Array.isArray(value)) {
      const index = arrayIndex(token, value.length - 1);
      if (index === undefined) return undefined;
      value = value[index];
    } else {
      if (!isObject(value) || !Object.hasOwn(value, token)) return undefined;
      patching.touched.add(value);
      value = value[token];
    }
  }
  return { value };
}

function parentOf(patching: Patching, path: readonly string[]): unknown {
  const parent = find(patching, path.slice(0, -1))?.value;
  if (isObject(parent)) patching.touched.add(parent);
  return parent;
}

function put(patching: Patching, path: readonly string[], value: unknown): boolean {
  if (!fits(patching, path, value)) return false;
  if (path.length === 0) {
    patching.document = value;
    return true;
  }
  const token = path.at(-1) as string;
  const parent = parentOf(patching, path);
  if (Array.isArray(parent)) {
    const index = token === '-' ? parent.length : arrayIndex(token, parent.length);
    if (index === undefined) return false;
    patching.work += parent.length - index;
    parent.splice(index, 0, value);
    return true;
  }
  if (!isObject(parent)) return false;
  setMember(parent, token, value);
  return true;
}

function replace(patching: Patching, path: readonly string[], value: unknown): boolean {
  const parent = path.length > 0 ? parentOf(patching, path) : undefined;
  if (!Array.isArray(parent)) return put(patching, path, value);
  if (!fits(patching, path, value)) return false;
  parent[Number(path.at(-1))] = value;
  return true;
}

function take(patching: Patching, path: readonly string[]): boolean {
  if (path.length === 0 || !find(patching, path)) return false;
  const parent = parentOf(patching, path);
  const token = path.at(-1) as string;
  if (Array.isArray(parent)) {
    patching.work += parent.length - Number(token);
    parent.splice(Number(token), 1);
  } else {
    delete (parent as Record<string, unknown>)[token];
  }
  return true;
}

function copy(patching: Patching, value: unknown, path: readonly string[]): boolean {
  // Copying a value takes twice as long as reading it.
  patching.work += 2 * measureTree(value, MAX_WORK).nodes;
  if (patching.work > MAX_WORK) return false;
  patching.copied += JSON.stringify(value).length;
  return patching.copied <= MAX_COPY_BYTES && put(patching, path, cloneTree(value));
}

function equal(patching: Patching, left: unknown, right: unknown): boolean {
  patching.work += measureTree(right, MAX_WORK).nodes;
  return patching.work <= MAX_WORK && sameTree(left, right);
}

/** Whether the document stays within the depth limit of all bodies. */
function fits(patching: Patching, path: readonly string[], value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return path.length <= MAX_DEPTH;
  const size = measureTree(value, MAX_WORK);
  patching.work += size.nodes;
  return path.length + size.depth <= MAX_DEPTH;
}

/** The tokens of a JSON Pointer (RFC 6901), the empty list for the whole document; undefined if it is invalid. */
export function parsePointer(text: string): readonly string[] | undefined {
  if (text === '') return [];
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined;
  const tokens = text.slice(1).split('/');
  return text.includes('~') ? tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')) : tokens;
}

/** The array index of a token: digits without a leading zero; undefined for other tokens and beyond `last`. */
export function arrayIndex(token: string, last: number): number | undefined {
  if (!/^(?:0|[1-9]\d{0,9})$/.test(token)) return undefined;
  const index = Number(token);
  return index <= last ? index : undefined;
}
