import { isObject, member, sameTree } from '../../json/json-tree.js';
import type { ListShape, Shape, StructShape } from '../schema/shape.js';
import { LEAF, putNode, type FieldNode, type FieldSet } from './field-set.js';
import { isAtomic, isVacant, itemsByElement, memberShape } from './fields-of.js';
import { fieldElement } from './path-element.js';

/** The differences between two states of an object. */
export interface Comparison {
  /** New fields and fields with another value. */
  readonly changed: FieldSet;
  /** Removed fields. */
  readonly removed: FieldSet;
}

interface Sets {
  readonly changed: Map<string, FieldNode>;
  readonly removed: Map<string, FieldNode>;
}

const noSets = (): Sets => ({ changed: new Map(), removed: new Map() });

/** Compares two states of an object, field by field. A new object counts with all of its fields. */
export function compareObjects(
  live: Readonly<Record<string, unknown>>,
  next: Readonly<Record<string, unknown>>,
  shape: StructShape,
): Comparison {
  const sets = noSets();
  compareMembers(live, next, shape, sets);
  return sets;
}

/** `undefined` is absent, and not the same as null. */
function compareValue(element: string, live: unknown, next: unknown, shape: Shape, sets: Sets): void {
  if (isAtomic(shape) || (isVacant(live) && isVacant(next))) {
    if (live === undefined) sets.changed.set(element, LEAF);
    else if (next === undefined) sets.removed.set(element, LEAF);
    else if (live !== next && !sameTree(live, next)) sets.changed.set(element, LEAF);
    return;
  }
  const below = noSets();
  if (shape.kind === 'list') compareItems(live, next, shape, below);
  else compareMembers(isObject(live) ? live : {}, isObject(next) ? next : {}, shape, below);
  putNode(sets.changed, element, live === undefined, below.changed);
  putNode(sets.removed, element, next === undefined, below.removed);
}

function compareMembers(
  live: Readonly<Record<string, unknown>>,
  next: Readonly<Record<string, unknown>>,
  shape: Shape,
  sets: Sets,
): void {
  for (const key of Object.keys(next)) {
    const below = memberShape(shape, key);
    const now = next[key];
    if (below && now !== undefined) compareValue(fieldElement(key), member(live, key), now, below, sets);
  }
  for (const key of Object.keys(live)) {
    const below = memberShape(shape, key);
    const before = live[key];
    if (!below || before === undefined || member(next, key) !== undefined) continue;
    compareValue(fieldElement(key), before, undefined, below, sets);
  }
}

function compareItems(live: unknown, next: unknown, shape: ListShape, sets: Sets): void {
  const before = itemsByElement(live, shape);
  const now = itemsByElement(next, shape);
  const none: readonly unknown[] = [];
  for (const element of new Set([...before.keys(), ...now.keys()])) {
    compareEquals(element, before.get(element) ?? none, now.get(element) ?? none, shape, sets);
  }
}

/** Repeated items (only an update may send them) are owned as a whole, all together. */
function compareEquals(
  element: string,
  live: readonly unknown[],
  next: readonly unknown[],
  shape: ListShape,
  sets: Sets,
): void {
  if (live.length <= 1 && next.length <= 1) {
    compareValue(element, live[0], next[0], shape.item, sets);
  } else if (live.length > 1 && next.length > 1) {
    if (!sameTree(live, next)) sets.changed.set(element, LEAF);
  } else if (live.length > 1) {
    if (next.length > 0) compareValue(element, undefined, next[0], shape.item, sets);
    sets.removed.set(element, LEAF);
  } else {
    if (live.length > 0) compareValue(element, live[0], undefined, shape.item, sets);
    sets.changed.set(element, LEAF);
  }
}
