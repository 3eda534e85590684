import { expect, test } from 'vitest';
import { nextTurn } from '../../../../src/store/next-turn.js';
import type { HubWatcher } from '../../../../src/store/watch/watcher.js';
import { createWaves } from '../../../../src/store/watch/waves.js';

/** Watchers that only count how often they were woken. */
function watchers(count: number): { readonly all: Set<HubWatcher>; readonly woken: number[] } {
  const woken = Array.from({ length: count }, () => 0);
  const all = woken.map((_, index) => ({ wake: () => void woken[index]!++ }) as unknown as HubWatcher);
  return { all: new Set(all), woken };
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

test('few watchers are woken at once', () => {
  const { all, woken } = watchers(10);
  const waves = createWaves(all);
  waves.wake();
  waves.wake();
  expect(woken).toEqual(woken.map(() => 2));
});

test('many are woken over several turns, each once', async () => {
  const { all, woken } = watchers(100);
  createWaves(all).wake();
  const first = sum(woken);
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(50);
  await nextTurn();
  expect(sum(woken)).toBeGreaterThan(first);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(woken).toEqual(woken.map(() => 1));
});

test('what is new while a wave is on its way is told to those it has passed', async () => {
  const { all, woken } = watchers(100);
  const waves = createWaves(all);
  waves.wake();
  waves.wake();
  waves.wake();
  for (let turn = 0; turn < 40; turn++) await nextTurn();
  expect(Math.min(...woken)).toBe(2);
  expect(Math.max(...woken)).toBe(2);
});

test('a watcher that leaves during a wave ends nothing', async () => {
  const { all, woken } = watchers(100);
  createWaves(all).wake();
  const [first] = all;
  all.delete(first as HubWatcher);
  for (const watcher of [...all].slice(60, 70)) all.delete(watcher);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(sum(woken)).toBe(90);
});
