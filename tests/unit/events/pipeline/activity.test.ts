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
