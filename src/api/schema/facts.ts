import * as z from 'zod';
import { isInt64, isObject } from '../../json/json-tree.js';
import { timeError } from '../../time/parse-time.js';
import { lazy } from './lazy.js';
import { structOf, zeroOf } from './shape.js';
import type { FieldShape, ListShape, ScalarShape, Shape, StructShape } from './shape.js';

/** What Kubernetes specifies of an object; not atomic by default. */
export type StructFacts = Omit<StructShape, 'kind' | 'fields' | 'byName' | 'atomic'> & { readonly atomic?: boolean };

/** What Kubernetes specifies of a field. Defaults: `non-empty`, and false. Fields are in wire order in their struct. */
export type FieldFacts = Pick<FieldShape, 'description' | 'protobuf'> &
  Partial<Omit<FieldShape, 'name' | 'shape' | 'zero'>>;

/** What Kubernetes specifies of a list. Defaults: `atomic`, and `replace`. */
export type ListFacts = Partial<Omit<ListShape, 'kind' | 'item'>>;

/** What the registry has for a schema: its shape, or that of a field and its facts. */
type Known = { readonly shape: Shape; readonly field?: FieldFacts };

const registry: () => z.core.$ZodRegistry<Known> = lazy(() => z.registry<Known>());

function note<T extends z.core.$ZodType>(schema: T, shape: Shape, field?: FieldFacts): T {
  const known = field === undefined ? { shape } : { shape, field };
  (registry() as { add(schema: z.core.$ZodType, known: Known): unknown }).add(schema, known);
  return schema;
}

const knownOf = (schema: z.core.$ZodType): Known | undefined => registry().get(schema) as Known | undefined;

/**
 * The shape of a schema made with the functions of this file. Shapes are compared by identity.
 *
 * @throws TypeError for any other schema
 */
export function compileShape(schema: z.core.$ZodType): Shape {
  const known = knownOf(schema);
  if (known && !known.field) return known.shape;
  const { type } = schema._zod.def;
  throw new TypeError(`a schema of type ${type} has no shape: make it with the functions of schema/facts.ts`);
}

/** The shape of a schema that is an object. @throws TypeError for any other */
export function compileStruct(schema: z.core.$ZodType): StructShape {
  const shape = compileShape(schema);
  if (shape.kind !== 'struct') throw new TypeError('the schema is not an object: compile it with compileShape');
  return shape;
}

/** A scalar; `goType` if Go has a type of its own for it. */
export function scalar(type: ScalarShape['type'], goType?: string): z.ZodType {
  return note(scalarSchema(type), { kind: 'scalar', type, goType });
}

function scalarSchema(type: ScalarShape['type']): z.ZodType {
  switch (type) {
    case 'string':
      return z.string();
    case 'bool':
      return z.boolean();
    case 'int32':
      return z.int32();
    case 'int64':
      return z.number().refine(isInt64);
    case 'json':
      return z.unknown();
    case 'time':
    case 'micro-time':
      return z
        .string()
        .refine((value) => timeError(value, type) === undefined)
        .nullable();
  }
}

/** An object with known fields, in wire order. Unknown fields are dropped. */
export function struct(facts: StructFacts, fields: Readonly<Record<string, z.ZodType>>): z.ZodType {
  const shapes = Object.entries(fields).map(([name, schema]) => fieldShape(name, knownOf(schema)));
  return note(z.object(fields), structOf({ atomic: false, ...facts }, shapes));
}

function fieldShape(name: string, known: Known | undefined): FieldShape {
  if (!known?.field) throw new TypeError(`the field ${name} was not made with field() of schema/facts.ts`);
  const { shape, field: facts } = known;
  const { description, protobuf, presence = 'non-empty', required = false, discarded = false } = facts;
  const { mutable = false, selectable, frequency, distinct = false, older } = facts;
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

/** A field of a struct: optional unless it is always written. */
export function field(schema: z.ZodType, facts: FieldFacts): z.ZodType {
  return note(schema.optional(), compileShape(schema), facts);
}

/** A list. */
export function list(item: z.ZodType, facts: ListFacts = {}): z.ZodType {
  const { type = 'atomic', keys = [], patchStrategy = 'replace', patchMergeKey } = facts;
  return note(z.array(item), { kind: 'list', item: compileShape(item), type, keys, patchStrategy, patchMergeKey });
}

/** An object with free keys and strings as values. zod's own records lose a key `__proto__`. */
export function stringMap(): z.ZodType {
  const isStringMap = (value: unknown): boolean =>
    isObject(value) && Object.values(value).every((member) => typeof member === 'string');
  return note(z.custom(isStringMap, 'Invalid input: expected strings by key'), {
    kind: 'map',
    value: { kind: 'scalar', type: 'string' },
  });
}
