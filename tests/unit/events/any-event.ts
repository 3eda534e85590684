import fc from 'fast-check';
import type { FieldShape, Shape, StructShape } from '../../../src/api/schema/shape.js';
import { eventShape } from '../../../src/events/resource/schema.js';

const text = (): fc.Arbitrary<string> =>
  fc.oneof(fc.string(), fc.string({ unit: 'grapheme' })).filter((value) => !/\p{Surrogate}/u.test(value));

const moment = (pattern: RegExp): fc.Arbitrary<string> => fc.stringMatching(pattern);
const micro = (): fc.Arbitrary<string> =>
  moment(/^20[0-9]{2}-0[1-9]-[12][0-8]T[01][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]0[0-9]:[0-5][0-9])$/);
const texts = (): fc.Arbitrary<Record<string, string>> =>
  fc.dictionary(fc.oneof(text(), fc.constantFrom('__proto__', 'constructor', '10', '9')), text(), { maxKeys: 4 });

function anyValue(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'struct':
      return anyStruct(shape, ({ required }) => required);
    case 'list':
      return fc.array(anyValue(shape.item), { maxLength: 2 });
    case 'map':
      return texts();
    case 'scalar':
      break;
  }
  switch (shape.type) {
    case 'string':
      return text();
    case 'bool':
      return fc.boolean();
    case 'int32':
      return fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    case 'int64':
      return fc.maxSafeInteger();
    case 'json':
      return fc.dictionary(text(), fc.constant({}));
    case 'time':
    case 'micro-time':
      return micro();
  }
}

function anyField({ shape, presence, zero }: FieldShape): fc.Arbitrary<unknown> {
  const value = anyValue(shape);
  return shape.kind === 'scalar' && presence === 'always' && zero === null ? fc.oneof(value, fc.constant(null)) : value;
}

function anyStruct(
  { fields }: StructShape,
  isNeeded: (field: FieldShape) => boolean,
): fc.Arbitrary<Record<string, unknown>> {
  const kept = fields.filter(({ discarded }) => !discarded);
  const requiredKeys = kept.filter(isNeeded).map(({ name }) => name);
  return fc.record(Object.fromEntries(kept.map((field) => [field.name, anyField(field)])), { requiredKeys });
}

/** Events of the right types, with values of all kinds in all fields of the schema. */
export function anyEvent(): fc.Arbitrary<Record<string, unknown>> {
  const { byName, ...event } = eventShape();
  const fields = event.fields.filter(({ protobuf }) => protobuf !== 0);
  return anyStruct({ ...event, byName, fields }, ({ name }) => name === 'metadata');
}
