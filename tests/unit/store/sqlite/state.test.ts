import { expect, test } from 'vitest';
import { timeOf } from '../../../../src/store/sqlite/state.js';
import { createBench, outcomes, put, remove, START } from './sync-store-bench.js';

const { newPath, open } = await createBench();
const YEAR = 31_557_600_000_000;
const HISTORY = 600_000_000;

test('history is dropped in time again after the clock was a year ahead for a moment', () => {
  const path = newPath();
  const engine = open(path);
  engine.write([put('a')], START + YEAR);
  engine.write([remove('a')], START + YEAR + 1);
  const removed = START + 1_500_000;
  engine.write([put('b')], removed);
  engine.write([remove('b')], removed + 1);
  expect(engine.nextDue()).toBeLessThanOrEqual(removed + HISTORY + 2);
  engine.close();
  const again = open(path, {}, removed + 2);
  expect(outcomes(again.write([{ kind: 'prune', limit: 100 }], removed + HISTORY - 10))).toEqual([0]);
  expect(outcomes(again.write([{ kind: 'prune', limit: 100 }], removed + HISTORY + 10))).toEqual([2]);
  expect(again.nextDue()).toBeUndefined();
  again.close();
});

test('history of an older version with a time in the future is dropped in time as well', () => {
  const path = newPath();
  const engine = open(path);
  engine.write([put('a')], START + YEAR);
  engine.write([remove('a')], START + YEAR);
  engine.close();
  const again = open(path, {}, START);
  again.write([put('b')], START);
  expect(again.nextDue()).toBeLessThanOrEqual(START + HISTORY);
  again.close();
});

test("history's time never falls, follows the monotonic clock, and is the wall clock's again when that has recovered", () => {
  let state = { lastAt: 1000e6, ahead: 0 } as Parameters<typeof timeOf>[0];
  const at = (wall: number): number => {
    state = { ...state, ...timeOf(state, wall) };
    return state.lastAt;
  };
  expect(at(400e6)).toBe(1000e6);
  expect(at(500e6)).toBe(1100e6);
  expect(at(1100e6)).toBe(1100e6);
  expect(state.ahead).toBe(0);
  expect(at(1300e6)).toBe(1300e6);
  expect(at(1290e6)).toBe(1300e6);
});
