import { describe, expect, test } from 'vitest';
import { fakeClock } from '../../../src/testing/fake-clock.js';

describe('fakeClock', () => {
  test('stands still until it is moved, and moves both clocks', () => {
    const clock = fakeClock({ now: 1_000_000 });
    expect([clock.now(), clock.monotonic()]).toEqual([1_000_000, 0]);
    clock.advance(2.5);
    expect([clock.now(), clock.monotonic()]).toEqual([1_002_500, 2.5]);
  });

  test('moves only the wall clock with setNow', () => {
    const clock = fakeClock();
    clock.setNow(42);
    expect([clock.now(), clock.monotonic()]).toEqual([42, 0]);
  });

  test('fires timers in order, at their time, including those set by timers', () => {
    const clock = fakeClock({ now: 0 });
    const seen: [string, number][] = [];
    const note = (name: string) => () => void seen.push([name, clock.monotonic()]);
    clock.setTimer(note('b'), 20);
    clock.setTimer(note('a'), 10);
    clock.setTimer(() => clock.setTimer(note('c'), 5), 20);
    clock.setTimer(note('late'), 26);
    clock.setTimer(note('cancelled'), 5).cancel();
    clock.advance(25);
    expect(seen).toEqual([
      ['a', 10],
      ['b', 20],
      ['c', 25],
    ]);
    clock.advance(0);
    expect(seen).toHaveLength(3);
  });

  test('refuses to go back', () => {
    expect(() => fakeClock().advance(-1)).toThrow(TypeError);
  });
});
