import { structOf, zeroOf, type FieldShape, type ListShape, type MapShape } from './shape.js';
import type { ScalarShape, Shape, StructShape } from './shape.js';

/** What Kubernetes specifies of an object; not atomic by default. */
export type StructFacts = Omit<StructShape, 'kind' | 'fields' | 'byName' | 'byNumber' | 'atomic'> & {
  readonly atomic?: boolean;
};

/** What Kubernetes specifies of a field. Defaults: `non-empty`, and false. */
export type FieldFacts = Pick<FieldShape, 'description' | 'protobuf'> &
  Partial<Omit<FieldShape, 'name' | 'shape' | 'zero'>>;

/** What Kubernetes specifies of a list. Defaults: `atomic`, and `replace`. */
export type ListFacts = Partial<Omit<ListShape, 'kind' | 'item'>>;

export interface Field {
  readonly shape: Shape;
  readonly facts: FieldFacts;
}

/** A scalar; `goType` if Go has a type of its own for it. */
export function scalar(type: ScalarShape['type'], goType?: string): ScalarShape {
  return { kind: 'scalar', type, goType };
}

/** An object with known fields, in wire order. Unknown fields are dropped. */
export function struct(facts: StructFacts, fields: Readonly<Record<string, Field>>): StructShape {
  return structOf({ atomic: false, ...facts }, Object.entries(fields).map(named));
}

export const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

export function metaStruct(name: string, description: string, fields: Readonly<Record<string, Field>>): StructShape {
  return struct({ name, definition: `${META}.${name}`, description }, fields);
}

/** The presence of a pointer in Go. */
export const SET = { presence: 'set' } as const;

export function field(shape: Shape, facts: FieldFacts): Field {
  return { shape, facts };
}

/** A field from its protobuf number and its description. */
export function typed(shape: Shape, protobuf: number, description: string, more: Partial<FieldFacts> = {}): Field {
  return field(shape, { protobuf, description, ...more });
}

export function text(protobuf: number, description: string, more: Partial<FieldFacts> = {}, goType?: string): Field {
  return typed(scalar('string', goType), protobuf, description, more);
}

function named([name, { shape, facts }]: readonly [string, Field]): FieldShape {
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

export function list(item: Shape, facts: ListFacts = {}): ListShape {
  return { kind: 'list', item, type: 'atomic', keys: [], patchStrategy: 'replace', ...facts };
}

export function stringMap(): MapShape {
  return { kind: 'map', value: scalar('string') };
}
