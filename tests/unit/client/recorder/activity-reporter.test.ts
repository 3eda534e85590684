import { expect, it } from 'vitest';
import { createActivityReporter } from '../../../../src/client/recorder/activity-reporter.js';
import type { Observation } from '../../../../src/index.js';
import { fakeClock } from '../../../../src/testing.js';

it('a reporter that is loaded after the only event was written reports it, once', async () => {
  const clock = fakeClock();
  const observations: Observation[] = [];
  const dropped = { invalid: 0, full: 0, 'rate-limited': 0, refused: 0, expired: 0, closed: 0 };
  const stats = { recorded: 1, written: 1, pending: 0, dropped, queued: 0, series: 1 };
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
  await reporter.close();
});

it('a hook that records events, which are dropped as well, is told of the first one only', async () => {
  const clock = fakeClock();
  const told: number[] = [];
  const dropped = { invalid: 0, full: 0, 'rate-limited': 0, refused: 0, expired: 0, closed: 0 };
  const stats = { recorded: 0, written: 0, pending: 0, dropped, queued: 0, series: 0 };
  const drop = (): void => reporter.drop('full', 1, new Error('the queue is full'), undefined);
  const observe = (observation: Observation): void => {
    if (observation.type !== 'recorder.dropped') return;
    told.push(observation.count);
    if (told.length < 10) drop();
  };
  const reporter = createActivityReporter('example.com/shop', observe, clock, () => stats);
  drop();
  expect(told).toEqual([1]);
  clock.advance(1_000);
  expect(told).toEqual([1, 1]);
  await reporter.close();
});
