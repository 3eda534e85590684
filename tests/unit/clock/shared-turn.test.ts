import { expect, test } from 'vitest';
import { createSharedTurn } from '../../../src/clock/shared-turn.js';
import { fakeClock } from '../../../src/testing.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('steps that wait for one turn of the event loop are divided into turns of 5 ms, in order', async () => {
  const clock = fakeClock();
  const sharedTurn = createSharedTurn(clock);
  const done: number[] = [];
  /** Works for 2 ms after its turn has come, some microtasks later. */
  const step = async (name: number): Promise<void> => {
    await sharedTurn();
    await Promise.resolve();
    clock.advance(2);
    done.push(name);
  };
  const steps = Promise.all([1, 2, 3, 4, 5, 6, 7].map(step));
  expect(done).toEqual([]);
  const after: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await nextTurn();
    after.push(done.length);
  }
  expect(after).toEqual([3, 6, 7]);
  await steps;
  expect(done).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test('a step that waits again continues after those that wait already', async () => {
  const clock = fakeClock();
  const sharedTurn = createSharedTurn(clock);
  const done: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (const part of [1, 2]) {
      await sharedTurn();
      clock.advance(10);
      done.push(`${name}${part}`);
    }
  };
  await Promise.all([work('a'), work('b')]);
  expect(done).toEqual(['a1', 'b1', 'a2', 'b2']);
});

test('a turn in which others have worked before leaves the next one its whole time', async () => {
  const clock = fakeClock();
  const sharedTurn = createSharedTurn(clock);
  await sharedTurn();
  clock.advance(100);
  const done: number[] = [];
  const steps = [1, 2].map(async (name) => {
    await sharedTurn();
    done.push(name);
  });
  await nextTurn();
  expect(done).toEqual([1, 2]);
  await Promise.all(steps);
});
