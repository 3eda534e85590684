import { structOf } from './compile.js';
import type { FieldShape, StructShape } from './shape.js';

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
