import { describe, expect, it } from 'vitest';
import { compiledMessage } from '../../../../src/api/protobuf/message.js';
import { field, list, scalar, struct } from '../../../../src/api/schema/facts.js';
import { eventShape } from '../../../../src/events/resource/schema.js';

describe('the message of a shape', () => {
  it('is compiled only once', () => {
    expect(compiledMessage(eventShape())).toBe(compiledMessage(eventShape()));
  });

  it('has its fields by number, without kind and apiVersion', () => {
    const { fields, byNumber } = compiledMessage(eventShape());
    expect(fields.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    expect(byNumber.get(10)).toMatchObject({ name: 'note', always: true });
    expect(byNumber.get(9)).toMatchObject({ name: 'related', always: false });
  });

  it('refuses lists of numbers', () => {
    const facts = { description: '', protobuf: 1 };
    const schema = struct(
      { name: 'Odd', definition: 'Odd', description: '' },
      { counts: field(list(scalar('int32')), facts) },
    );
    expect(() => compiledMessage(schema)).toThrow('the field counts cannot be written in protobuf');
  });
});
