import { expect, test } from 'vitest';
import { createTicker } from '../../../src/events/ticker.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';
import { settled } from './bench.js';

function gate<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: Error) => void } {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

test('what is there already comes before a tick', async () => {
  const ticker = createTicker(fakeClock(), 10);
  expect(await ticker.orTick(Promise.resolve('value'))).toBe('value');
});

test('a tick interrupts the wait, which can be taken up again', async () => {
  const clock = fakeClock();
  const ticker = createTicker(clock, 10);
  const { promise, resolve } = gate<string>();
  for (let round = 0; round < 3; round++) {
    const outcome = ticker.orTick(promise);
    await settled();
    clock.advance(10);
    expect(await outcome).toBeUndefined();
  }
  const outcome = ticker.orTick(promise);
  resolve('value');
  expect(await outcome).toBe('value');
});

test('ticks that nobody waited for are one tick', async () => {
  const clock = fakeClock();
  const ticker = createTicker(clock, 10);
  clock.advance(1000);
  const { promise, resolve } = gate<string>();
  expect(await ticker.orTick(promise)).toBeUndefined();
  const outcome = ticker.orTick(promise);
  await settled();
  resolve('value');
  expect(await outcome).toBe('value');
});

test('a failure comes through, also one that happened during a tick', async () => {
  const clock = fakeClock();
  const ticker = createTicker(clock, 10);
  const { promise, reject } = gate<string>();
  const outcome = ticker.orTick(promise);
  reject(new Error('broken'));
  await expect(outcome).rejects.toThrow('broken');
  const later = gate<string>();
  const second = ticker.orTick(later.promise);
  clock.advance(10);
  expect(await second).toBeUndefined();
  later.reject(new Error('broken'));
  await settled();
  await expect(ticker.orTick(later.promise)).rejects.toThrow('broken');
});

test('a stopped ticker leaves no timer', () => {
  let timers = 0;
  const clock = fakeClock();
  const counting = {
    ...clock,
    setTimer: (callback: () => void, delayMs: number) => {
      timers++;
      const timer = clock.setTimer(callback, delayMs);
      return {
        cancel: () => {
          timers--;
          timer.cancel();
        },
      };
    },
  };
  createTicker(counting, 10).stop();
  expect(timers).toBe(0);
});
