import { depthWithin, isInt32, isInt64, isObject, member, MAX_FREE_DEPTH } from '../../json/json-tree.js';
import { isEmpty, type FieldShape, type ListShape, type MapShape, type ScalarShape } from '../schema/shape.js';
import type { Shape, StructShape } from '../schema/shape.js';
import { typeFault, type DecodeFault } from './decode-fault.js';
import { parseTime } from '../../time/parse-time.js';
import { setMember, type JsonDocument } from '../../json/json-document.js';
import { MAX_STRICT_ERRORS, strictError } from '../body/parse-body.js';

export type Decoded =
  | { readonly object: Record<string, unknown>; readonly strictErrors: readonly string[] }
  | { readonly fault: DecodeFault };

/**
 * Decodes a value like Go's decoder: `null` means absent, names are case-sensitive, unknown fields are dropped (and
 * reported as strict errors). The result is canonical, times included: fields in wire order, `always` fields with their
 * zero value, others without empty ones. It shares nothing with the input but free JSON and parts of `known`.
 *
 * @param known a decoded object of the shape: parts of it in the value are not decoded again
 */
export function decodeObject(
  value: unknown,
  shape: StructShape,
  source: Partial<JsonDocument> = {},
  known?: Readonly<Record<string, unknown>>,
): Decoded {
  const run: Run = { source, strict: new Set(), fault: undefined, stopped: false };
  const top = value === null || value === undefined ? {} : value;
  const object = isObject(top)
    ? decodeStruct(run, top, shape, undefined, known)
    : fail(run, typeFault(top, shape, shape.name));
  if (run.fault) return { fault: run.fault };
  return { object: object as Record<string, unknown>, strictErrors: [...run.strict] };
}

interface Run {
  readonly source: Partial<JsonDocument>;
  readonly strict: Set<string>;
  fault: DecodeFault | undefined;
  /** Go continues after a wrong type and reports the first, but stops at types with their own decoder (times). */
  stopped: boolean;
}

/** The position of a value, linked to its parent. List indices do not appear in Go's field paths. */
interface FieldPosition {
  readonly parent: FieldPosition | undefined;
  readonly struct: string;
  readonly key: string;
  readonly index: boolean;
}

function decodeStruct(
  run: Run,
  value: Record<string, unknown>,
  shape: StructShape,
  at: FieldPosition | undefined,
  known?: unknown,
): Record<string, unknown> {
  const before = isObject(known) ? known : undefined;
  const found = new Map<FieldShape, unknown>();
  for (const key of keysOf(run, value)) {
    const field = shape.byName.get(key);
    if (!field) reportStrictError(run, 'unknown', at, key);
    else if (found.has(field)) reportStrictError(run, 'duplicate', at, key);
    else found.set(field, decodeField(run, value, field, shape, at, before?.[key]));
    if (run.stopped) break;
  }
  const object: Record<string, unknown> = {};
  for (const field of shape.fields) {
    if (field.discarded || (at === undefined && field.protobuf === 0)) continue;
    const member = found.get(field);
    const isLeftOut = member === undefined || (field.presence === 'non-empty' && isEmpty(member, field.shape));
    if (!isLeftOut) object[field.name] = member;
    else if (field.presence === 'always') object[field.name] = isObject(field.zero) ? {} : field.zero;
  }
  return object;
}

/** The keys in the order of the text, duplicates included. */
function keysOf(run: Run, value: Record<string, unknown>): readonly string[] {
  return run.source.repeats?.get(value) ?? Object.keys(value);
}

function decodeField(
  run: Run,
  owner: Record<string, unknown>,
  field: FieldShape,
  struct: StructShape,
  parent: FieldPosition | undefined,
  known: unknown,
): unknown {
  const value = owner[field.name];
  if (value === null || value === undefined) return undefined;
  const { shape } = field;
  if (value === known || (typeof value === 'string' && shape.kind === 'scalar' && shape.type === 'string'))
    return value;
  const at: FieldPosition = { parent, struct: struct.name, key: field.name, index: false };
  return shape.kind === 'scalar'
    ? decodeScalar(run, value, shape, at, owner)
    : decodeValue(run, value, shape, at, known);
}

function decodeValue(run: Run, value: unknown, shape: Shape, at: FieldPosition, known?: unknown): unknown {
  if (shape.kind === 'scalar') return decodeScalar(run, value, shape, at);
  if (shape.kind === 'list' && Array.isArray(value)) return decodeList(run, value, shape, at);
  if (shape.kind === 'struct' && isObject(value)) return decodeStruct(run, value, shape, at, known);
  if (shape.kind === 'map' && isObject(value)) return decodeMap(run, value, shape, at);
  return fail(run, typeFault(value, shape, goPath(at)));
}

function decodeList(run: Run, value: readonly unknown[], shape: ListShape, at: FieldPosition): unknown[] {
  const items: unknown[] = [];
  for (const [index, item] of value.entries()) {
    const position: FieldPosition = { parent: at, struct: at.struct, key: String(index), index: true };
    items.push(item === null ? unset(run, shape.item, position) : decodeValue(run, item, shape.item, position));
    if (run.stopped) break;
  }
  return items;
}

function decodeMap(
  run: Run,
  value: Record<string, unknown>,
  shape: MapShape,
  at: FieldPosition,
): Record<string, unknown> {
  const map: Record<string, unknown> = {};
  for (const key of keysOf(run, value)) {
    if (Object.hasOwn(map, key)) {
      reportStrictError(run, 'duplicate', at, key);
      continue;
    }
    const given = member(value, key);
    // Map keys are not part of Go's field paths.
    setMember(map, key, given === null ? unset(run, shape.value, at) : decodeValue(run, given, shape.value, at));
    if (run.stopped) break;
  }
  // Set last, because an object without a prototype has slow keys, and they are read five times.
  return Object.setPrototypeOf(map, null) as Record<string, unknown>;
}

/** The value of `null` in a list or map. */
function unset(run: Run, shape: Shape, at: FieldPosition): unknown {
  if (shape.kind === 'struct') return decodeStruct(run, {}, shape, at);
  return shape.kind === 'scalar' && shape.type === 'string' ? '' : null;
}

function decodeScalar(
  run: Run,
  value: unknown,
  shape: ScalarShape,
  at: FieldPosition,
  owner?: Record<string, unknown>,
): unknown {
  switch (shape.type) {
    case 'string':
      if (typeof value === 'string') return value;
      break;
    case 'bool':
      if (typeof value === 'boolean') return value;
      break;
    case 'int32':
    case 'int64': {
      if (typeof value !== 'number') break;
      const source = (owner && run.source.numbers?.get(owner)?.get(at.key)) ?? String(value);
      if (!/^-?\d+$/.test(source) || !(shape.type === 'int32' ? isInt32 : isInt64)(value)) {
        return fail(run, typeFault(value, shape, goPath(at), source));
      }
      return value === 0 ? 0 : value;
    }
    case 'time':
    case 'micro-time': {
      if (typeof value !== 'string') return stop(run, typeFault(value, shape, goPath(at)));
      const time = parseTime(value, shape.type);
      if ('error' in time) return stop(run, sameWords(time.error));
      return time.value ?? undefined;
    }
    case 'json':
      return depthWithin(value, MAX_FREE_DEPTH) ? value : stop(run, sameWords('json: exceeded max depth'));
  }
  return fail(run, typeFault(value, shape, goPath(at)));
}

const sameWords = (text: string): DecodeFault => ({ text, converter: text });

function fail(run: Run, fault: DecodeFault): undefined {
  run.fault ??= fault;
}

function stop(run: Run, fault: DecodeFault): undefined {
  run.fault = fault;
  run.stopped = true;
}

function goPath(at: FieldPosition): string {
  const keys: string[] = [];
  for (let position: FieldPosition | undefined = at; position; position = position.parent)
    if (!position.index) keys.push(position.key);
  return `${at.struct}.${keys.reverse().join('.')}`;
}

function reportStrictError(run: Run, what: 'unknown' | 'duplicate', at: FieldPosition | undefined, key: string): void {
  if (run.strict.size >= MAX_STRICT_ERRORS) return;
  let path = '';
  for (let position = at; position; position = position.parent) {
    path = position.index
      ? `[${position.key}]${path}`
      : path === '' || path.startsWith('[')
        ? position.key + path
        : `${position.key}.${path}`;
  }
  run.strict.add(strictError(what, path === '' ? key : `${path}.${key}`));
}
