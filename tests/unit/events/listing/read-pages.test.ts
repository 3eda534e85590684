import { describe, expect, test } from 'vitest';
import { TimeSlice } from '../../../../src/events/listing/read-pages.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

describe('the time slice of a request', () => {
  test('lets it work for 5 ms at a time', async () => {
    const clock = fakeClock();
    const slice = new TimeSlice(clock, { throwIfAborted: () => undefined });
    for (let round = 0; round < 2; round++) {
      clock.advance(4);
      expect(slice.shouldYield()).toBe(false);
      clock.advance(1);
      expect(slice.shouldYield()).toBe(true);
      await slice.yieldToLoop();
      expect(slice.shouldYield()).toBe(false);
    }
  });

  test('ends with the request', async () => {
    const over = new Error('over');
    const throwIfAborted = (): void => {
      throw over;
    };
    await expect(new TimeSlice(fakeClock(), { throwIfAborted }).yieldToLoop()).rejects.toBe(over);
  });
});
