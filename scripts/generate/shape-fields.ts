import type { FieldShape, StructShape } from '../../src/api/schema/shape.js';

/** The kinds of fields that generated code distinguishes. `other` is written and read with its shape. */
export type Kind = 'text' | 'time' | 'integer' | 'boolean' | 'json' | 'struct' | 'texts' | 'other';

export function kindOf({ shape }: FieldShape): Kind {
  switch (shape.kind) {
    case 'struct':
      return 'struct';
    case 'map':
      return shape.value.kind === 'scalar' && shape.value.type === 'string' ? 'texts' : 'other';
    case 'list':
      return 'other';
    case 'scalar':
      break;
  }
  switch (shape.type) {
    case 'string':
      return 'text';
    case 'bool':
      return 'boolean';
    case 'int32':
    case 'int64':
      return 'integer';
    case 'time':
    case 'micro-time':
      return 'time';
    case 'json':
      return 'json';
  }
}

/** The struct of a field that is one according to {@link kindOf}. */
export function structOfField({ name, shape }: FieldShape): StructShape {
  if (shape.kind !== 'struct') throw new TypeError(`${name} must be a struct`);
  return shape;
}

/** The event's parts, in the order and with the names that all generated files use. */
export interface EventFields {
  readonly event: StructShape;
  /** What is stored of metadata, before and after the place of the revision. */
  readonly metadata: {
    readonly before: readonly FieldShape[];
    readonly revision: FieldShape;
    readonly after: readonly FieldShape[];
  };
  /** All other fields of the event but kind and apiVersion. */
  readonly fields: readonly FieldShape[];
  /** The structs of these fields, each name once, those within others first. */
  readonly structs: readonly StructShape[];
}

/** @throws TypeError for a schema that breaks an assumption of the code around the generated files */
export function eventFields(event: StructShape): EventFields {
  const [metadata, ...fields] = event.fields.filter(({ protobuf }) => protobuf !== 0);
  if (metadata?.name !== 'metadata' || metadata.shape.kind !== 'struct')
    throw new TypeError('metadata must be the first field, and a struct');
  const [first] = fields;
  if (first?.presence !== 'always' || kindOf(first) !== 'time' || first.frequency !== 'sent') {
    throw new TypeError("the field after metadata must be a time of frequency 'sent' that is always written");
  }
  const stored = metadata.shape.fields.filter(({ discarded }) => !discarded);
  const cut = stored.findIndex(({ name }) => name === 'resourceVersion');
  if (cut < 1 || stored.at(-1)?.name !== 'managedFields')
    throw new TypeError('metadata must have resourceVersion after its first field, and managedFields as its last');
  requireDistinct(event);
  return {
    event,
    metadata: { before: stored.slice(0, cut), revision: stored[cut] as FieldShape, after: stored.slice(cut + 1, -1) },
    fields,
    structs: [...new Map(fields.flatMap(structsOf).map((struct) => [struct.name, struct])).values()],
  };
}

function structsOf({ shape }: FieldShape): StructShape[] {
  return shape.kind === 'struct' ? [...shape.fields.flatMap(structsOf), shape] : [];
}

function requireDistinct({ name, fields }: StructShape): void {
  for (const numberOf of [
    ({ protobuf }: FieldShape) => protobuf,
    ({ protobuf, older }: FieldShape) => older?.protobuf ?? protobuf,
  ]) {
    const numbers = fields.map(numberOf).filter((number) => number !== 0);
    if (new Set(numbers).size !== numbers.length)
      throw new TypeError(`${name} has two fields with the same protobuf number`);
  }
}

/** A text as source code. */
export function literal(text: string): string {
  const quoted = JSON.stringify(text);
  return text.includes("'") ? quoted : `'${quoted.slice(1, -1).replaceAll('\\"', '"')}'`;
}

/** How a field without a value is written: `"name":null`. */
export function zeroText({ name, zero }: FieldShape): string {
  return `"${name}":${JSON.stringify(zero)}`;
}
