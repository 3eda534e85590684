import { describe, expect, test } from 'vitest';
import { field, scalar, struct } from '../../../../src/api/schema/facts.js';
import { olderName, olderStruct } from '../../../../src/api/schema/shape.js';
import type { FieldShape } from '../../../../src/api/schema/shape.js';

const facts = { definition: 'test.Thing', description: '' };
const text = (protobuf: number, older?: FieldShape['older']) =>
  field(scalar('string'), { protobuf, description: '', ...(older && { older }) });

describe('a struct in the older version', () => {
  const shape = struct(
    { name: 'Thing', ...facts, olderDefinition: 'test.OldThing' },
    {
      a: text(1, { name: 'first', protobuf: 2, presence: 'always', required: true }),
      b: text(2, { protobuf: 1 }),
      c: text(3),
    },
  );

  test('has its own names, numbers and presence, in the order of its numbers', () => {
    const older = olderStruct(shape);
    expect(older.definition).toBe('test.OldThing');
    expect(older.fields.map(({ name, protobuf, presence, required }) => [name, protobuf, presence, required])).toEqual([
      ['b', 1, 'non-empty', false],
      ['first', 2, 'always', true],
      ['c', 3, 'non-empty', false],
    ]);
    expect(older.byName.get('first')).toBe(older.fields[1]);
    expect(shape.fields.map(olderName)).toEqual(['first', 'b', 'c']);
  });

  test('is the same object if nothing differs', () => {
    const same = struct({ name: 'Same', ...facts }, { a: text(1) });
    expect(olderStruct(same)).toBe(same);
  });
});
