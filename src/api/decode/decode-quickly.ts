import type { Shape, StructShape } from '../schema/shape.js';
import { depthWithin, MAX_FREE_DEPTH } from '../../json/json-tree.js';
import { countKeys } from '../../json/parse-json.js';
import { parseTime } from '../../time/parse-time.js';

/** Marks an unusual object, for which the complete decoder is used. */
export const FALLBACK: unique symbol = Symbol('fallback');

/** Counts decoded keys: fewer than in the text means that some are duplicates. */
export interface KeyTally {
  keys: number;
}

/**
 * Fast path: decodes an object without errors, unknown or rare fields, in one pass over the fields of the shape. Returns
 * exactly the result of the complete decoder, or {@link FALLBACK}.
 *
 * @param known a decoded object of the shape: parts of it in the value are used as they are, which makes
 * decoding a patched event 1.8 µs instead of 3.3
 * @param tally counts the keys, if given; not for values with `known` parts
 */
export function decodeQuickly(
  value: unknown,
  shape: StructShape,
  top: boolean,
  known?: unknown,
  tally?: KeyTally,
): Record<string, unknown> | typeof FALLBACK {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return FALLBACK;
  const source = value as Record<string, unknown>;
  const before = typeof known === 'object' && known !== null ? (known as Record<string, unknown>) : undefined;
  const object: Record<string, unknown> = {};
  let found = 0;
  for (const field of shape.fields) {
    const member = source[field.name];
    if (member === undefined || member === null) {
      if (member === null) found++;
      if (field.presence === 'always') object[field.name] = field.shape.kind === 'struct' ? {} : field.zero;
      continue;
    }
    found++;
    const twin = before?.[field.name];
    const decoded = member === twin ? member : quickValue(member, field.shape, twin, tally);
    if (decoded === FALLBACK) return FALLBACK;
    if (field.discarded || (top && field.protobuf === 0)) continue;
    if (field.presence === 'non-empty' && (decoded === '' || decoded === 0 || decoded === false)) continue;
    object[field.name] = decoded;
  }
  if (tally) tally.keys += found;
  return found === Object.keys(source).length ? object : FALLBACK;
}

function quickValue(value: unknown, shape: Shape, known: unknown, tally: KeyTally | undefined): unknown {
  switch (shape.kind) {
    case 'struct':
      return decodeQuickly(value, shape, false, known, tally);
    case 'map':
      return shape.value.kind === 'scalar' && shape.value.type === 'string' ? quickTexts(value, tally) : FALLBACK;
    case 'list':
      return quickItems(value, shape.item, tally);
    case 'scalar':
      break;
  }
  if (shape.type === 'json') {
    if (tally) tally.keys += countKeys(value);
    return depthWithin(value, MAX_FREE_DEPTH) ? value : FALLBACK;
  }
  if (typeof value === 'string') {
    if (shape.type === 'string') return value;
    if (shape.type !== 'time' && shape.type !== 'micro-time') return FALLBACK;
    const time = parseTime(value, shape.type);
    return 'error' in time || time.value === null ? FALLBACK : time.value;
  }
  if (typeof value === 'number') {
    return (shape.type === 'int32' || shape.type === 'int64') && (value | 0) === value ? value | 0 : FALLBACK;
  }
  return typeof value === 'boolean' && shape.type === 'bool' ? value : FALLBACK;
}

function quickItems(value: unknown, shape: Shape, tally: KeyTally | undefined): unknown {
  if (!Array.isArray(value) || value.length === 0) return FALLBACK;
  const items: unknown[] = [];
  for (const item of value as unknown[]) {
    const decoded = item === null ? FALLBACK : quickValue(item, shape, undefined, tally);
    if (decoded === FALLBACK) return FALLBACK;
    items.push(decoded);
  }
  return items;
}

function quickTexts(value: unknown, tally: KeyTally | undefined): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return FALLBACK;
  const source = value as Record<string, unknown>;
  const keys = Object.keys(source);
  if (keys.length === 0) return FALLBACK;
  if (tally) tally.keys += keys.length;
  const texts: Record<string, string> = {};
  for (const key of keys) {
    const text = source[key];
    if (typeof text !== 'string' || key === '__proto__') return FALLBACK;
    texts[key] = text;
  }
  // Set last, because an object without a prototype has slow keys, and they are read five times.
  return Object.setPrototypeOf(texts, null);
}
