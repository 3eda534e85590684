import { expect, test } from 'vitest';
import { createTicker } from '../../../../src/events/watching/live-frames.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

test('a ticker reports once for each tick that it is due, and wakes a waiting reader', () => {
  const clock = fakeClock();
  let ticks = 0;
  const ticker = createTicker(clock, 10, () => void ticks++);
  expect(ticker.due()).toBe(false);
  for (let round = 1; round <= 3; round++) {
    clock.advance(10);
    expect(ticks).toBe(round);
    expect([ticker.due(), ticker.due()]).toEqual([true, false]);
  }
});

test('a ticker merges ticks that were not read', () => {
  const clock = fakeClock();
  const ticker = createTicker(clock, 10, () => undefined);
  clock.advance(1000);
  expect([ticker.due(), ticker.due()]).toEqual([true, false]);
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
  createTicker(counting, 10, () => undefined).stop();
  expect(timers).toBe(0);
});
