import { expect, test } from 'vitest';
import { nextTurn } from '../../../../src/clock/clock.js';
import type { Watcher } from '../../../../src/store/watch/watcher.js';
import { createWakeUpBatches } from '../../../../src/store/watch/wake-up-batches.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

/** Watchers that only count how often they were woken. */
function watchers(count: number): { readonly all: Set<Watcher>; readonly woken: number[] } {
  const woken = Array.from({ length: count }, () => 0);
  const all = woken.map((_, index) => ({ wake: () => void woken[index]!++ }) as unknown as Watcher);
  return { all: new Set(all), woken };
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

test('few watchers are woken synchronously', () => {
  const { all, woken } = watchers(10);
  const wakeUps = createWakeUpBatches(all, fakeClock(), () => undefined);
  wakeUps.wake();
  wakeUps.wake();
  expect(woken).toEqual(woken.map(() => 2));
});

test('many watchers are woken over several turns of the event loop, each once', async () => {
  const { all, woken } = watchers(100);
  createWakeUpBatches(all, fakeClock(), () => undefined).wake();
  const first = sum(woken);
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(50);
  await nextTurn();
  expect(sum(woken)).toBeGreaterThan(first);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(woken).toEqual(woken.map(() => 1));
});

test('the callback runs before each batch of watchers', async () => {
  const order: string[] = [];
  const all = range(40).map((index) => ({ wake: () => void order.push(`${index}`) }) as unknown as Watcher);
  createWakeUpBatches(new Set(all), fakeClock(), () => order.push('turn')).wake();
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  const turns = order.join(' ').split('turn').slice(1);
  expect(turns.length).toBeGreaterThan(2);
  expect(turns.flatMap((group) => group.trim().split(' '))).toEqual(range(40).map(String));
});

test('a change during a pass starts another pass over all watchers after a pause', async () => {
  const { all, woken } = watchers(250);
  const clock = fakeClock();
  const wakeUps = createWakeUpBatches(all, clock, () => undefined);
  const finish = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await nextTurn();
  };
  wakeUps.wake();
  wakeUps.wake();
  wakeUps.wake();
  await finish();
  expect(woken).toEqual(woken.map(() => 1));
  clock.advance(4);
  await finish();
  expect(woken).toEqual(woken.map(() => 2));
  // Nothing came during the second pass.
  clock.advance(4);
  await finish();
  expect(woken).toEqual(woken.map(() => 2));
  // After a time without a pass there is nothing to wait for.
  wakeUps.wake();
  expect(woken[0]).toBe(3);
});

test('a pass that is due is cancelled by close', async () => {
  const { all, woken } = watchers(250);
  const clock = fakeClock();
  const wakeUps = createWakeUpBatches(all, clock, () => undefined);
  wakeUps.wake();
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  wakeUps.wake();
  wakeUps.close();
  clock.advance(1000);
  expect(woken).toEqual(woken.map(() => 1));
});

test('a watcher that leaves during a pass does not stop it', async () => {
  const { all, woken } = watchers(100);
  createWakeUpBatches(all, fakeClock(), () => undefined).wake();
  const [first] = all;
  all.delete(first as Watcher);
  for (const watcher of [...all].slice(60, 70)) all.delete(watcher);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(sum(woken)).toBe(90);
});

test('one pass follows a pause, however many changes come during it', async () => {
  const { all, woken } = watchers(250);
  const clock = fakeClock();
  const wakeUps = createWakeUpBatches(all, clock, () => undefined);
  const finish = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await nextTurn();
  };
  wakeUps.wake();
  await finish();
  for (let wakes = 0; wakes < 5; wakes++) wakeUps.wake();
  expect(woken).toEqual(woken.map(() => 1));
  for (let pauses = 0; pauses < 5; pauses++) {
    clock.advance(4);
    await finish();
  }
  expect(woken).toEqual(woken.map(() => 2));
});

test.each([
  [249, 2],
  [250, 1],
])('%i watchers have been woken %i times after two changes in quick succession', async (count, times) => {
  const { all, woken } = watchers(count);
  const wakeUps = createWakeUpBatches(all, fakeClock(), () => undefined);
  wakeUps.wake();
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  wakeUps.wake();
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(woken).toEqual(woken.map(() => times));
});

test('watchers that take long are woken in smaller batches', async () => {
  const clock = fakeClock();
  let woken = 0;
  const all = range(16).map(() => ({ wake: () => void (woken++, clock.advance(3)) }) as unknown as Watcher);
  createWakeUpBatches(new Set(all), clock, () => undefined).wake();
  expect(woken).toBe(2);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  expect(woken).toBe(16);
});
