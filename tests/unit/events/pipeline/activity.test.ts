import { expect, test } from 'vitest';
import { createActivity } from '../../../../src/events/pipeline/activity.js';
import type { Observation } from '../../../../src/observe/observation.js';
import { fakeClock } from '../../../../src/testing.js';
import { bench, path, settled } from '../bench.js';

test('every observation has the peak of each kind of request, and nothing else that is counted', () => {
  const clock = fakeClock();
  const seen: Observation[] = [];
  const ring = () => ({ events: 0, bytes: 0 }) as never;
  const activity = createActivity(clock, (one) => void seen.push(one as Observation), ring);
  // The limits count bytes in the same object.
  const held = { read: 2, write: 1, watch: 0, bytes: 100_000 };
  activity.taken('read', held);
  clock.advance(1_000);
  activity.taken('write', Object.assign(held, { read: 0 }));
  clock.advance(1_000);
  expect(seen.map((one) => 'inFlight' in one && one.inFlight)).toEqual([
    { read: 2, write: 0, watch: 0 },
    { read: 2, write: 1, watch: 0 },
  ]);
  activity.close();
});

test('every observation has the frames and bytes that watches of each version were sent since the last one', () => {
  const clock = fakeClock();
  const seen: Observation[] = [];
  const ring = () => ({ events: 0, bytes: 0 }) as never;
  const activity = createActivity(clock, (one) => void seen.push(one as Observation), ring);
  activity.sent('', 'v1', 1, 10);
  activity.sent('', 'v1', 2, 30);
  activity.sent('events.k8s.io', 'v1', 4, 50);
  clock.advance(1_000);
  activity.sent('', 'v1', 8, 70);
  clock.advance(2_000);
  expect(seen.map((one) => 'sent' in one && one.sent)).toEqual([
    [
      { group: '', version: 'v1', frames: 3, bytes: 40 },
      { group: 'events.k8s.io', version: 'v1', frames: 4, bytes: 50 },
    ],
    [{ group: '', version: 'v1', frames: 8, bytes: 70 }],
    [],
  ]);
  activity.close();
});

test('no activity is observed after it was closed', () => {
  const clock = fakeClock();
  const seen: object[] = [];
  const activity = createActivity(
    clock,
    (one) => void seen.push(one),
    () => ({ events: 0, bytes: 0 }) as never,
  );
  activity.sent('', 'v1', 1, 10);
  activity.close();
  clock.advance(10_000);
  expect(seen).toEqual([]);
});

test('the activity of the Event API has what its buffer of recent changes holds, and the limit', async () => {
  const { ask, create, clock, observed } = bench();
  const rings = (): object[] => observed.flatMap((one) => (one.type === 'activity' ? [one.ring] : []));
  const leaving = new AbortController();
  const watched = (await ask(`GET ${path()}?watch=1`, { signal: leaving.signal })).text();
  await settled();
  clock.advance(1_000);
  expect(rings().at(-1)).toEqual({ changes: 0, bytes: 0, maxBytes: 33_554_432 });
  const note = 'n'.repeat(500);
  await create('a', { note });
  await create('b', { note });
  await settled();
  clock.advance(1_000);
  expect(rings().at(-1)).toEqual({ changes: 2, bytes: expect.any(Number) as number, maxBytes: 33_554_432 });
  expect((rings().at(-1) as { bytes: number }).bytes).toBeGreaterThan(1_000);
  leaving.abort();
  await watched;
});

test('an API that was closed observes the activity of its last second no more', async () => {
  const { events, clock, json, observed } = bench();
  expect((await json(`GET ${path()}`)).status).toBe(200);
  await events.close();
  clock.advance(10_000);
  expect(observed.map(({ type }) => type)).not.toContain('activity');
});
