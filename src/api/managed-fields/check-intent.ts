import { goList, goPrint, goType, shorten, goQuote } from '../../json/go-print.js';
import { isObject } from '../../json/json-tree.js';
import type { ListShape, ScalarShape, Shape, StructShape } from '../schema/shape.js';
import { itemElement, memberShape } from './fields-of.js';
import { elementText } from './path-element.js';

/** The most errors that are reported, because each of a million labels may be wrong. */
const MAX_ERRORS = 100;

/** The type errors of an intent in the words of structured-merge-diff. Unknown fields always count, `null` fits all. */
export function intentError(intent: Readonly<Record<string, unknown>>, shape: StructShape): string | undefined {
  const errors: string[] = [];
  check(intent, shape, '', errors);
  if (errors.length <= 1) return errors[0];
  return ['errors:', ...errors.map((error) => `  ${error}`)].join('\n');
}

function check(value: unknown, shape: Shape, path: string, errors: string[]): void {
  if (value === null || value === undefined || errors.length >= MAX_ERRORS) return;
  switch (shape.kind) {
    case 'scalar': {
      const wrong = scalarError(value, shape);
      if (wrong !== undefined) errors.push(at(path, wrong));
      return;
    }
    case 'list':
      if (Array.isArray(value)) checkItems(value, shape, path, errors);
      else errors.push(at(path, `expected list, got ${pointer(value)}`));
      return;
    case 'struct':
    case 'map':
      if (isObject(value)) checkMembers(value, shape, path, errors);
      else errors.push(at(path, `expected map, got ${pointer(value)}`));
  }
}

const at = (path: string, text: string): string => (path === '' ? text : `${path}: ${text}`);

function scalarError(value: unknown, { type }: ScalarShape): string | undefined {
  switch (type) {
    case 'time':
    case 'micro-time':
      // A scalar that is not a text fails when it is decoded.
      return typeof value === 'object' ? `expected any scalar, got ${pointer(value)}` : undefined;
    case 'string':
      if (typeof value === 'string') return undefined;
      return `expected string, got &value.valueUnstructured{Value:${shorten(goSyntax(value))}}`;
    case 'int32':
    case 'int64':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case 'bool':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${pointer(value)}`;
    case 'json':
      return undefined;
  }
}

function checkMembers(value: Readonly<Record<string, unknown>>, shape: Shape, path: string, errors: string[]): void {
  for (const key of Object.keys(value)) {
    const below = memberShape(shape, key);
    if (!below) {
      errors.push(`${path}.${shorten(key)}: field not declared in schema`);
      return;
    }
    check(value[key], below, `${path}.${shorten(key)}`, errors);
    if (errors.length >= MAX_ERRORS) return;
  }
}

function checkItems(value: readonly unknown[], shape: ListShape, path: string, errors: string[]): void {
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    if (errors.length >= MAX_ERRORS) return;
    if (shape.type === 'atomic') {
      check(item, shape.item, `${path}[${index}]`, errors);
      continue;
    }
    const found = itemElement(item, shape);
    if ('error' in found) {
      errors.push(at(path, `element ${index}: ${found.error}`));
      return;
    }
    const shown = (): string => shorten(elementText(found.element));
    if (seen.has(found.element)) errors.push(at(path, `duplicate entries for key ${shown()}`));
    seen.add(found.element);
    // Most items have no errors, so their path is made only when it is needed.
    if (shape.item.kind === 'scalar' && scalarError(item, shape.item) === undefined) continue;
    check(item, shape.item, path + shown(), errors);
  }
}

const pointer = (value: unknown): string => `&{${shorten(goPrint(value))}}`;

/** As Go's `%#v` writes a value; of a long one at least what {@link shorten} leaves of it. */
function goSyntax(value: unknown): string {
  if (typeof value === 'string') return goQuote(shorten(value));
  if (Array.isArray(value)) return `[]interface {}{${goList(value, goSyntax)}}`;
  if (!isObject(value)) return value === null ? 'interface {}(nil)' : goPrint(value);
  const members = goList(Object.keys(value), (key) => `${goQuote(shorten(key))}:${goSyntax(value[key])}`);
  return `map[string]interface {}{${members}}`;
}
