import type { TypeMeta } from '../decode/type-meta.js';
import { META } from '../schema/facts.js';
import { defaultValue, type FieldShape, type ScalarShape, type Shape, type StructShape } from '../schema/shape.js';

export type Json = Readonly<Record<string, unknown>>;

export const reference = (definition: string): Json => ({ $ref: `#/components/schemas/${definition}` });

export function define(definitions: Map<string, Json>, shape: StructShape, kinds?: readonly TypeMeta[]): void {
  if (definitions.has(shape.definition)) return;
  const properties: Record<string, Json> = {};
  definitions.set(shape.definition, {});
  for (const field of shape.fields) properties[field.name] = propertyOf(definitions, field);
  const required = shape.fields.filter((field) => field.required).map((field) => field.name);
  definitions.set(shape.definition, {
    description: shape.description,
    type: 'object',
    ...(required.length > 0 && { required }),
    properties,
    ...(kinds && { 'x-kubernetes-group-version-kind': kinds }),
    ...(shape.atomic && { 'x-kubernetes-map-type': 'atomic' }),
  });
}

function propertyOf(definitions: Map<string, Json>, field: FieldShape): Json {
  const { shape, description } = field;
  const schema = schemaOf(definitions, shape);
  const wrapped = '$ref' in schema ? { allOf: [schema] } : schema;
  const byDefault = defaultValue(field);
  return { description, ...wrapped, ...(byDefault !== undefined && { default: byDefault }), ...listFacts(shape) };
}

function listFacts(shape: Shape): Json {
  // Kubernetes gives this object a list type.
  if (shape.kind === 'struct' && shape.name === 'StatusDetails') return { 'x-kubernetes-list-type': 'atomic' };
  if (shape.kind !== 'list' || shape.named) return {};
  const { type, keys, patchStrategy, patchMergeKey } = shape;
  return {
    'x-kubernetes-list-type': type,
    ...(keys.length > 0 && { 'x-kubernetes-list-map-keys': keys }),
    ...(patchMergeKey !== undefined && { 'x-kubernetes-patch-merge-key': patchMergeKey }),
    ...(patchStrategy === 'merge' && { 'x-kubernetes-patch-strategy': patchStrategy }),
  };
}

function schemaOf(definitions: Map<string, Json>, shape: Shape): Json {
  switch (shape.kind) {
    case 'scalar':
      return scalarSchema(definitions, shape.type);
    case 'struct':
      define(definitions, shape);
      return reference(shape.definition);
    case 'list':
      return { type: 'array', items: itemSchema(definitions, shape.item) };
    case 'map':
      return { type: 'object', additionalProperties: itemSchema(definitions, shape.value) };
  }
}

function itemSchema(definitions: Map<string, Json>, shape: Shape): Json {
  const schema = schemaOf(definitions, shape);
  if ('$ref' in schema) return { allOf: [schema], ...(shape.kind === 'struct' && { default: {} }) };
  return schema['type'] === 'string' ? { ...schema, default: '' } : schema;
}

function scalarSchema(definitions: Map<string, Json>, type: ScalarShape['type']): Json {
  switch (type) {
    case 'string':
      return { type: 'string' };
    case 'bool':
      return { type: 'boolean' };
    case 'int32':
    case 'int64':
      return { type: 'integer', format: type };
    case 'time':
    case 'micro-time':
    case 'json':
      definitions.set(`${META}.${SIMPLE[type].name}`, SIMPLE[type].schema);
      return reference(`${META}.${SIMPLE[type].name}`);
  }
}

const SIMPLE = {
  time: {
    name: 'Time',
    schema: { description: 'A time in whole seconds, RFC 3339.', type: 'string', format: 'date-time' },
  },
  'micro-time': {
    name: 'MicroTime',
    schema: {
      description: 'A time in microseconds, RFC 3339, always written with six fractional digits.',
      type: 'string',
      format: 'date-time',
    },
  },
  json: { name: 'FieldsV1', schema: { description: 'A set of fields as a tree of keys.', type: 'object' } },
} as const;
