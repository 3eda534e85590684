import * as z from 'zod';
import { isInt64 } from '../../json/json-tree.js';
import { timeError } from '../../time/parse-time.js';
import { lazy } from './lazy.js';
import type { FieldShape, ListShape, MapShape, ScalarShape } from './shape.js';

/** What Kubernetes specifies of a type beyond what zod does. */
export interface StructFacts {
  readonly kind: 'struct';
  readonly name: string;
  readonly definition: string;
  readonly description: string;
  readonly atomic?: boolean;
  readonly olderDefinition?: string;
}

/** What Kubernetes specifies of a field. Fields are in wire order in their struct. */
export interface FieldFacts {
  readonly description: string;
  /** 0 for `kind` and `apiVersion`. */
  readonly protobuf: number;
  /** Default `non-empty`. */
  readonly presence?: FieldShape['presence'];
  /** Default false. */
  readonly required?: boolean;
  readonly discarded?: boolean;
  /** Whether updates may change it, whatever the version's rules. Default false. */
  readonly mutable?: boolean;
  /**
   * Field selectors read it: its index among all such fields, from 0. Stored sidecars depend on it, so a new
   * field gets the next free one, and none is reused. On a struct: the index of its first member; all are read.
   */
  readonly selectable?: number;
  /**
   * How often an object has the field: nearly every new one that clients send (`sent`), nearly every stored one
   * (`stored`), or many (`often`). Generated code is fast for objects that have these fields and no others, and correct
   * for all. Absent: rarely.
   */
  readonly frequency?: 'sent' | 'stored' | 'often';
  /** Nearly every object has a different value, so that sharing equal values does not pay. Default false. */
  readonly distinct?: boolean;
  /** The differences in the older version of the resource, if two are served. */
  readonly older?: OlderFacts;
}

/** A field in the older version of a resource; omitted facts are those of the newer one. */
export interface OlderFacts {
  readonly name?: string;
  /** The number in protobuf, by which fields are ordered there. */
  readonly protobuf?: number;
  readonly required?: boolean;
  readonly presence?: FieldShape['presence'];
}

/** What Kubernetes specifies of a list. */
export interface ListFacts {
  /** Default `atomic`. */
  readonly type?: ListShape['type'];
  readonly keys?: readonly string[];
  /** Default `replace`. */
  readonly patchStrategy?: ListShape['patchStrategy'];
  readonly patchMergeKey?: string;
}

/** What the registry contains for a schema. */
export type Facts =
  | StructFacts
  | (FieldFacts & { readonly kind: 'field' })
  | (ListFacts & { readonly kind: 'list' })
  | ScalarShape
  | MapShape;

const registry: () => z.core.$ZodRegistry<Facts> = lazy(() => z.registry<Facts>());

/** The facts of a schema made with the functions of this file. */
export function factsOf(schema: z.core.$ZodType): Facts | undefined {
  return registry().get(schema) as Facts | undefined;
}

function note<T extends z.core.$ZodType>(schema: T, facts: Facts): T {
  (registry() as { add(schema: z.core.$ZodType, facts: Facts): unknown }).add(schema, facts);
  return schema;
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
export function struct(facts: Omit<StructFacts, 'kind'>, fields: Readonly<Record<string, z.ZodType>>): z.ZodType {
  return note(z.object(fields), { kind: 'struct', ...facts });
}

/** A field of a struct: optional unless it is always written. */
export function field(schema: z.ZodType, facts: FieldFacts): z.ZodType {
  return note(schema.optional(), { kind: 'field', ...facts });
}

/** A list. */
export function list(item: z.ZodType, facts: ListFacts = {}): z.ZodType {
  return note(z.array(item), { kind: 'list', ...facts });
}

/** An object with free keys and strings as values. zod's own records lose a key `__proto__`. */
export function stringMap(): z.ZodType {
  return note(z.custom(isStringMap, 'Invalid input: expected strings by key'), {
    kind: 'map',
    value: { kind: 'scalar', type: 'string' },
  });
}

function isStringMap(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((member) => typeof member === 'string');
}
