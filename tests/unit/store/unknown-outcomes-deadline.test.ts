import { expect, test } from 'vitest';
import type { StoreCall } from '../../../src/store/contract/event-store.js';
import { storeError } from '../../../src/store/contract/errors.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';
import { resolveUnknownOutcomes } from '../../../src/store/unknown-outcomes.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';

const key = { namespace: 'default', name: 'a' };
const later = { expiresAt: 4_102_444_800_000_000 };

/** An engine that has its own deadline of 5 seconds for every attempt, and never gets a response. */
function silentStore() {
  const clock = fakeClock();
  const attempts: number[] = [];
  const begun = clock.monotonic();
  const attempt = ({ signal }: StoreCall): Promise<never> =>
    new Promise((_resolve, reject) => {
      attempts.push(clock.monotonic() - begun);
      clock.setTimer(() => reject(storeError('unknown-outcome', 'no response within 5000 ms')), 5_000);
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  const memory = memoryStore({ clock });
  const silent = { ...memory, create: (_key: unknown, _event: unknown, call: StoreCall) => attempt(call) };
  return {
    clock,
    attempts,
    settled: (withinMs?: number) =>
      resolveUnknownOutcomes(silent, { clock, ...(withinMs !== undefined && { withinMs }) }),
  };
}

async function passes(clock: ReturnType<typeof fakeClock>, ms: number): Promise<void> {
  clock.advance(ms);
  await new Promise((resolve) => setImmediate(resolve));
}

test('a repeated write stays unknown when its time is over, in the middle of an attempt', async () => {
  const { clock, attempts, settled } = silentStore();
  let ended: unknown;
  settled()
    .create(key, sampleEvent(), later)
    .catch((error: unknown) => (ended = error));
  await passes(clock, 5_000);
  await passes(clock, 2_999);
  expect(ended).toBeUndefined();
  await passes(clock, 1);
  expect(ended).toMatchObject({ code: 'unknown-outcome' });
  expect(attempts).toEqual([0, 5_000]);
});

test('a write whose first attempt took all the time is not repeated', async () => {
  const { clock, attempts, settled } = silentStore();
  const writing = settled(4_000).create(key, sampleEvent(), later);
  const refused = expect(writing).rejects.toMatchObject({ code: 'unknown-outcome' });
  await passes(clock, 5_000);
  await refused;
  expect(attempts).toEqual([0]);
});
