import { parseEmbedded } from '../../json/parse-json.js';
import { isObject, type JsonObject } from '../../json/json-tree.js';
import { byCodePoint } from '../../json/code-point-order.js';
import { goQuote, shorten, toInt64 } from '../../json/go-print.js';

/*
 * A path element is kept as the text it has in `fieldsV1`: `f:` and the name of a field, `k:` and the keys of a list
 * item as JSON with sorted names, `v:` and an item of a set as JSON, `i:` and an index. Equal elements have equal
 * texts, and none of them is a name JavaScript gives a meaning to.
 */

export function fieldElement(name: string): string {
  return `f:${name}`;
}

export function valueElement(value: unknown): string {
  return `v:${JSON.stringify(value)}`;
}

export function keyElement(keys: readonly (readonly [name: string, value: unknown])[]): string {
  const sorted = keys.length > 1 ? [...keys].sort((left, right) => byCodePoint(left[0], right[0])) : keys;
  return `k:{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}

/** The most fields and items of one value or key. Nested ones take V8 quadratic time; elements of Kubernetes have few. */
const MAX_MEMBERS = 32;

/** Reads an element. '' for an unknown kind, which is ignored; undefined for a text that is not an element. */
export function parseElement(text: string): string | undefined {
  if (text[1] !== ':') return undefined;
  const content = text.slice(2);
  switch (text[0]) {
    case 'f':
      return text;
    case 'i': {
      const index = toInt64(content);
      return index === undefined ? undefined : `i:${index}`;
    }
    case 'v':
    case 'k': {
      const read = parseEmbedded(content, MAX_MEMBERS);
      if ('error' in read) return undefined;
      const { value } = read.document;
      if (text[0] === 'v') return valueElement(value);
      return isObject(value ?? {}) ? keyElement(Object.entries(value ?? {})) : undefined;
    }
    default:
      return '';
  }
}

/** Entries by the order of their elements: fields, keys, values, indices; names by code points, values by type and size. */
export function inElementOrder<T>(entries: readonly [element: string, T][]): [element: string, T][] {
  return entries
    .map((entry) => ({ entry, parts: partsOf(entry[0]) }))
    .sort((left, right) => compareParts(left.parts, right.parts))
    .map(({ entry }) => entry);
}

function partsOf(text: string): readonly unknown[] {
  const kind = 'fkvi'.indexOf(text[0] as string);
  if (kind === 0) return [kind, text];
  const value: unknown = JSON.parse(text.slice(2));
  const values = kind === 1 ? Object.entries(value as JsonObject).flat() : [value];
  // Written once, because a sort compares them often.
  return [kind, ...values.map((each) => (typeof each === 'object' ? [JSON.stringify(each)] : each))];
}

function compareParts(left: readonly unknown[], right: readonly unknown[]): number {
  for (let index = 0; index < left.length && index < right.length; index++) {
    const order = compareValues(left[index], right[index]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const TYPES = ['number', 'string', 'boolean', 'object'];

function compareValues(left: unknown, right: unknown): number {
  if (typeof left !== typeof right) return TYPES.indexOf(typeof left) - TYPES.indexOf(typeof right);
  if (typeof left === 'string') return byCodePoint(left, right as string);
  if (typeof left !== 'object') return Number(left) - Number(right);
  return byCodePoint((left as readonly string[])[0] as string, (right as readonly string[])[0] as string);
}

/** A path as error messages show it: `.metadata.labels.app`. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join('');
}

/** An element as error messages show it: `.note`, `[="example.com/a"]`, `[uid="u1"]`, `[0]`. */
export function elementText(element: string): string {
  const content = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${content}`;
    case 'v':
      return `[=${show(JSON.parse(content))}]`;
    case 'k': {
      const keys = Object.entries(JSON.parse(content) as object);
      return `[${keys.map(([name, value]) => `${name}=${show(value)}`).join(',')}]`;
    }
    default:
      return `[${content}]`;
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? goQuote(shorten(value)) : JSON.stringify(value);
}
