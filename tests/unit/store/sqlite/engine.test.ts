import { describe, expect, test } from 'vitest';
import type { WriteOperation } from '../../../../src/store/sqlite/write-batch.js';
import { bytes, createBench, failureOf, names, outcomes, put, query, remove, START, text } from './engine-bench.js';

const { driver, newPath, open } = await createBench();
const oneHistory = 600_000_000;

describe('a batch', () => {
  test('commits operations whose conditions hold, and fails the others alone', () => {
    const engine = open(newPath());
    const first = START + 1;
    const results = engine.write(
      [put('a'), put('a'), put('b'), remove('missing'), put('a', { expected: 5 }), remove('b')],
      START,
    );
    expect(outcomes(results)).toEqual([first, 'exists', first + 1, 'not-found', 'conflict', first + 2]);
    expect(names(engine.list(query()))).toEqual(['a']);
    expect(engine.revision()).toBe(first + 2);
    engine.close();
  });

  test('shows an operation the effects of those before it', () => {
    const engine = open(newPath());
    const created = START + 1;
    const results = engine.write(
      [put('a'), put('a', { expected: created }), remove('a', created + 1), put('a')],
      START,
    );
    expect(outcomes(results)).toEqual([created, created + 1, created + 2, created + 3]);
    expect(engine.changes(START).map(({ deleted, previous }) => [deleted, previous?.revision])).toEqual([
      [false, undefined],
      [false, created],
      [true, created + 1],
      [false, undefined],
    ]);
    engine.close();
  });

  test('that changes nothing uses no revision', () => {
    const path = newPath();
    const engine = open(path);
    engine.write([remove('a'), put('a', { expected: 1 })], START);
    expect(engine.revision()).toBe(START);
    engine.close();
  });
});

describe('revisions', () => {
  test('of a new file start at the clock, and rise to it whenever it is opened', () => {
    const path = newPath();
    const engine = open(path);
    engine.write([put('a')], START);
    engine.close();
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
    const engine = open(path, { startAt: 7 });
    expect(outcomes(engine.write([put('a')], START))).toEqual([8]);
    engine.close();
    const again = open(path, { startAt: 7 }, START + 1);
    expect(again.revision()).toBe(8);
    again.close();
  });

  test('end at the largest safe integer', () => {
    const engine = open(newPath(), { startAt: Number.MAX_SAFE_INTEGER - 1 });
    const results = engine.write([put('a'), put('b'), remove('a')], START);
    expect(outcomes(results)).toEqual([Number.MAX_SAFE_INTEGER, 'unavailable', 'unavailable']);
    expect(names(engine.list(query()))).toEqual(['a']);
    engine.close();
  });
});

describe('lists', () => {
  test('with terms examine a limited number of events at a time', () => {
    const engine = open(newPath());
    for (let i = 0; i < 9; i++) {
      engine.write(
        Array.from({ length: 500 }, (_, j) => put(`event-${String(i * 500 + j).padStart(5, '0')}`)),
        START,
      );
    }
    engine.write([put('x', { regarding: 'pod-2' })], START);
    const terms = [{ field: 'type', value: 'Warning' }];
    const first = engine.list(query({ terms }));
    expect([first.records.length, text(first.next?.key ?? bytes(''))]).toEqual([0, 'default/event-04095']);
    const rest = engine.list(query({ terms, after: { key: first.next?.key ?? bytes(''), revision: undefined } }));
    expect([rest.records.length, rest.next]).toEqual([0, undefined]);
    const indexed = [...terms, { field: 'regarding.name', value: 'pod-2' }];
    expect(engine.list(query({ terms: indexed })).next).toBeUndefined();
    const found = engine.list(query({ terms: [{ field: 'regarding.uid', value: 'uid-of-pod-2' }] }));
    expect([names(found), found.next]).toEqual([['x'], undefined]);
    engine.close();
  });

  test('at an expired or future revision are refused with the readable one', () => {
    const engine = open(newPath());
    expect(failureOf(() => engine.list(query({ at: START + 1 })))).toMatchObject({
      code: 'future-revision',
      current: START,
    });
    expect(failureOf(() => engine.list(query({ at: START - 1 })))).toMatchObject({ code: 'expired', current: START });
    expect(failureOf(() => engine.changes(START - 1))).toMatchObject({ code: 'expired', current: START });
    engine.close();
  });
});

describe('history', () => {
  test('is dropped when its time is over, in steps, and never before', () => {
    const engine = open(newPath(), { startAt: 1 });
    engine.write([put('a'), put('b'), put('c')], START);
    engine.write([remove('a'), remove('b'), remove('c')], START + 1);
    expect(engine.nextDue()).toBe(START + 1 + oneHistory);
    expect(outcomes(engine.write([{ kind: 'prune', limit: 100 }], START + oneHistory))).toEqual([0]);
    expect(names(engine.list(query({ at: 4 })))).toEqual(['a', 'b', 'c']);
    const due = START + 1 + oneHistory;
    expect(outcomes(engine.write([{ kind: 'prune', limit: 1 }], due))[0]).toBe(1);
    expect(failureOf(() => engine.list(query({ at: 4 })))).toMatchObject({ code: 'expired' });
    for (let i = 0; i < 5; i++) engine.write([{ kind: 'prune', limit: 2 }], due);
    expect(engine.nextDue()).toBeUndefined();
    expect(names(engine.list(query({ at: 7 })))).toEqual([]);
    engine.close();
  });

  test('is limited in bytes', () => {
    const engine = open(newPath(), { startAt: 1, historyMaxBytes: 100_000 });
    let expected = outcomes(engine.write([put('a', { size: 1000 })], START))[0] as number;
    for (let i = 0; i < 300; i++) {
      expected = outcomes(engine.write([put('a', { size: 1000, expected })], START))[0] as number;
    }
    expect(failureOf(() => engine.changes(100))).toMatchObject({ code: 'expired' });
    expect(engine.changes(expected - 20)).toHaveLength(20);
    engine.close();
  });

  test('has times that do not go backwards with the clock', () => {
    const engine = open(newPath(), { startAt: 1 });
    engine.write([put('a'), put('b')], START);
    engine.write([remove('a')], START + 1000);
    engine.write([remove('b')], START - 9_000_000_000);
    expect(outcomes(engine.write([{ kind: 'prune', limit: 100 }], START + oneHistory))).toEqual([0]);
    expect(engine.changes(1)).toHaveLength(4);
    engine.close();
  });

  test('survives a restart, with its oldest revision', () => {
    const path = newPath();
    const engine = open(path, { startAt: 1 });
    engine.write([put('a'), put('b')], START);
    engine.write([remove('a')], START);
    engine.write([{ kind: 'prune', limit: 100 }], START + oneHistory);
    engine.close();
    const again = open(path, { startAt: 1 });
    expect(failureOf(() => again.changes(3))).toMatchObject({ code: 'expired', current: 4 });
    expect(again.changes(4)).toEqual([]);
    again.close();
  });
});

describe('a page of changes', () => {
  test('is limited in number and in bytes, and has one change at least', () => {
    const engine = open(newPath(), { startAt: 1 });
    engine.write(
      Array.from({ length: 400 }, (_, i) => put(`small-${i}`)),
      START,
    );
    expect(engine.changes(1)).toHaveLength(256);
    engine.write([put('large', { size: 3_000_000 }), put('larger', { size: 3_000_000 })], START);
    const after = engine.revision() - 2;
    expect(engine.changes(after)).toHaveLength(1);
    expect(engine.changes(after + 1)).toHaveLength(1);
    engine.close();
  });
});

describe('expiry', () => {
  const at = (expiresAt: number, more: { expected?: number } = {}) => put('a', { expiresAt, ...more });

  test('does not take an event that was replaced by one that expires later', () => {
    const engine = open(newPath(), { startAt: 1 });
    engine.write([at(START + 10)], START);
    engine.write([at(START + 20, { expected: 2 })], START);
    const expire = (dueAt: number): WriteOperation => ({ kind: 'expire', dueAt, limit: 10 });
    expect(outcomes(engine.write([expire(START + 10)], START))).toEqual([0]);
    expect(engine.revision()).toBe(3);
    expect(outcomes(engine.write([expire(START + 20)], START))).toEqual([1]);
    expect(names(engine.list(query()))).toEqual([]);
    engine.close();
  });

  test('gets past any number of events that were replaced, a bounded number with each operation', () => {
    const engine = open(newPath(), { startAt: 1 });
    let expected = outcomes(engine.write([at(START)], START))[0] as number;
    for (let i = 1; i <= 60; i++) {
      const result = outcomes(engine.write([at(START + i, { expected }), put(`other-${i}`)], START));
      expected = result[0] as number;
    }
    const expired: unknown[] = [];
    for (let i = 0; i < 8; i++) {
      expired.push(...outcomes(engine.write([{ kind: 'expire', dueAt: START + 60, limit: 1 }], START)));
    }
    expect(expired).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    engine.close();
  });

  test('leaves nothing behind when replaced events are pruned before they are due', () => {
    const path = newPath();
    const engine = open(path, { startAt: 1 });
    engine.write([at(START + 50 * oneHistory)], START);
    engine.write([at(START + 60 * oneHistory, { expected: 2 })], START);
    engine.write([{ kind: 'prune', limit: 10 }], START + oneHistory);
    engine.close();
    const file = driver.open(path);
    expect(file.prepare('SELECT expires_at FROM expiries').all()).toEqual([{ expires_at: START + 60 * oneHistory }]);
    file.close();
  });
});
