import { expect, test } from 'vitest';
import { field, list, scalar, stringMap, struct } from '../../../../src/api/schema/facts.js';
import { deleteOptionsShape } from '../../../../src/api/schema/meta-shapes.js';
import { lazy } from '../../../../src/api/schema/lazy.js';

test('a shape has the given facts, and defaults for the others', () => {
  const shape = struct(
    { name: 'Thing', definition: 'example.Thing', description: 'A thing.', atomic: true },
    {
      size: field(scalar('int32'), { protobuf: 2, presence: 'always', required: true, description: 'How big.' }),
      id: field(scalar('string', 'types.UID'), { protobuf: 1, description: 'Which one.' }),
      tags: field(stringMap(), { protobuf: 3, description: 'Words.' }),
      parts: field(list(scalar('string'), { type: 'set', patchStrategy: 'merge' }), {
        protobuf: 4,
        description: 'Parts.',
      }),
    },
  );
  expect(shape).toMatchObject({ kind: 'struct', name: 'Thing', definition: 'example.Thing', atomic: true });
  expect(shape.fields).toMatchObject([
    { name: 'size', presence: 'always', zero: 0, required: true, protobuf: 2, shape: { type: 'int32' } },
    { name: 'id', presence: 'non-empty', zero: '', required: false, shape: { type: 'string', goType: 'types.UID' } },
    { name: 'tags', shape: { kind: 'map', value: { kind: 'scalar', type: 'string' } } },
    { name: 'parts', shape: { kind: 'list', type: 'set', keys: [], patchStrategy: 'merge' } },
  ]);
  expect(shape.byName.get('id')).toBe(shape.fields[1]);
});

test('the shape of DeleteOptions has its fields in wire order', () => {
  expect(deleteOptionsShape().fields.map(({ name, protobuf }) => `${name} ${protobuf}`)).toEqual([
    'kind 0',
    'apiVersion 0',
    'gracePeriodSeconds 1',
    'preconditions 2',
    'orphanDependents 3',
    'propagationPolicy 4',
    'dryRun 5',
    'ignoreStoreReadErrorWithClusterBreakingPotential 6',
  ]);
});

test('lazy values are made once, on first use', () => {
  let made = 0;
  const value = lazy(() => ({ number: ++made }));
  expect(made).toBe(0);
  expect(value()).toBe(value());
  expect(made).toBe(1);
});
