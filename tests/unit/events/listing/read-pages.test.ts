import { describe, expect, test } from 'vitest';
import { createTimeSlice } from '../../../../src/events/listing/read-pages.js';
import type { VerbCall } from '../../../../src/events/request/call.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { CALLER } from '../bench.js';

const nothing = (): undefined => undefined;

function sliceOf({ clock = fakeClock(), throwIfAborted = nothing as () => void, turn = nothing as () => unknown }) {
  const call = { dependencies: { clock, limits: { turn } }, caller: CALLER, life: { throwIfAborted } };
  return createTimeSlice(call as unknown as VerbCall);
}

describe('the time slice of a request', () => {
  test('lets it work for 5 ms at a time', async () => {
    const clock = fakeClock();
    const slice = sliceOf({ clock });
    for (let round = 0; round < 2; round++) {
      clock.advance(4);
      expect(slice.shouldYield()).toBe(false);
      clock.advance(1);
      expect(slice.shouldYield()).toBe(true);
      await slice.yieldToLoop();
      expect(slice.shouldYield()).toBe(false);
    }
  });

  test('begins when the scheduler has the next one for its caller', async () => {
    const clock = fakeClock();
    const asked: unknown[] = [];
    let begin = nothing as () => void;
    const turn = (...given: unknown[]): Promise<void> => {
      asked.push(given[0]);
      return new Promise((resolve) => (begin = resolve));
    };
    const slice = sliceOf({ clock, turn });
    let isOver = false;
    const yielded = slice.yieldToLoop().then(() => (isOver = true));
    for (let round = 0; round < 3; round++) await new Promise(setImmediate);
    expect([asked, isOver]).toEqual([[CALLER], false]);
    clock.advance(100);
    begin();
    await yielded;
    expect(slice.shouldYield()).toBe(false);
  });

  test('ends with the request', async () => {
    const over = new Error('over');
    const throwIfAborted = (): void => {
      throw over;
    };
    await expect(sliceOf({ throwIfAborted }).yieldToLoop()).rejects.toBe(over);
  });
});
