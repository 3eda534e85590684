import { expect, it } from 'vitest';
import { createSilenceLimit } from '../../../../src/client/watching/silence.js';

it('the limit of silence is half as long again as the longest of three intervals between bookmarks, and no outage counts', () => {
  const limit = createSilenceLimit(30_000, 0);
  const after = (...moments: number[]): number[] =>
    moments.map((moment) => {
      limit.frame(true, moment);
      return limit.ms();
    });
  expect(after(60_000, 120_000, 140_000)).toEqual([90_000, 90_000, 90_000]);
  expect(after(3_740_000, 3_760_000, 3_780_000)).toEqual([90_000, 90_000, 30_000]);
});

it('the limit of silence doubles with each connection that was silent, up to five minutes, until there is a frame', () => {
  const limit = createSilenceLimit(70_000, 0);
  const limits = [140_000, 280_000, 300_000, 300_000].map(() => {
    limit.exceeded();
    return limit.ms();
  });
  expect(limits).toEqual([140_000, 280_000, 300_000, 300_000]);
  limit.frame(false, 5);
  expect(limit.ms()).toBe(70_000);
});
