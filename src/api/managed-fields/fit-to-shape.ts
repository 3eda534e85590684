import type { Shape } from '../schema/shape.js';
import { LEAF, type FieldNode, type FieldSet } from './field-set.js';
import { shapeBelow } from './fields-of.js';
import { isAtomic } from './list-items.js';

/**
 * Adapts a set to the shape: a manager that owns a part of an atomic value owns all of it. Such sets come from
 * clients that send managed fields, and from earlier versions of the shape.
 */
export function fitToShape(set: FieldSet, shape: Shape | undefined): FieldSet {
  let fitted: Map<string, FieldNode> | undefined;
  for (const [element, node] of set) {
    const below = shapeBelow(shape, element);
    if (!below || !node.children) continue;
    const children = isAtomic(below) && below.kind !== 'scalar' ? undefined : fitToShape(node.children, below);
    if (children === node.children) continue;
    fitted ??= new Map(set);
    fitted.set(element, children ? { member: node.member, children } : LEAF);
  }
  return fitted ?? set;
}
