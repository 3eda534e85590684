import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { FUNCTIONS_VERSION, postgresSchema, SCHEMA_VERSION } from '../../../../src/store/postgres/schema.js';

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

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

test('the tables have the version that belongs to their text, so that no other version uses them', () => {
  const text = postgresSchema();
  const tables = text.slice(text.indexOf('CREATE TABLE'), text.indexOf('END IF;\n  SELECT max('));

  // After a change: raise SCHEMA_VERSION and put the new pair here.
  expect([SCHEMA_VERSION, hashOf(tables)]).toEqual([2, '17b6e0dc44dad512']);
});

test('the functions have the version that belongs to their text, so that a change reaches existing databases', () => {
  const text = postgresSchema();
  const functions = text.slice(text.indexOf('CREATE OR REPLACE FUNCTION'));

  // After a change: raise FUNCTIONS_VERSION and put the new pair here.
  expect([FUNCTIONS_VERSION, hashOf(functions)]).toEqual([1, 'bd432496a893dd4e']);
});
