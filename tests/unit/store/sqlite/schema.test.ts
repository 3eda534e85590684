import { expect, test } from 'vitest';
import { createFolder } from '../../../../src/store/sqlite/open-database.js';
import { readMarkerFile } from '../../../../src/store/sqlite/marker-file.js';
import { APPLICATION_ID, migrate, MIGRATIONS } from '../../../../src/store/sqlite/schema.js';
import { insertState } from '../../../../src/store/sqlite/state.js';
import { createBench, failureOf, names, outcomes, put, query, START } from './engine-bench.js';

const { driver, newPath, open } = await createBench();
const oneHistory = 600_000_000;

/**
 * A file as the third schema had it: b was replaced by revision 5, c deleted by 6; the version of d that revision 4 ended is
 * pruned, its deletion is not.
 */
function olderFile(): string {
  const path = newPath();
  createFolder(path);
  const file = driver.open(path);
  migrate(file, 0, MIGRATIONS.slice(0, 3));
  file.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  insertState(file, 1);
  file.exec(`UPDATE state SET latest = 6, floor = 4, last_at = ${START}, history_bytes = 3000`);
  file.exec(`INSERT INTO objects VALUES (1, x'${Buffer.from('web').toString('hex')}', x'')`);
  const insert = file.prepare('INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const row = (rev: number, previous: number | null, ended: number | null, name: string, deleted = false): void => {
    const { key, description, data } = put(name, { regarding: 'web' });
    const namespace = new TextEncoder().encode('default');
    const content = deleted ? ([null, null] as const) : ([description, data] as const);
    const expiresAt = START + rev;
    insert.run(rev, previous, ended, ended && START, expiresAt, deleted ? null : 1, key, namespace, ...content);
  };
  row(1, null, null, 'a');
  row(2, null, 5, 'b');
  row(3, null, 6, 'c');
  row(4, 0, 4, 'd', true);
  row(5, 2, null, 'b');
  row(6, 3, 6, 'c', true);
  file.close();
  readMarkerFile(path).begin([0], 6);
  return path;
}

test('a file of the third schema is migrated with its events and its history', () => {
  const path = olderFile();
  const engine = open(path, { startAt: 1 });
  const web = { terms: [{ field: 'regarding.name', value: 'web' }] };
  for (const more of [{}, web]) {
    expect(names(engine.list(query({ ...more, at: 4 })))).toEqual(['a', 'b', 'c']);
    expect(names(engine.list(query({ ...more, at: 5 })))).toEqual(['a', 'b', 'c']);
    expect(names(engine.list(query(more)))).toEqual(['a', 'b']);
    expect(names(engine.list(query({ ...more, at: 4, newestFirst: true })))).toEqual(['c', 'b', 'a']);
    expect(names(engine.list(query({ ...more, newestFirst: true })))).toEqual(['b', 'a']);
  }
  expect(
    engine.changes(4).map(({ deleted, record, previous }) => [deleted, record.revision, previous?.revision]),
  ).toEqual([
    [false, 5, 2],
    [true, 6, 3],
  ]);
  expect(outcomes(engine.write([{ kind: 'expire', dueAt: START + 5, limit: 10 }], START))).toEqual([2]);
  expect(outcomes(engine.write([{ kind: 'prune', limit: 100 }], START + oneHistory))).toEqual([5]);
  expect(engine.nextDue()).toBeUndefined();
  expect(failureOf(() => engine.list(query({ at: 5 })))).toMatchObject({ code: 'expired' });
  engine.close();
  const file = driver.open(path);
  const count = (table: string): unknown => file.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'];
  const tables = ['versions', 'current_events', 'ended_versions', 'expiries', 'objects'];
  expect(tables.map((table) => [table, count(table)])).toEqual(tables.map((table) => [table, 0]));
  file.close();
});
