import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from 'vitest';
import { writeMessage } from '../../../../src/api/protobuf/write-message.js';
import { field, list, scalar, struct } from '../../../../src/api/schema/facts.js';
import type { Shape } from '../../../../src/api/schema/shape.js';
import { eventShape } from '../../../../src/events/resource/schema.js';

describe('the message of a shape', () => {
  it('has its fields by number, without kind and apiVersion', () => {
    const { byNumber } = eventShape();
    expect([...byNumber.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    expect(byNumber.get(10)).toMatchObject({ name: 'note' });
  });

  it.each<[string, Shape]>([
    ['lists of numbers', list(scalar('int32'))],
    ['lists of lists', list(list(scalar('string')))],
    ['maps of numbers', { kind: 'map', value: scalar('int32') }],
  ])('refuses to write %s', (_, shape) => {
    const facts = { name: 'Odd', definition: 'Odd', description: '' };
    const odd = struct(facts, { counts: field(shape, { description: '', protobuf: 1 }) });
    expect(() => writeMessage(new BinaryWriter(), odd, { counts: [] })).toThrow(
      'the field counts cannot be written in protobuf',
    );
  });
});
