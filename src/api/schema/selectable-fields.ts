import type { StructShape } from './shape.js';

/** A field that field selectors read. */
export interface SelectableField {
  /** The path to it, `['regarding', 'kind']`. */
  readonly path: readonly string[];
  /** See `FieldFacts.selectable`. */
  readonly place: number;
  /** See `FieldFacts.distinct`. */
  readonly distinct: boolean;
}

/** The fields of a resource that field selectors read, by index. */
export function selectableFields(shape: StructShape): readonly SelectableField[] {
  return fieldsOf(shape, []).sort((one, other) => one.place - other.place);
}

function fieldsOf({ fields }: StructShape, parents: readonly string[]): SelectableField[] {
  return fields.flatMap(({ name, shape, selectable: place, distinct }): SelectableField[] => {
    const path = [...parents, name];
    if (place === undefined) return shape.kind === 'struct' ? fieldsOf(shape, path) : [];
    if (shape.kind !== 'struct') return [{ path, place, distinct }];
    return shape.fields.map((member, index) => {
      return { path: [...path, member.name], place: place + index, distinct: member.distinct };
    });
  });
}
