import { shorten } from '../../json/go-print.js';
import type { ScalarShape, Shape } from '../schema/shape.js';

/** A value of the wrong type, in the words of both of Kubernetes' decoders. */
export interface DecodeFault {
  /** In the words of Go's JSON decoder. */
  readonly text: string;
  /** In the words of the converter for strategic merge patches. */
  readonly converter: string;
}

/** A value of the wrong type. `field`: struct and path; `source`: the notation of a number that does not fit. */
export function typeFault(value: unknown, shape: Shape, field: string, source?: string): DecodeFault {
  const got = source === undefined ? jsonKind(value) : `number ${shorten(source)}`;
  const text = `json: cannot unmarshal ${got} into Go struct field ${field} of type ${goTypeOf(shape)}`;
  return { text, converter: converterText(value, shape) };
}

/** What Go's JSON decoder calls the type of a value. */
export function jsonKind(value: unknown): 'array' | 'object' | 'string' | 'number' | 'bool' | 'null' {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const kind = typeof value;
  if (kind === 'boolean') return 'bool';
  return kind === 'string' || kind === 'number' ? kind : 'object';
}

/** The error of Go's JSON decoder for a whole value of the wrong type. */
export function wrongType(value: unknown, goType: string): string {
  return `json: cannot unmarshal ${jsonKind(value)} into Go value of type ${goType}`;
}

export const GO_OBJECT = 'map[string]interface {}';

const GO_SCALARS: Readonly<Record<ScalarShape['type'], string>> = {
  string: 'string',
  int32: 'int32',
  int64: 'int64',
  bool: 'bool',
  time: 'string',
  'micro-time': 'string',
  json: 'v1.FieldsV1',
};

function goTypeOf(shape: Shape): string {
  switch (shape.kind) {
    case 'scalar':
      return shape.goType ?? GO_SCALARS[shape.type];
    case 'struct':
      return `v1.${shape.name}`;
    case 'list':
      return `[]${goTypeOf(shape.item)}`;
    case 'map':
      return `map[string]${goTypeOf(shape.value)}`;
  }
}

function converterText(value: unknown, shape: Shape): string {
  const whole = Number.isInteger(value) ? 'int64' : 'float64';
  const kind = jsonKind(value);
  const simple = kind === 'number' ? whole : kind;
  const restored = kind === 'object' ? 'map' : kind === 'array' ? 'slice' : simple;
  switch (shape.kind) {
    case 'struct':
      return `cannot restore struct from: ${restored}`;
    case 'list':
      return `cannot restore slice from ${restored}`;
    case 'map':
      return `cannot restore map from ${restored}`;
    case 'scalar': {
      const { type } = shape;
      if (type === 'time' || type === 'micro-time')
        return `json: cannot unmarshal ${kind} into Go value of type string`;
      // Go converts numbers to each other, and integers to strings.
      const isConvertible = type === 'string' ? simple === 'int64' : type !== 'bool' && kind === 'number';
      return isConvertible ? `cannot convert ${simple} to ${goTypeOf(shape)}` : `unrecognized type: ${type}`;
    }
  }
}
