import { expect, test } from 'vitest';
import { field, scalar, struct } from '../../../../src/api/schema/facts.js';
import { selectableFields } from '../../../../src/api/schema/shape.js';

test('selectable fields are in the order of their indices, all members of a struct one after the other', () => {
  const text = (protobuf: number, more: object = {}) => field(scalar('string'), { protobuf, description: '', ...more });
  const facts = { definition: 'test.Thing', description: '' };
  const part = (name: string, more: object) => struct({ name, ...facts }, { a: text(1, more), b: text(2) });
  const shape = struct(
    { name: 'Thing', ...facts },
    {
      whole: field(part('Whole', { distinct: true }), { protobuf: 1, description: '', selectable: 2 }),
      partly: field(part('Partly', { selectable: 1 }), { protobuf: 2, description: '' }),
      first: text(3, { selectable: 0 }),
      other: text(4),
    },
  );
  expect(selectableFields(shape).map(({ path, index: place, distinct }) => [path.join('.'), place, distinct])).toEqual([
    ['first', 0, false],
    ['partly.a', 1, false],
    ['whole.a', 2, true],
    ['whole.b', 3, false],
  ]);
});
