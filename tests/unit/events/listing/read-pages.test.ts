import { describe, expect, test } from 'vitest';
import { Pace } from '../../../../src/events/listing/read-pages.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

describe('the pace of a request', () => {
  test('lets it work for 5 ms at a time', async () => {
    const clock = fakeClock();
    const pace = new Pace(clock, { throwIfAborted: () => undefined });
    for (let round = 0; round < 2; round++) {
      clock.advance(4);
      expect(pace.shouldYield()).toBe(false);
      clock.advance(1);
      expect(pace.shouldYield()).toBe(true);
      await pace.yieldToLoop();
      expect(pace.shouldYield()).toBe(false);
    }
  });

  test('ends with the request', async () => {
    const over = new Error('over');
    const throwIfAborted = (): void => {
      throw over;
    };
    await expect(new Pace(fakeClock(), { throwIfAborted }).yieldToLoop()).rejects.toBe(over);
  });
});
