import { byCodePoint } from '../../json/code-point-order.js';
import { isEmpty, type FieldShape, type Shape, type StructShape } from '../schema/shape.js';

/** Writes the fields of the shape in wire order, and map keys sorted. `<`, `>` and `&` are not escaped as in Go. */
export function encodeJson(object: Readonly<Record<string, unknown>>, shape: StructShape): string {
  return `{${write(object, shape.fields)}}`;
}

/**
 * A function that writes the field at `path`, `"name":value`, or nothing, of the object that has it. It follows the
 * shape, for fields that are rare or of unknown content. Its callers are generated from the shape.
 */
export function fieldWriter(shape: StructShape, ...path: readonly string[]): (owner: object) => string {
  let struct = shape;
  let field: FieldShape | undefined;
  for (const name of path) {
    field = struct.byName.get(name);
    if (field?.shape.kind === 'struct') struct = field.shape;
  }
  const fields = [field as FieldShape];
  return (owner) => write(owner as Readonly<Record<string, unknown>>, fields);
}

function write(object: Readonly<Record<string, unknown>>, fields: readonly FieldShape[]): string {
  let out = '';
  for (const { name, shape, presence, zero, discarded } of fields) {
    const value = object[name];
    let text: string;
    if (value === undefined || value === null) {
      if (presence !== 'always') continue;
      text = zero === null ? 'null' : JSON.stringify(zero);
    } else {
      if (discarded || (presence === 'non-empty' && isEmpty(value, shape))) continue;
      text = encodeValue(value, shape);
    }
    out += out === '' ? `"${name}":${text}` : `,"${name}":${text}`;
  }
  return out;
}

function encodeValue(value: unknown, shape: Shape): string {
  if (typeof value === 'string') return quoted(value);
  switch (shape.kind) {
    case 'struct':
      return encodeJson(value as Readonly<Record<string, unknown>>, shape);
    case 'list':
      return `[${(value as readonly unknown[]).map((item) => encodeValue(item, shape.item)).join(',')}]`;
    case 'map':
      return writeMap(value as Readonly<Record<string, unknown>>, shape.value);
    case 'scalar':
      return JSON.stringify(value) ?? 'null';
  }
}

export function writeTexts(texts: Readonly<Record<string, string>>): string {
  return writeMap(texts, TEXT);
}

const TEXT: Shape = { kind: 'scalar', type: 'string' };

function writeMap(members: Readonly<Record<string, unknown>>, shape: Shape): string {
  const keys = Object.keys(members);
  if (!areSorted(keys)) keys.sort(byCodePoint);
  let out = '';
  for (const key of keys) out += `${out === '' ? '' : ','}${quoted(key)}:${encodeValue(members[key], shape)}`;
  return `{${out}}`;
}

/** Most maps are sorted already, and checking that takes a tenth of sorting. */
function areSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if (byCodePoint(keys[i - 1] as string, keys[i] as string) > 0) return false;
  return true;
}

// eslint-disable-next-line no-control-regex -- it looks for control characters
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

export function quoted(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text.toWellFormed()) : `"${text}"`;
}
