import { isObject } from '../../json/json-tree.js';
import type { ListShape, Shape, StructShape } from '../schema/shape.js';
import { LEAF, putNode, type FieldNode, type FieldSet } from './field-set.js';
import { isAtomic, isVacant, itemsByElement, memberShape } from './list-items.js';
import { fieldElement } from './path-element.js';

/**
 * The fields of an object, as an apply owns them: every scalar and everything atomic, every item of a set or
 * keyed list, and objects only where they are null or empty.
 */
export function fieldsOf(object: Readonly<Record<string, unknown>>, shape: StructShape): FieldSet {
  return membersOf(object, shape);
}

function nodeOf(value: unknown, shape: Shape): FieldNode | undefined {
  if (isAtomic(shape)) return LEAF;
  if (shape.kind === 'list') return { member: false, children: itemsOf(value, shape) };
  return isObject(value) ? { member: false, children: membersOf(value, shape) } : undefined;
}

function membersOf(object: Readonly<Record<string, unknown>>, shape: Shape): FieldSet {
  const set = new Map<string, FieldNode>();
  for (const key of Object.keys(object)) {
    const value = object[key];
    const below = memberShape(shape, key);
    if (value === undefined || !below) continue;
    const node = nodeOf(value, below);
    const itself = value === null || shape.kind === 'map' || (isObject(value) && isVacant(value));
    putNode(set, fieldElement(key), itself || Boolean(node?.member), node?.children);
  }
  return set;
}

function itemsOf(value: unknown, shape: ListShape): FieldSet {
  const set = new Map<string, FieldNode>();
  for (const [element, items] of itemsByElement(value, shape)) {
    putNode(set, element, true, items.length > 1 ? undefined : nodeOf(items[0], shape.item)?.children);
  }
  return set;
}

/**
 * The set with the structs it leads through as members. Sets name leaves only; taking fields out of an object has to
 * distinguish a struct of which a part is owned from one that is not.
 */
export function withStructs(set: FieldSet, shape: Shape | undefined): FieldSet {
  const all = new Map<string, FieldNode>();
  for (const [element, { member, children }] of set) {
    if (!children) all.set(element, LEAF);
    else {
      const isField = element.startsWith('f:');
      const named = isField && shape?.kind === 'struct' && shape.byName.has(element.slice(2));
      all.set(element, { member: member || named, children: withStructs(children, shapeBelow(shape, element)) });
    }
  }
  return all;
}

/** The shape of what a path element leads to; undefined where the shape knows nothing of it. */
export function shapeBelow(shape: Shape | undefined, element: string): Shape | undefined {
  if (!shape) return undefined;
  if (element.startsWith('f:')) return memberShape(shape, element.slice(2));
  return shape.kind === 'list' ? shape.item : undefined;
}
