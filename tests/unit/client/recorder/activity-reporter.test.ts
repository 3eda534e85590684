import { expect, it } from 'vitest';
import { createActivityReporter } from '../../../../src/client/recorder/activity-reporter.js';
import type { Observation } from '../../../../src/index.js';
import { fakeClock } from '../../../../src/testing.js';

it('a reporter that is loaded after the only event was written reports it, and then what was added in a second', async () => {
  const clock = fakeClock();
  const observations: Observation[] = [];
  const dropped = { invalid: 0, full: 0, 'rate-limited': 0, refused: 0, expired: 0, closed: 0 };
  let stats = { recorded: 1, written: 1, pending: 0, dropped, queued: 0, series: 1 };
  const reporter = createActivityReporter(
    'example.com/shop',
    (observation) => void observations.push(observation),
    clock,
    () => stats,
  );
  clock.advance(1_000);
  expect(observations).toEqual([
    { type: 'recorder.activity', recorder: 'example.com/shop', recorded: 1, written: 1, pending: 0, queued: 0 },
  ]);
  clock.advance(60_000);
  expect(observations).toHaveLength(1);
  stats = { ...stats, recorded: 7, written: 3, pending: 4, queued: 2 };
  reporter.changed();
  reporter.changed();
  clock.advance(999);
  expect(observations).toHaveLength(1);
  clock.advance(60_000);
  expect(observations.slice(1)).toEqual([
    { type: 'recorder.activity', recorder: 'example.com/shop', recorded: 6, written: 2, pending: 4, queued: 2 },
  ]);
  await reporter.close();
});

it('a hook that records events, which are dropped as well, is told of each of them, a few in a second', async () => {
  const clock = fakeClock();
  const told: number[] = [];
  let drops = 0;
  const dropped = { invalid: 0, full: 0, 'rate-limited': 0, refused: 0, expired: 0, closed: 0 };
  const stats = { recorded: 0, written: 0, pending: 0, dropped, queued: 0, series: 0 };
  const drop = (): void => {
    drops += 1;
    reporter.drop('full', 1, new Error('the queue is full'), undefined);
  };
  const observe = (observation: Observation): void => {
    if (observation.type !== 'recorder.dropped') return;
    told.push(observation.count);
    if (told.length < 10) drop();
  };
  const reporter = createActivityReporter('example.com/shop', observe, clock, () => stats);
  drop();
  expect(told).toEqual([1]);
  clock.advance(1_000);
  expect(told).toEqual([1, 1, 1]);
  clock.advance(60_000);
  expect(told).toEqual(Array(10).fill(1));
  expect(drops).toBe(10);
  await reporter.close();
});
