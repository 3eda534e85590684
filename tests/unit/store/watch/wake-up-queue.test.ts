import { expect, test } from 'vitest';
import { nextTurn } from '../../../../src/clock/clock.js';
import { createWakeUpQueue } from '../../../../src/store/watch/wake-up-queue.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

test('what takes long is woken over several turns of the event loop, in order and each once', async () => {
  const clock = fakeClock();
  const wakeSoon = createWakeUpQueue(clock);
  const woken: number[] = [];
  const wakers = Array.from({ length: 5 }, (_, index) => ({
    wake: () => {
      woken.push(index);
      clock.advance(3);
    },
  }));
  for (const waker of [...wakers, ...wakers]) wakeSoon(waker);
  expect(woken).toEqual([]);
  await nextTurn();
  expect(woken).toEqual([0, 1]);
  await nextTurn();
  await nextTurn();
  await nextTurn();
  expect(woken).toEqual([0, 1, 2, 3, 4]);
});

test('what is added while others are woken waits for the next turn', async () => {
  const wakeSoon = createWakeUpQueue(fakeClock());
  let woken = 0;
  const waker = {
    wake: () => {
      woken++;
      if (woken < 3) wakeSoon(waker);
    },
  };
  wakeSoon(waker);
  for (let turn = 1; turn <= 5; turn++) {
    await nextTurn();
    expect(woken).toBe(Math.min(turn, 3));
  }
});
