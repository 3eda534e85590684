import type * as z from 'zod';
import { factsOf, type FieldFacts, type StructFacts } from './facts.js';
import type { FieldShape, Shape, StructShape } from './shape.js';

/**
 * The shape of a schema made with `schema/facts.ts`. Compile once and keep the result: shapes are compared by identity.
 *
 * @throws TypeError for a schema that was made without facts
 */
export function compileShape(schema: z.core.$ZodType): Shape {
  const facts = factsOf(schema);
  if (facts?.kind === 'scalar' || facts?.kind === 'map') return facts;
  const { def } = schema._zod;
  if (def.type === 'object' && facts?.kind === 'struct') {
    return structShape((def as unknown as { shape: Record<string, z.core.$ZodType> }).shape, facts);
  }
  if (def.type === 'array' && facts?.kind === 'list') {
    const item = compileShape((def as unknown as { element: z.core.$ZodType }).element);
    const { type = 'atomic', keys = [], patchStrategy = 'replace', patchMergeKey } = facts;
    return { kind: 'list', item, type, keys, patchStrategy, patchMergeKey };
  }
  throw new TypeError(`a schema of type ${def.type} has no shape: make it with the functions of schema/facts.ts`);
}

/** The shape of a schema that is an object. @throws TypeError for any other */
export function compileStruct(schema: z.core.$ZodType): StructShape {
  const shape = compileShape(schema);
  if (shape.kind !== 'struct') throw new TypeError('the schema is not an object: compile it with compileShape');
  return shape;
}

function structShape(members: Readonly<Record<string, z.core.$ZodType>>, facts: StructFacts): StructShape {
  const fields = Object.entries(members).map(([name, schema]) => fieldShape(name, schema));
  const { name, definition, description, atomic = false, olderDefinition } = facts;
  return structOf({ name, definition, description, atomic, olderDefinition }, fields);
}

/** A struct from its fields: for shapes that are derived from compiled ones. */
export function structOf(
  facts: Pick<StructShape, 'name' | 'definition' | 'description' | 'atomic' | 'olderDefinition'>,
  fields: readonly FieldShape[],
): StructShape {
  return { kind: 'struct', ...facts, fields, byName: new Map(fields.map((one) => [one.name, one])) };
}

function fieldShape(name: string, schema: z.core.$ZodType): FieldShape {
  const facts = factsOf(schema);
  if (facts?.kind !== 'field') throw new TypeError(`the field ${name} was not made with field() of schema/facts.ts`);
  const inner = (schema._zod.def as unknown as { innerType: z.core.$ZodType }).innerType;
  const { description, protobuf, presence = 'non-empty', required = false, discarded = false }: FieldFacts = facts;
  const { mutable = false, selectable, frequency, distinct = false, older } = facts;
  const shape = compileShape(inner);
  // One object literal: spread objects have slower fields, which decoders read all the time.
  return {
    name,
    shape,
    description,
    required,
    presence,
    zero: zeroOf(shape),
    protobuf,
    discarded,
    mutable,
    selectable,
    frequency,
    distinct,
    older,
  };
}

/** The value that is written for an unset field of this shape. */
export function zeroOf(shape: Shape): FieldShape['zero'] {
  if (shape.kind === 'struct') return Object.freeze({});
  if (shape.kind !== 'scalar') return null;
  if (shape.type === 'string') return '';
  return shape.type === 'int32' || shape.type === 'int64' ? 0 : null;
}

/** A struct in the older version of the resource: with that version's names, in the order of its protobuf numbers. */
export function olderStruct(shape: StructShape): StructShape {
  const { byName: _, ...facts } = shape;
  const fields = shape.fields.map(olderField);
  if (shape.olderDefinition === undefined && fields.every((field, index) => field === shape.fields[index]))
    return shape;
  fields.sort((one, other) => one.protobuf - other.protobuf);
  return structOf({ ...facts, definition: shape.olderDefinition ?? shape.definition }, fields);
}

function olderField(field: FieldShape): FieldShape {
  const shape = field.shape.kind === 'struct' ? olderStruct(field.shape) : field.shape;
  if (shape === field.shape && field.older === undefined) return field;
  return { ...field, ...field.older, shape };
}

/** The name of a field in the older version. */
export function olderName({ name, older }: FieldShape): string {
  return older?.name ?? name;
}
