import { describe, expect, test } from 'vitest';
import type { SqlConnection, SqlValue } from '../../../../src/store/sqlite/driver.js';
import { HISTORY_STATEMENTS } from '../../../../src/store/sqlite/history.js';
import { OBJECT_STATEMENTS } from '../../../../src/store/sqlite/objects.js';
import { createFolder, openDatabase } from '../../../../src/store/sqlite/open-database.js';
import { FEED_STATEMENTS } from '../../../../src/store/sqlite/read-changes.js';
import { readStoredList, type StoredQuery } from '../../../../src/store/sqlite/read-list.js';
import { insertState } from '../../../../src/store/sqlite/state.js';
import { WRITE_STATEMENTS } from '../../../../src/store/sqlite/write-batch.js';
import { createBench } from './sync-store-bench.js';

const { driver, newPath } = await createBench();
const path = newPath();
createFolder(path);
const connection: SqlConnection = openDatabase(driver, { path }, (fresh) => insertState(fresh, 1));
// One object of a name, and two of another: they are looked for in different ways.
connection.exec("INSERT INTO objects (name, uid) VALUES (x'31', x'31'), (x'32', x'32'), (x'32', x'33')");

const planOf = (sql: string): string => {
  const values = sql.match(/\?/g)?.map((): SqlValue => null) ?? [];
  const rows = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
  return rows.map((row) => String(row['detail'])).join('\n');
};

/** The statements that a list runs. */
function statementsOf(more: Partial<StoredQuery>): string[] {
  const statements: string[] = [];
  const base: StoredQuery = {
    namespace: undefined,
    terms: [],
    at: 10,
    isLatest: true,
    after: undefined,
    limit: 10,
    newestFirst: false,
  };
  const recording: SqlConnection = {
    ...connection,
    prepare(sql) {
      statements.push(sql);
      return connection.prepare(sql);
    },
  };
  readStoredList(recording, { ...base, ...more });
  return statements;
}

const terms = [{ field: 'regarding.name', value: '1' }];
const several = [{ field: 'regarding.name', value: '2' }];
const byUid = [{ field: 'regarding.uid', value: '1' }];
const search = [{ field: 'reason', value: 'Started' }];
const namespace = 'default';
const snapshot = { isLatest: false };
const newestFirst = true;

describe('every statement finds its rows by an index', () => {
  const statements = { ...WRITE_STATEMENTS, ...OBJECT_STATEMENTS, ...HISTORY_STATEMENTS, ...FEED_STATEMENTS };
  test.each(Object.entries(statements).filter(([name]) => !['insert', 'create', 'add', 'last'].includes(name)))(
    'in the statement %s',
    (_name, sql) => {
      const plan = planOf(sql);
      expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
    },
  );

  const inOrder: [string, Partial<StoredQuery>][] = [
    ['all', {}],
    ['a namespace', { namespace }],
    ['all, by a term', { terms }],
    ['all, by a uid', { terms: byUid }],
    ['a namespace, by a term', { namespace, terms }],
    ['a search', { terms: search }],
    ['the newest', { newestFirst }],
    ['the newest of a namespace', { newestFirst, namespace }],
    ['a search of the newest', { newestFirst, terms: search }],
  ];
  test.each(inOrder)('in a list of %s, in its order', (_name, query) => {
    for (const sql of statementsOf(query)) {
      const plan = planOf(sql);
      expect(plan).toMatch(/USING (COVERING )?INDEX|USING INTEGER PRIMARY KEY/);
      expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
    }
  });

  const sorted: [string, Partial<StoredQuery>][] = [
    ['a snapshot', snapshot],
    ['a snapshot of a namespace', { ...snapshot, namespace }],
    ['a search of a snapshot', { ...snapshot, terms: search }],
    ['the newest, by a term', { newestFirst, terms }],
    ['all, by a term of several objects', { terms: several }],
    ['a snapshot, by a term of several objects', { ...snapshot, terms: several }],
    ['a snapshot of the newest', { ...snapshot, newestFirst }],
    ['a snapshot, by a term', { ...snapshot, terms }],
  ];
  test.each(sorted)('in a list of %s, sorting the few that are found', (_name, query) => {
    for (const sql of statementsOf(query)) expect(planOf(sql)).not.toMatch(/SCAN (?!page|json_each|\(subquery-\d\))/);
  });
});
