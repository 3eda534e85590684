import { describe, expect, test } from 'vitest';
import { encodeSidecar } from '../../../../src/store/sidecar/sidecar.js';
import type { SqlConnection } from '../../../../src/store/sqlite/driver.js';
import { createObjectNumbers } from '../../../../src/store/sqlite/objects.js';
import { createSchema } from '../../../../src/store/sqlite/schema.js';
import type { PutOperation } from '../../../../src/store/sqlite/write-batch.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';
import { createBench, names, outcomes, put, query, remove, START } from './sync-store-bench.js';

const { driver, newPath, open } = await createBench();
const oneHistory = 600_000_000;

/** An event about an object. */
function about(name: string, regarding: string, uid = `uid-${regarding}`, expected?: number): PutOperation {
  const { fields, ...event } = sampleEvent({ name, regarding });
  const sidecar = encodeSidecar({ ...event, fields: { ...fields, 'regarding.uid': uid } });
  return { ...put(name, { regarding }), expected, regardingUid: uid, sidecar };
}

const term = (field: string, value: string) => query({ terms: [{ field: `regarding.${field}`, value }] });

function inMemory(): SqlConnection {
  const connection = driver.open(':memory:');
  createSchema(connection);
  return connection;
}

function objectsIn(path: string): number {
  const connection = driver.open(path);
  const count = Number(connection.prepare('SELECT count(*) AS n FROM objects').get()?.['n']);
  connection.close();
  return count;
}

describe('the numbers of objects', () => {
  test('are unique for each pair of name and uid, whatever their boundary', () => {
    const numbers = createObjectNumbers(inMemory());
    const pairs = [['a', 'b'], ['ab', ''], ['', 'ab'], ['a', ''], ['', 'b'], ['ž', 'b']] as const; // prettier-ignore
    const first = pairs.map(([name, uid]) => numbers.numberOf(name, uid));
    expect(new Set(first).size).toBe(pairs.length);
    expect(pairs.map(([name, uid]) => numbers.numberOf(name, uid))).toEqual(first);
    expect(numbers.numberOf('a', undefined)).toBe(first[3]);
    expect(numbers.numberOf(undefined, undefined)).toBeNull();
  });

  test('are found again when they are not cached', () => {
    const connection = inMemory();
    const numbers = createObjectNumbers(connection);
    const given = Array.from({ length: 5000 }, (_, i) => numbers.numberOf(`pod-${i}`, undefined));
    expect(Array.from({ length: 5000 }, (_, i) => numbers.numberOf(`pod-${i}`, undefined))).toEqual(given);
    expect(createObjectNumbers(connection).numberOf('pod-7', undefined)).toBe(given[7]);
  });

  test.each(['\ud800', '\ufeffa'])('are forgotten with the row of an object, whatever its name: %j', (name) => {
    const numbers = createObjectNumbers(inMemory());
    const removed = numbers.numberOf(name, undefined);
    const other = numbers.numberOf('other', undefined);
    numbers.release([removed as number]);
    expect(numbers.numberOf(name, undefined)).toBe((other as number) + 1);
  });

  test('are dropped with the transaction that is rolled back', () => {
    const connection = inMemory();
    const numbers = createObjectNumbers(connection);
    connection.exec('BEGIN');
    const lost = numbers.numberOf('a', undefined);
    connection.exec('ROLLBACK');
    numbers.rolledBack();
    expect(numbers.numberOf('b', undefined)).toBe(lost);
    expect(numbers.numberOf('a', undefined)).not.toBe(lost);
  });
});

describe('objects', () => {
  test('are kept as long as an event or its history refers to them', () => {
    const path = newPath();
    const engine = open(path, { startAt: 1 });
    engine.write([about('a', 'web'), about('b', 'web'), about('c', 'db')], START);
    engine.write([remove('a'), remove('b')], START + 1);
    expect(objectsIn(path)).toBe(2);
    expect(names(engine.list({ ...term('name', 'web'), at: 4 }))).toEqual(['a', 'b']);
    engine.write([{ kind: 'prune', limit: 100 }], START + 1 + oneHistory);
    expect(objectsIn(path)).toBe(1);
    expect(outcomes(engine.write([about('d', 'web'), about('e', 'db')], START + 2 + oneHistory))).toHaveLength(2);
    expect(names(engine.list(term('name', 'web')))).toEqual(['d']);
    expect(names(engine.list(term('name', 'db')))).toEqual(['c', 'e']);
    engine.close();
  });

  test('are not left behind by a failed create', () => {
    const path = newPath();
    const engine = open(path);
    engine.write([about('a', 'web')], START);
    expect(outcomes(engine.write([about('b', 'web'), about('a', 'other')], START))[1]).toBe('exists');
    expect(outcomes(engine.write([about('a', 'other')], START))).toEqual(['exists']);
    expect(objectsIn(path)).toBe(1);
    engine.write([about('c', 'other')], START);
    expect(names(engine.list(term('name', 'other')))).toEqual(['c']);
    engine.close();
  });

  test('of one name are listed together, in every order and in a snapshot', () => {
    const engine = open(newPath(), { startAt: 1 });
    engine.write([about('c', 'db-0', 'one'), about('a', 'db-0', 'two'), about('b', 'db-0', 'one')], START);
    expect(names(engine.list(term('name', 'db-0')))).toEqual(['a', 'b', 'c']);
    expect(names(engine.list(term('uid', 'one')))).toEqual(['b', 'c']);
    expect(names(engine.list({ ...term('name', 'db-0'), newestFirst: true }))).toEqual(['b', 'a', 'c']);
    engine.write([remove('a'), about('b', 'db-0', 'three', 4)], START + 1);
    expect(names(engine.list(term('name', 'db-0')))).toEqual(['b', 'c']);
    expect(names(engine.list({ ...term('name', 'db-0'), at: 4 }))).toEqual(['a', 'b', 'c']);
    expect(names(engine.list({ ...term('uid', 'one'), at: 4, newestFirst: true }))).toEqual(['b', 'c']);
    expect(names(engine.list(term('uid', 'one')))).toEqual(['c']);
    expect(names(engine.list(term('name', 'nobody')))).toEqual([]);
    engine.close();
  });
});
