/** The description of a type, made with `schema/facts.ts`, from which all else is derived. Compared by identity. */
export type Shape = ScalarShape | StructShape | ListShape | MapShape;

/** `time` and `micro-time` are strings on the wire; `json` is any JSON value (fieldsV1). */
export interface ScalarShape {
  readonly kind: 'scalar';
  readonly type: 'string' | 'int32' | 'int64' | 'bool' | 'time' | 'micro-time' | 'json';
  /** The Go type that decode errors name, where it differs from the plain one: `types.UID`. */
  readonly goType?: string | undefined;
}

export interface StructShape {
  readonly kind: 'struct';
  /** The type's name, as Go-style decode errors and the OpenAPI document give it: `Event`, `ObjectMeta`. */
  readonly name: string;
  readonly definition: string;
  readonly description: string;
  /** In wire order. */
  readonly fields: readonly FieldShape[];
  readonly byName: ReadonlyMap<string, FieldShape>;
  /** The fields of the protobuf message, in the order of their numbers. */
  readonly byNumber: ReadonlyMap<number, FieldShape>;
  /** Apply and managed fields treat the whole object as one value. */
  readonly atomic: boolean;
  /** The OpenAPI definition name in the older version of the resource, where it is served in two. */
  readonly olderDefinition?: string | undefined;
}

/** A list. `type` is Kubernetes' list type; `keys` the key fields of a `map` list. */
export interface ListShape {
  readonly kind: 'list';
  readonly item: Shape;
  readonly type: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
  readonly patchStrategy: 'merge' | 'replace';
  /** The field by which strategic merge finds equal items; absent for lists of scalars. */
  readonly patchMergeKey?: string | undefined;
  /** Go has a named type for this list of strings: it is a message in protobuf, and has no list type in OpenAPI. */
  readonly named?: boolean | undefined;
}

export interface MapShape {
  readonly kind: 'map';
  readonly value: Shape;
}

export interface FieldShape {
  readonly name: string;
  readonly shape: Shape;
  readonly description: string;
  readonly required: boolean;
  /**
   * `always`: written even when unset, with {@link FieldShape.zero}. `non-empty`: left out when it has the zero value.
   * `set`: a pointer in Go, written whenever it was given, also as 0, `false` or `""`.
   */
  readonly presence: 'always' | 'non-empty' | 'set';
  readonly zero: null | '' | 0 | Readonly<Record<string, never>>;
  /** Field number in protobuf; 0 for `kind` and `apiVersion`, which are not part of the message. */
  readonly protobuf: number;
  /** Checked, but never stored (`selfLink`). */
  readonly discarded: boolean;
  /** Whether updates may change it, whatever the version's rules. */
  readonly mutable: boolean;
  /**
   * Field selectors read it: its index among all such fields, from 0. Stored sidecars depend on it, so a new
   * field gets the next free one, and none is reused. On a struct: the index of its first member; all are read.
   */
  readonly selectable?: number | undefined;
  /**
   * How many objects have the field: new ones of clients (`sent`), stored ones (`stored`) or many (`often`); absent:
   * few. Generated code is fast for objects with such fields alone.
   */
  readonly frequency?: 'sent' | 'stored' | 'often' | undefined;
  /** Nearly every object has a different value, so that sharing equal values does not pay. */
  readonly distinct: boolean;
  /** The differences in the older version of the resource, if two are served. Protobuf numbers give the order there. */
  readonly older?: Partial<Pick<FieldShape, 'name' | 'protobuf' | 'required' | 'presence'>> | undefined;
}

export function structOf(
  facts: Omit<StructShape, 'kind' | 'fields' | 'byName' | 'byNumber'>,
  fields: readonly FieldShape[],
): StructShape {
  const numbered = fields.filter(({ protobuf }) => protobuf !== 0).sort((a, b) => a.protobuf - b.protobuf);
  const byNumber = new Map(numbered.map((field) => [field.protobuf, field]));
  return { kind: 'struct', ...facts, fields, byName: new Map(fields.map((field) => [field.name, field])), byNumber };
}

export function zeroOf(shape: Shape): FieldShape['zero'] {
  if (shape.kind === 'struct') return Object.freeze({});
  if (shape.kind !== 'scalar') return null;
  if (shape.type === 'string') return '';
  return shape.type === 'int32' || shape.type === 'int64' ? 0 : null;
}

/** Whether a value is left out where only `non-empty` ones are written. A struct never is, like a pointer in Go. */
export function isEmpty(value: unknown, shape: Shape): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (shape.kind === 'list') return (value as readonly unknown[]).length === 0;
  return shape.kind === 'map' && Object.keys(value as object).length === 0;
}

export function defaultValue({ shape, presence, required, zero }: FieldShape): unknown {
  if (shape.kind === 'struct') return presence === 'always' ? {} : undefined;
  if (!required && presence !== 'always') return undefined;
  return shape.kind === 'scalar' && shape.type === 'bool' ? false : (zero ?? undefined);
}

/** A struct in the older version of the resource: with that version's names, in the order of its protobuf numbers. */
export function olderStruct(shape: StructShape): StructShape {
  const { fields: newer, ...facts } = shape;
  const fields = newer.map(olderField);
  if (shape.olderDefinition === undefined && fields.every((field, index) => field === newer[index])) return shape;
  fields.sort((one, other) => one.protobuf - other.protobuf);
  return structOf({ ...facts, definition: shape.olderDefinition ?? shape.definition }, fields);
}

function olderField(field: FieldShape): FieldShape {
  const shape = field.shape.kind === 'struct' ? olderStruct(field.shape) : field.shape;
  if (shape === field.shape && field.older === undefined) return field;
  return { ...field, ...field.older, shape };
}

export function olderName({ name, older }: FieldShape): string {
  return older?.name ?? name;
}

export interface SelectableField {
  readonly path: readonly string[];
  readonly index: number;
  readonly distinct: boolean;
}

export function selectableFields(shape: StructShape): readonly SelectableField[] {
  return fieldsOf(shape, []).sort((one, other) => one.index - other.index);
}

function fieldsOf({ fields }: StructShape, parents: readonly string[]): SelectableField[] {
  return fields.flatMap(({ name, shape, selectable: index, distinct }): SelectableField[] => {
    const path = [...parents, name];
    if (index === undefined) return shape.kind === 'struct' ? fieldsOf(shape, path) : [];
    if (shape.kind !== 'struct') return [{ path, index, distinct }];
    return shape.fields.map((member, offset) => {
      return { path: [...path, member.name], index: index + offset, distinct: member.distinct };
    });
  });
}
