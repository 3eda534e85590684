import { expect, test } from 'vitest';
import { postgresSchema } from '../../../../src/store/postgres/schema.js';

/** Those that PostgreSQL 12 has; it refuses a table with any other one. */
const PARAMETERS = [
  'fillfactor',
  'autovacuum_vacuum_threshold',
  'autovacuum_vacuum_scale_factor',
  'autovacuum_analyze_scale_factor',
];

test('the tables are created with storage parameters that every supported version has', () => {
  const used = [...postgresSchema().matchAll(/\) WITH \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((setting) => setting.split('=', 1).join().trim()),
  );

  expect(used).toContain('fillfactor');
  expect(PARAMETERS).toEqual(expect.arrayContaining(used));
});
