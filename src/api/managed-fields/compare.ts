import { isObject, member, sameTree, type JsonObject } from '../../json/json-tree.js';
import type { ListShape, MapShape, Shape, StructShape } from '../schema/shape.js';
import { LEAF, putNode, type FieldNode, type FieldSet } from './field-set.js';
import { isAtomic, isVacant, itemsByElement, memberShape } from './fields-of.js';
import { fieldElement } from './path-element.js';

export interface Comparison {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

const noSets = () => ({ changed: new Map<string, FieldNode>(), removed: new Map<string, FieldNode>() });
type Sets = ReturnType<typeof noSets>;

/** A new object counts as changed with all of its fields. */
export function compareObjects(live: JsonObject, next: JsonObject, shape: StructShape): Comparison {
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

function compareMembers(live: JsonObject, next: JsonObject, shape: Shape, sets: Sets): void {
  for (const key of namesIn(live, next)) {
    const below = memberShape(shape, key);
    const before = member(live, key);
    const now = member(next, key);
    if (below && before !== now) compareValue(fieldElement(key), before, now, below, sets);
  }
}

function namesIn(live: JsonObject, next: JsonObject): string[] {
  const names = Object.keys(next);
  for (const name of Object.keys(live)) if (!Object.hasOwn(next, name)) names.push(name);
  return names;
}

function compareItems(live: unknown, next: unknown, shape: ListShape, sets: Sets): void {
  const before = itemsByElement(live, shape);
  const now = itemsByElement(next, shape);
  for (const [element, items] of now) compareEquals(element, before.get(element) ?? [], items, shape.item, sets);
  for (const [element, items] of before) if (!now.has(element)) compareEquals(element, items, [], shape.item, sets);
}

/** Repeated items (only an update may send them) are owned as a whole, all together. */
function compareEquals(
  element: string,
  live: readonly unknown[],
  next: readonly unknown[],
  shape: Shape,
  sets: Sets,
): void {
  if (live.length > 1 && next.length > 1) {
    if (!sameTree(live, next)) sets.changed.set(element, LEAF);
    return;
  }
  const before = live.length > 1 ? undefined : live[0];
  const now = next.length > 1 ? undefined : next[0];
  if (before !== now) compareValue(element, before, now, shape, sets);
  if (live.length > 1) sets.removed.set(element, LEAF);
  if (next.length > 1) sets.changed.set(element, LEAF);
}

/**
 * Which fields differ, as a text: `+name,` changed or was added, `-name,` was removed; `name{…}` differs inside. Pairs
 * of states with equal texts have equal comparisons. Undefined for lists in which only some items differ. As a cache
 * key it takes 2.6 µs; a field set and its key take 6.4.
 */
export function differenceText(live: JsonObject, next: JsonObject, shape: StructShape | MapShape): string | undefined {
  const isMap = shape.kind === 'map';
  const fields = isMap ? namesIn(live, next).map((name) => ({ name, shape: shape.value })) : shape.fields;
  let text = '';
  for (const { name, shape: below } of fields) {
    const before = isMap ? member(live, name) : live[name];
    const now = isMap ? member(next, name) : next[name];
    if (before === now || (!isMap && name === 'managedFields')) continue;
    // Keys of maps come from clients.
    const found = inValue(isMap ? JSON.stringify(name) : name, before, now, below);
    if (found === undefined) return undefined;
    text += found;
  }
  return text;
}

/** `undefined` is absent, and not the same as null. */
function inValue(name: string, before: unknown, now: unknown, shape: Shape): string | undefined {
  if (isAtomic(shape) || (isVacant(before) && isVacant(now))) {
    if (now === undefined) return `-${name},`;
    return before !== undefined && sameTree(before, now) ? '' : `+${name},`;
  }
  if (shape.kind === 'list' || shape.kind === 'scalar') return sameTree(before, now) ? '' : undefined;
  const inside = differenceText(isObject(before) ? before : {}, isObject(now) ? now : {}, shape);
  if (inside === undefined) return undefined;
  const itself = before === undefined ? '+' : now === undefined ? '-' : '';
  return itself === '' && inside === '' ? '' : `${itself}${name}{${inside}}`;
}
