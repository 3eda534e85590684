import { isObject } from '../../json/json-tree.js';
import { EMPTY, LEAF, type FieldNode, type FieldSet } from './field-set.js';
import { inElementOrder, parseElement } from './path-element.js';

/** A set in the form managed fields keep it in (Kubernetes `FieldsV1`), its elements in Kubernetes' order. */
export function toFieldsV1(set: FieldSet): Record<string, unknown> {
  return write(set, {});
}

function write(set: FieldSet, into: Record<string, unknown>): Record<string, unknown> {
  for (const element of sortedElements(set)) {
    const { member, children } = set.get(element) as FieldNode;
    // A field in the set that leads to others is marked with a dot.
    into[element] = children ? write(children, member ? { '.': {} } : {}) : {};
  }
  return into;
}

/** Surrogates, with which JavaScript's order of strings is not that of code points. */
const SURROGATE = /[\ud800-\udfff]/;

/** The elements of one level, in order. */
export function sortedElements(set: FieldSet): string[] {
  const elements = [...set.keys()];
  if (elements.length <= 1) return elements;
  const plain = elements.every((element) => element.startsWith('f:') && !SURROGATE.test(element));
  return plain ? elements.sort() : inElementOrder(elements);
}

/**
 * Reads what {@link toFieldsV1} writes, from any source. The decoder has limited the depth.
 *
 * @returns undefined if it is not a set of fields; elements of unknown kinds are left out
 */
export function fromFieldsV1(fields: unknown): FieldSet | undefined {
  return read(fields)?.children;
}

interface ReadNode {
  readonly member: boolean;
  readonly children: FieldSet;
}

function read(fields: unknown): ReadNode | undefined {
  if (fields === null || fields === undefined) return { member: true, children: EMPTY };
  if (!isObject(fields)) return undefined;
  const children = new Map<string, FieldNode>();
  let member = false;
  for (const key of Object.keys(fields)) {
    if (key === '.') {
      member = true;
      continue;
    }
    const parsed = parseElement(key);
    if (parsed === undefined) return undefined;
    if (parsed === 'unknown') continue;
    const node = read(fields[key]);
    if (!node) return undefined;
    children.set(parsed.element, node.children.size > 0 ? node : LEAF);
  }
  return { member: member || children.size === 0, children };
}
