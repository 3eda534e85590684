import { structOf } from './compile.js';
import type { FieldShape, StructShape } from './shape.js';

/** A struct in the older version of the resource: under its own names, in the order of its own protobuf numbers. */
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

/** What the older version calls a field. */
export function olderName({ name, older }: FieldShape): string {
  return older?.name ?? name;
}
