import { expect, it } from 'vitest';
import { createWatchCache } from '../../../../src/store/cached/watch-cache.js';
import { createBounds } from '../../../../src/store/memory/bounds.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';
import { keyOf, turns } from './caches.js';

it('calls its listeners after each change, and no more once they have left', async () => {
  const clock = fakeClock();
  const store = memoryStore({ clock });
  const cache = createWatchCache({
    store,
    clock,
    limits: {},
    bounds: createBounds({}),
    readyWithinMs: 1000,
    failures: { failed: () => undefined, worked: () => undefined },
    onState: () => undefined,
    onChanges: () => undefined,
  });
  await turns();
  const seen: unknown[] = [];
  const leave = cache.subscribe(() => seen.push(cache.replica?.revision()));
  const write = async (name: string): Promise<number> => {
    const { revision } = await store.create(keyOf(name), sampleEvent({ name }), { expiresAt: 4_102_444_800_000_000 });
    await turns();
    return revision;
  };
  const first = await write('a');
  expect(seen).toEqual([first]);
  leave();
  await write('b');
  expect(seen).toEqual([first]);
  cache.close();
  await store.close();
});
