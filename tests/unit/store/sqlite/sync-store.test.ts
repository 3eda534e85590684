import { describe, expect, test } from 'vitest';
import type { LoadedDriver, SqlConnection, SqlValue } from '../../../../src/store/sqlite/driver.js';
import { openSyncStore } from '../../../../src/store/sqlite/sync-store.js';
import { textOf } from '../../../../src/store/sqlite/stored.js';
import type { WriteOperation } from '../../../../src/store/sqlite/write-batch.js';
import { createBench, failureOf, names, outcomes, put, query, remove, START } from './sync-store-bench.js';

const { driver, newPath, open } = await createBench();
const oneHistory = 600_000_000;

describe('a batch', () => {
  test('commits operations whose conditions hold, and fails the others alone', () => {
    const store = open(newPath());
    const first = START + 1;
    const results = store.write(
      [put('a'), put('a'), put('b'), remove('missing'), put('a', { expected: 5 }), remove('b')],
      START,
    );
    expect(outcomes(results)).toEqual([first, 'exists', first + 1, 'not-found', 'conflict', first + 2]);
    expect(names(store.list(query()))).toEqual(['a']);
    expect(store.revision()).toBe(first + 2);
    store.close();
  });

  test('shows an operation the effects of those before it', () => {
    const store = open(newPath());
    const created = START + 1;
    const results = store.write([put('a'), put('a', { expected: created }), remove('a', created + 1), put('a')], START);
    expect(outcomes(results)).toEqual([created, created + 1, created + 2, created + 3]);
    expect(store.changes(START).map(({ deleted, previous }) => [deleted, previous?.revision])).toEqual([
      [false, undefined],
      [false, created],
      [true, created + 1],
      [false, undefined],
    ]);
    store.close();
  });

  test('that changes nothing uses no revision', () => {
    const path = newPath();
    const store = open(path);
    store.write([remove('a'), put('a', { expected: 1 })], START);
    expect(store.revision()).toBe(START);
    store.close();
  });
});

describe('revisions', () => {
  test('of a new file start at the clock, and rise to it whenever it is opened', () => {
    const path = newPath();
    const store = open(path);
    store.write([put('a')], START);
    store.close();
    const again = open(path, {}, START + 5_000_000);
    expect(again.revision()).toBe(START + 5_000_000);
    expect(outcomes(again.write([put('b')], START))).toEqual([START + 5_000_001]);
    again.close();
    const backwards = open(path, {}, START - 5_000_000);
    expect(backwards.revision()).toBe(START + 5_000_001);
    backwards.close();
  });

  test('start at startAt, and then ignore the clock', () => {
    const path = newPath();
    const store = open(path, { startAt: 7 });
    expect(outcomes(store.write([put('a')], START))).toEqual([8]);
    store.close();
    const again = open(path, { startAt: 7 }, START + 1);
    expect(again.revision()).toBe(8);
    again.close();
  });

  test('end at the largest safe integer', () => {
    const store = open(newPath(), { startAt: Number.MAX_SAFE_INTEGER - 1 });
    const results = store.write([put('a'), put('b'), remove('a')], START);
    expect(outcomes(results)).toEqual([Number.MAX_SAFE_INTEGER, 'unavailable', 'unavailable']);
    expect(names(store.list(query()))).toEqual(['a']);
    store.close();
  });
});

describe('lists', () => {
  test('have the events of a page in one buffer, which arrives in the service as one', () => {
    const store = open(newPath());
    store.write([put('a', { note: 'first' }), put('b', { note: 'second' }), put('c')], START);
    for (const terms of [[], [{ field: 'type', value: 'Normal' }]]) {
      const { records } = store.list(query({ terms, limit: 2 }));
      const stored = ['a', 'b'].map((name) => store.get(`default/${name}`)?.data);
      expect(records.map(({ data }) => textOf(data))).toEqual(stored.map(textOf));
      const memory = records[0]?.data.buffer;
      expect(records[1]?.data.buffer).toBe(memory);
      expect(memory?.byteLength).toBe(records.reduce((sum, { data }) => sum + data.byteLength, 0));
    }
    store.close();
  });

  test('with terms examine a limited number of events at a time', () => {
    const store = open(newPath());
    for (let i = 0; i < 9; i++) {
      store.write(
        Array.from({ length: 500 }, (_, j) => put(`event-${String(i * 500 + j).padStart(5, '0')}`)),
        START,
      );
    }
    store.write([put('x', { regarding: 'pod-2' })], START);
    const terms = [{ field: 'type', value: 'Warning' }];
    const first = store.list(query({ terms }));
    expect([first.records.length, first.next?.key]).toEqual([0, 'default/event-04095']);
    const rest = store.list(query({ terms, after: { key: first.next?.key ?? '', revision: undefined } }));
    expect([rest.records.length, rest.next]).toEqual([0, undefined]);
    const indexed = [...terms, { field: 'regarding.name', value: 'pod-2' }];
    expect(store.list(query({ terms: indexed })).next).toBeUndefined();
    const found = store.list(query({ terms: [{ field: 'regarding.uid', value: 'uid-of-pod-2' }] }));
    expect([names(found), found.next]).toEqual([['x'], undefined]);
    store.close();
  });

  test('of the past look once for the versions that ended since, and again only to count what remains', () => {
    let reads = 0;
    const counting: LoadedDriver = {
      ...driver,
      open(path) {
        const connection = driver.open(path);
        const prepare: SqlConnection['prepare'] = (sql) => {
          const statement = connection.prepare(sql);
          if (!sql.startsWith('SELECT') || !sql.includes('ended_versions')) return statement;
          const counted = <T>(read: (...values: readonly SqlValue[]) => T) => {
            return (...values: readonly SqlValue[]): T => ((reads += 1), read(...values));
          };
          return { ...statement, get: counted(statement.get), all: counted(statement.all) };
        };
        return { ...connection, prepare };
      },
    };
    const store = openSyncStore(counting, { path: newPath() }, START);
    store.write(
      Array.from({ length: 600 }, (_, i) => put(`event-${i + 100}`)),
      START,
    );
    const at = store.revision();
    store.write([put('event-100', { expected: START + 1, note: 'later' }), remove('event-101')], START);
    reads = 0;
    const search = store.list(query({ at, terms: [{ field: 'type', value: 'Warning' }] }));
    expect([search.records, search.next, reads]).toEqual([[], undefined, 1]);
    reads = 0;
    const page = store.list(query({ at, limit: 2 }));
    expect([names(page), page.remaining, reads]).toEqual([['event-100', 'event-101'], 598, 2]);
    expect(page.records.map(({ revision }) => revision)).toEqual([START + 1, START + 2]);
    store.close();
  });

  test('at an expired or future revision are refused with the readable one', () => {
    const store = open(newPath());
    expect(failureOf(() => store.list(query({ at: START + 1 })))).toMatchObject({
      code: 'future-revision',
      current: START,
    });
    expect(failureOf(() => store.list(query({ at: START - 1 })))).toMatchObject({ code: 'expired', current: START });
    expect(failureOf(() => store.changes(START - 1))).toMatchObject({ code: 'expired', current: START });
    store.close();
  });
});

describe('history', () => {
  test('is dropped when its time is over, in steps, and never before', () => {
    const store = open(newPath(), { startAt: 1 });
    store.write([put('a'), put('b'), put('c')], START);
    store.write([remove('a'), remove('b'), remove('c')], START + 1);
    expect(store.nextDue()).toBe(START + 1 + oneHistory);
    expect(outcomes(store.write([{ kind: 'prune', limit: 100 }], START + oneHistory))).toEqual([0]);
    expect(names(store.list(query({ at: 4 })))).toEqual(['a', 'b', 'c']);
    const due = START + 1 + oneHistory;
    expect(outcomes(store.write([{ kind: 'prune', limit: 1 }], due))[0]).toBe(1);
    expect(failureOf(() => store.list(query({ at: 4 })))).toMatchObject({ code: 'expired' });
    for (let i = 0; i < 5; i++) store.write([{ kind: 'prune', limit: 2 }], due);
    expect(store.nextDue()).toBeUndefined();
    expect(names(store.list(query({ at: 7 })))).toEqual([]);
    store.close();
  });

  test('is limited in bytes', () => {
    const store = open(newPath(), { startAt: 1, historyMaxBytes: 100_000 });
    let expected = outcomes(store.write([put('a', { size: 1000 })], START))[0] as number;
    for (let i = 0; i < 300; i++) {
      expected = outcomes(store.write([put('a', { size: 1000, expected })], START))[0] as number;
    }
    expect(failureOf(() => store.changes(100))).toMatchObject({ code: 'expired' });
    expect(store.changes(expected - 20)).toHaveLength(20);
    store.close();
  });

  test('has times that do not go backwards with the clock', () => {
    const store = open(newPath(), { startAt: 1 });
    store.write([put('a'), put('b')], START);
    store.write([remove('a')], START + 1000);
    store.write([remove('b')], START - 9_000_000_000);
    expect(outcomes(store.write([{ kind: 'prune', limit: 100 }], START + oneHistory))).toEqual([0]);
    expect(store.changes(1)).toHaveLength(4);
    store.close();
  });

  test('survives a restart, with its oldest revision', () => {
    const path = newPath();
    const store = open(path, { startAt: 1 });
    store.write([put('a'), put('b')], START);
    store.write([remove('a')], START);
    store.write([{ kind: 'prune', limit: 100 }], START + oneHistory);
    store.close();
    const again = open(path, { startAt: 1 });
    expect(failureOf(() => again.changes(3))).toMatchObject({ code: 'expired', current: 4 });
    expect(again.changes(4)).toEqual([]);
    again.close();
  });
});

describe('a page of changes', () => {
  test('is limited in number and in bytes, and has one change at least', () => {
    const store = open(newPath(), { startAt: 1 });
    store.write(
      Array.from({ length: 400 }, (_, i) => put(`small-${i}`)),
      START,
    );
    expect(store.changes(1)).toHaveLength(256);
    store.write([put('large', { size: 3_000_000 }), put('larger', { size: 3_000_000 })], START);
    const after = store.revision() - 2;
    expect(store.changes(after)).toHaveLength(1);
    expect(store.changes(after + 1)).toHaveLength(1);
    store.close();
  });
});

describe('expiry', () => {
  const at = (expiresAt: number, more: { expected?: number } = {}) => put('a', { expiresAt, ...more });

  test('does not take an event that was replaced by one that expires later', () => {
    const store = open(newPath(), { startAt: 1 });
    store.write([at(START + 10)], START);
    store.write([at(START + 20, { expected: 2 })], START);
    const expire = (dueAt: number): WriteOperation => ({ kind: 'expire', dueAt, limit: 10 });
    expect(outcomes(store.write([expire(START + 10)], START))).toEqual([0]);
    expect(store.revision()).toBe(3);
    expect(outcomes(store.write([expire(START + 20)], START))).toEqual([1]);
    expect(names(store.list(query()))).toEqual([]);
    store.close();
  });

  test('is recorded for each event that a batch writes and does not remove, also within the batch', () => {
    const path = newPath();
    const store = open(path, { startAt: 1 });
    const due = (name: string, seconds: number) => put(name, { expiresAt: START + seconds });
    const results = store.write(
      [
        due('a', 1),
        due('a', 2),
        remove('a'),
        due('b', 3),
        { kind: 'expire', dueAt: START + 3, limit: 10 },
        due('c', 4),
        due('d', 5),
      ],
      START,
    );
    expect(outcomes(results)).toEqual([2, 'exists', 3, 4, 1, 6, 7]);
    store.close();
    const file = driver.open(path);
    const rows = file.prepare('SELECT expires_at AS at, rev FROM expiries').all();
    expect(rows).toEqual([
      { at: START + 4, rev: 6 },
      { at: START + 5, rev: 7 },
    ]);
    file.close();
  });

  test('gets past any number of events that were replaced, a bounded number with each operation', () => {
    const store = open(newPath(), { startAt: 1 });
    let expected = outcomes(store.write([at(START)], START))[0] as number;
    for (let i = 1; i <= 60; i++) {
      const result = outcomes(store.write([at(START + i, { expected }), put(`other-${i}`)], START));
      expected = result[0] as number;
    }
    const expired: unknown[] = [];
    for (let i = 0; i < 8; i++) {
      expired.push(...outcomes(store.write([{ kind: 'expire', dueAt: START + 60, limit: 1 }], START)));
    }
    expect(expired).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    store.close();
  });

  test('leaves nothing behind when replaced events are pruned before they are due', () => {
    const path = newPath();
    const store = open(path, { startAt: 1 });
    store.write([at(START + 50 * oneHistory)], START);
    store.write([at(START + 60 * oneHistory, { expected: 2 })], START);
    store.write([{ kind: 'prune', limit: 10 }], START + oneHistory);
    store.close();
    const file = driver.open(path);
    expect(file.prepare('SELECT expires_at FROM expiries').all()).toEqual([{ expires_at: START + 60 * oneHistory }]);
    file.close();
  });
});
