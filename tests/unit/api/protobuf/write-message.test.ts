import { describe, expect, it } from 'vitest';
import { metaMessages } from '../../../../src/api/protobuf/meta-messages.js';
import type { StructShape } from '../../../../src/api/schema/shape.js';
import { coreEventShape, eventShape } from '../../../../src/events/resource/schema.js';

describe('the message of a shape', () => {
  it('has its fields by number, without kind and apiVersion', () => {
    const { byNumber } = eventShape();
    expect([...byNumber.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    expect(byNumber.get(10)).toMatchObject({ name: 'note' });
  });

  it.each([eventShape(), coreEventShape(), ...metaMessages().values()])(
    'holds only lists of objects or strings, and maps of strings: $name',
    (shape) => {
      expect(oddFields(shape)).toEqual([]);
    },
  );
});

/** The fields whose values protobuf cannot write. */
function oddFields({ name: owner, fields }: StructShape): string[] {
  return fields.flatMap(({ name, shape }) => {
    if (shape.kind === 'scalar') return [];
    const inner = shape.kind === 'list' ? shape.item : shape.kind === 'map' ? shape.value : shape;
    if (inner.kind === 'struct' && shape.kind !== 'map') return oddFields(inner);
    return inner.kind === 'scalar' && inner.type === 'string' ? [] : [`${owner}.${name}`];
  });
}
