import { isObject, member } from '../../json/json-tree.js';
import { defaultValue, type ListShape, type Shape } from '../schema/shape.js';
import { keyElement, valueElement, fieldElement } from './path-element.js';
import { LEAF, putNode, type FieldNode, type FieldSet } from './field-set.js';

/** True for what is owned and replaced as a whole: scalars, atomic lists, atomic objects. */
export function isAtomic(shape: Shape): boolean {
  if (shape.kind === 'list') return shape.type === 'atomic';
  return shape.kind === 'scalar' || (shape.kind === 'struct' && shape.atomic);
}

/** True for an object or list without members, also for one that is null or absent. */
export function isVacant(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return !isObject(value) || Object.keys(value).length === 0;
}

/** The path element of an item of a set or keyed list, or the error in structured-merge-diff's words. */
export function itemElement(
  item: unknown,
  shape: ListShape,
): { readonly element: string } | { readonly error: string } {
  if (shape.type === 'map') return keyedElement(item, shape);
  const without = 'associative list without keys has an element that';
  if (item === null) return { error: `${without}'s an explicit null` };
  if (Array.isArray(item)) return { error: 'not supported: associative list with lists as elements' };
  if (isObject(item)) return { error: `${without}'s a map type` };
  return { element: valueElement(item) };
}

function keyedElement(item: unknown, { keys, item: shape }: ListShape): ReturnType<typeof itemElement> {
  if (item === null) return { error: 'associative list with keys may not have a null element' };
  if (!isObject(item)) return { error: 'associative list with keys may not have non-map elements' };
  const found = keys.map((key) => [key, keyOf(item, shape, key)] as const).filter(([, value]) => value !== undefined);
  if (found.length > 0) return { element: keyElement(found) };
  const names = keys.map((key) => `"${key}"`).join(' ');
  return {
    error:
      `associative list with keys has an element that omits all key fields [${names}] ` +
      `(and doesn't have default values for any key fields)`,
  };
}

/** The path element of an item; undefined if it has none. Items of a decoded object always have one. */
export function elementOf(item: unknown, shape: ListShape): string | undefined {
  const found = itemElement(item, shape);
  return 'element' in found ? found.element : undefined;
}

/** An absent key has its default, if there is one. */
function keyOf(item: Parameters<typeof member>[0], shape: Shape, key: string): unknown {
  const value = member(item, key);
  if (value !== undefined) return value;
  const field = shape.kind === 'struct' ? shape.byName.get(key) : undefined;
  return field && defaultValue(field);
}

/** The items of a set or keyed list by path element, in order of first appearance; equal items grouped. */
export function itemsByElement(value: unknown, shape: ListShape): Map<string, unknown[]> {
  const items = new Map<string, unknown[]>();
  for (const item of Array.isArray(value) ? value : []) {
    const element = elementOf(item, shape);
    if (element === undefined) continue;
    const equals = items.get(element);
    if (equals) equals.push(item);
    else items.set(element, [item]);
  }
  return items;
}

export function memberShape(shape: Shape, key: string): Shape | undefined {
  if (shape.kind === 'map') return shape.value;
  return shape.kind === 'struct' ? shape.byName.get(key)?.shape : undefined;
}

function nodeOf(value: unknown, shape: Shape): FieldNode | undefined {
  if (isAtomic(shape)) return LEAF;
  if (shape.kind === 'list') return { member: false, children: itemsOf(value, shape) };
  return isObject(value) ? { member: false, children: fieldsOf(value, shape) } : undefined;
}

/** What an apply of the object owns: scalars, atomic values, items of sets and keyed lists, null or empty objects. */
export function fieldsOf(object: Readonly<Record<string, unknown>>, shape: Shape): FieldSet {
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

/** The set with the structs it leads through as members: a struct of which a part is owned has to be distinguished. */
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

/** The shape of what a path element leads to; undefined where the shape does not contain it. */
export function shapeBelow(shape: Shape | undefined, element: string): Shape | undefined {
  if (!shape) return undefined;
  if (element.startsWith('f:')) return memberShape(shape, element.slice(2));
  return shape.kind === 'list' ? shape.item : undefined;
}
