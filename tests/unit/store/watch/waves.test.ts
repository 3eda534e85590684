import { expect, test } from 'vitest';
import { nextTurn } from '../../../../src/clock/next-turn.js';
import type { HubWatcher } from '../../../../src/store/watch/watcher.js';
import { createWaves } from '../../../../src/store/watch/waves.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

/** Watchers that only count how often they were woken. */
function watchers(count: number): { readonly all: Set<HubWatcher>; readonly woken: number[] } {
  const woken = Array.from({ length: count }, () => 0);
  const all = woken.map((_, index) => ({ wake: () => void woken[index]!++ }) as unknown as HubWatcher);
  return { all: new Set(all), woken };
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

test('few watchers are woken at once', () => {
  const { all, woken } = watchers(10);
  const waves = createWaves(all, fakeClock(), () => undefined);
  waves.wake();
  waves.wake();
  expect(woken).toEqual(woken.map(() => 2));
});

test('many are woken over several turns, each once', async () => {
  const { all, woken } = watchers(100);
  createWaves(all, fakeClock(), () => undefined).wake();
  const first = sum(woken);
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(50);
  await nextTurn();
  expect(sum(woken)).toBeGreaterThan(first);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(woken).toEqual(woken.map(() => 1));
});

test('each group is announced', async () => {
  const order: string[] = [];
  const all = range(40).map((index) => ({ wake: () => void order.push(`${index}`) }) as unknown as HubWatcher);
  createWaves(new Set(all), fakeClock(), () => order.push('turn')).wake();
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  const turns = order.join(' ').split('turn').slice(1);
  expect(turns.length).toBeGreaterThan(2);
  expect(turns.flatMap((group) => group.trim().split(' '))).toEqual(range(40).map(String));
});

test('what is new while a wave is on its way makes another one, which all have after a pause', async () => {
  const { all, woken } = watchers(200);
  const clock = fakeClock();
  const waves = createWaves(all, clock, () => undefined);
  const finish = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await nextTurn();
  };
  waves.wake();
  waves.wake();
  waves.wake();
  await finish();
  expect(woken).toEqual(woken.map(() => 1));
  clock.advance(4);
  await finish();
  expect(woken).toEqual(woken.map(() => 2));
  // After a time without waves there is nothing to wait for.
  clock.advance(4);
  waves.wake();
  expect(woken[0]).toBe(3);
});

test('a wave that waits does not begin after the end', async () => {
  const { all, woken } = watchers(200);
  const clock = fakeClock();
  const waves = createWaves(all, clock, () => undefined);
  waves.wake();
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  waves.wake();
  waves.close();
  clock.advance(1000);
  expect(woken).toEqual(woken.map(() => 1));
});

test('a watcher that leaves during a wave ends nothing', async () => {
  const { all, woken } = watchers(100);
  createWaves(all, fakeClock(), () => undefined).wake();
  const [first] = all;
  all.delete(first as HubWatcher);
  for (const watcher of [...all].slice(60, 70)) all.delete(watcher);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(sum(woken)).toBe(90);
});
