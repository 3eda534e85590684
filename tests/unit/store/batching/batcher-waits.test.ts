import { expect, test, vi } from 'vitest';
import { createBatcher, type BatcherOptions } from '../../../../src/store/batching/batcher.js';
import { nextTurn } from '../../../../src/clock/clock.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

/** A batcher whose batches end when the test says so. */
function createBench(options: Partial<BatcherOptions<string, string>> = {}) {
  const batches: { readonly items: readonly string[]; end(): void }[] = [];
  const batcher = createBatcher<string, string>({
    maxItems: 100,
    ...options,
    run: (items) =>
      new Promise((resolve) => {
        batches.push({ items, end: () => resolve(items) });
      }),
  });
  return { batcher, batches };
}

async function turns(count = 3): Promise<void> {
  for (let i = 0; i < count; i++) await nextTurn();
}

test('a batcher sets one timer for all items that wait', async () => {
  const clock = fakeClock();
  const setTimer = vi.spyOn(clock, 'setTimer');
  const { batcher, batches } = createBench({ maxWait: { ms: 1_000, clock, error: () => new Error('too late') } });
  const all = [batcher.add('a')];
  await turns();
  for (const item of ['b', 'c', 'd']) {
    all.push(batcher.add(item));
    await turns();
  }
  expect(setTimer).toHaveBeenCalledOnce();
  batches[0]?.end();
  await turns();
  batches[1]?.end();
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
});

test('a batcher combines an item that is added when a batch begins with the others of that turn', async () => {
  const begun: (readonly string[])[] = [];
  const added: Promise<string>[] = [];
  const batcher = createBatcher<string, string>({
    maxItems: 100,
    concurrency: 2,
    async run(items) {
      begun.push(items);
      if (items.includes('a')) added.push(batcher.add('c'));
      await nextTurn();
      return items;
    },
  });
  added.push(batcher.add('a'), batcher.add('b'));
  await nextTurn();
  added.push(batcher.add('d'));
  await turns();
  await Promise.all(added);
  expect(begun).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
});

test('a batcher fails the items that wait, and none in progress or added later, when it is told to', async () => {
  const { batcher, batches } = createBench();
  const first = batcher.add('a');
  await turns();
  const waiting = Promise.allSettled([batcher.add('b'), batcher.add('c')]);
  batcher.failWaiting(() => new Error('no response to earlier items'));
  expect(await waiting).toEqual([
    { status: 'rejected', reason: new Error('no response to earlier items') },
    { status: 'rejected', reason: new Error('no response to earlier items') },
  ]);
  const later = batcher.add('d');
  batches[0]?.end();
  expect(await first).toBe('a');
  await turns();
  expect(batches.map(({ items }) => items)).toEqual([['a'], ['d']]);
  batches[1]?.end();
  expect(await later).toBe('d');
});
