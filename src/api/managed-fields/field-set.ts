import { byCodePoint } from '../../json/code-point-order.js';
import { isObject } from '../../json/json-tree.js';
import { inElementOrder, parseElement } from './path-element.js';

/** A tree of fields by path element (see `path-element.ts`). It never changes once made, so sets can share parts. */
export type FieldSet = ReadonlyMap<string, FieldNode>;

/** A node is in the set itself (`member`), or only leads to fields that are; other nodes do not exist. */
export interface FieldNode {
  readonly member: boolean;
  /** Fields below; absent rather than empty. */
  readonly children?: FieldSet | undefined;
}

export const EMPTY: FieldSet = new Map();

export const LEAF: FieldNode = Object.freeze({ member: true });

/** Adds a node to a set under construction, unless it is empty. */
export function putNode(into: Map<string, FieldNode>, element: string, member: boolean, children?: FieldSet): void {
  if (children !== undefined && children.size > 0) into.set(element, { member, children });
  else if (member) into.set(element, LEAF);
}

/** The union of any number of sets. In one step, because pairwise unions would be quadratic. */
export function union(sets: readonly FieldSet[]): FieldSet {
  const filled = sets.filter((set) => set.size > 0);
  if (filled.length <= 1) return filled[0] ?? EMPTY;
  const nodes = new Map<string, FieldNode[]>();
  for (const set of filled) {
    for (const [element, node] of set) {
      const sameElement = nodes.get(element);
      if (sameElement) sameElement.push(node);
      else nodes.set(element, [node]);
    }
  }
  const all = new Map<string, FieldNode>();
  for (const [element, sameElement] of nodes) {
    const member = sameElement.some((node) => node.member);
    putNode(all, element, member, union(sameElement.map((node) => node.children ?? EMPTY)));
  }
  return all;
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  return difference(left, difference(left, right));
}

/** The fields of the first set that are not in the second. A removed field does not remove the fields below it. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  if (left.size === 0 || right.size === 0) return left;
  const rest = new Map<string, FieldNode>();
  for (const [element, node] of left) {
    const other = right.get(element);
    if (!other) rest.set(element, node);
    else {
      const children = difference(node.children ?? EMPTY, other.children ?? EMPTY);
      putNode(rest, element, node.member && !other.member, children);
    }
  }
  return rest;
}

/** A set in the form managed fields keep it in (Kubernetes `FieldsV1`), its elements in Kubernetes' order. */
export function toFieldsV1(set: FieldSet, into: Record<string, unknown> = {}): Record<string, unknown> {
  for (const [element, { member, children }] of sortedNodes(set)) {
    // A field in the set that leads to others is marked with a dot.
    into[element] = children ? toFieldsV1(children, member ? { '.': {} } : {}) : {};
  }
  return into;
}

/**
 * The nodes of one level, in the order of their elements. Nearly all are names of fields, which need not be parsed to
 * be sorted. They are not looked up again, since V8 hashes texts of more than 16,383 characters by their length alone.
 */
export function sortedNodes(set: FieldSet): [element: string, node: FieldNode][] {
  const nodes = [...set];
  const isNamed = nodes.every(([element]) => element.startsWith('f:'));
  return isNamed ? nodes.sort((left, right) => byCodePoint(left[0], right[0])) : inElementOrder(nodes);
}

/** Reads what {@link toFieldsV1} writes; undefined for anything else. Elements of unknown kinds are left out. */
export function fromFieldsV1(fields: unknown): FieldSet | undefined {
  const node = read(fields);
  return node && (node.children ?? EMPTY);
}

function read(fields: unknown): FieldNode | undefined {
  if (fields === null || fields === undefined) return LEAF;
  if (!isObject(fields)) return undefined;
  const children = new Map<string, FieldNode>();
  for (const key of Object.keys(fields)) {
    if (key === '.') continue;
    const element = parseElement(key);
    if (element === '') continue;
    const node = element && read(fields[key]);
    if (!node) return undefined;
    children.set(element, node);
  }
  return children.size > 0 ? { member: Object.hasOwn(fields, '.'), children } : LEAF;
}
