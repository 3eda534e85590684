import * as fc from 'fast-check';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import { createBatcher, type BatcherOptions } from '../../../../src/store/batching/batcher.js';
import { nextTurn } from '../../../../src/clock/clock.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

/** A batcher for whose batches the test provides the results. */
function createBench(options: Partial<BatcherOptions<string, string>> = {}) {
  const batches: {
    readonly items: readonly string[];
    answer(results?: readonly (string | Error)[]): void;
    fail(): void;
  }[] = [];
  const batcher = createBatcher<string, string>({
    maxItems: 100,
    ...options,
    run: (items) =>
      new Promise((resolve, reject) => {
        batches.push({
          items,
          answer: (results = items.map((item) => item.toUpperCase())) => resolve(results),
          fail: () => reject(new Error('the engine is gone')),
        });
      }),
  });
  return { batcher, batches, items: () => batches.map(({ items }) => items) };
}

async function turns(count = 3): Promise<void> {
  for (let i = 0; i < count; i++) await nextTurn();
}

describe('a batcher', () => {
  test('combines the items of one turn, and those that arrive during a batch', async () => {
    const { batcher, batches, items } = createBench();
    const first = [batcher.add('a'), batcher.add('b')];
    await turns();
    const second = [batcher.add('c'), batcher.add('d')];
    await turns();
    expect(items()).toEqual([['a', 'b']]);
    batches[0]?.answer();
    expect(await Promise.all(first)).toEqual(['A', 'B']);
    await turns();
    expect(items()).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    batches[1]?.answer();
    expect(await Promise.all(second)).toEqual(['C', 'D']);
  });

  test('runs a batch in the AsyncLocalStorage context of its first item', async () => {
    const current = new AsyncLocalStorage<string>();
    const found: unknown[] = [];
    const batcher = createBatcher<string, string>({
      maxItems: 2,
      async run(items) {
        found.push([current.getStore(), items]);
        await nextTurn();
        return items;
      },
    });
    const added = ['a', 'b', 'c', 'd', 'e'].map((item) => current.run(item, () => batcher.add(item)));
    await Promise.all(added);
    expect(found).toEqual([
      ['a', ['a', 'b']],
      ['c', ['c', 'd']],
      ['e', ['e']],
    ]);
  });

  test('fails a single item, or all of a batch', async () => {
    const { batcher, batches } = createBench();
    const first = Promise.allSettled([batcher.add('a'), batcher.add('b')]);
    await turns();
    batches[0]?.answer(['A', new Error('b does not fit')]);
    expect((await first).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    const second = Promise.allSettled([batcher.add('c'), batcher.add('d')]);
    await turns();
    batches[1]?.fail();
    expect((await second).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const third = batcher.add('e');
    await turns();
    batches[2]?.answer();
    expect(await third).toBe('E');
  });

  test('respects the number and the weight of a batch; a single item may be heavier', async () => {
    const { batcher, batches, items } = createBench({ maxItems: 2, maxWeight: 3, weigh: (item) => item.length });
    const all = Promise.all(['a', 'b', 'c', 'dd', 'ee', 'ffffffff', 'g'].map((item) => batcher.add(item)));
    for (let i = 0; i < 6; i++) {
      await turns();
      expect(batches).toHaveLength(Math.min(i + 1, 5));
      batches[i]?.answer();
    }
    await all;
    expect(items()).toEqual([['a', 'b'], ['c', 'dd'], ['ee'], ['ffffffff'], ['g']]);
  });

  test('never has two items of one key in progress, and keeps their order', async () => {
    const { batcher, batches, items } = createBench({ keyOf: (item) => item.charAt(0) });
    const all = Promise.all(['a1', 'a2', 'b1', 'a3', 'c1', 'b2'].map((item) => batcher.add(item)));
    await turns();
    expect(items()).toEqual([['a1', 'b1', 'c1']]);
    batches[0]?.answer();
    await turns();
    expect(items()[1]).toEqual(['a2', 'b2']);
    batches[1]?.answer();
    await turns();
    expect(items()[2]).toEqual(['a3']);
    batches[2]?.answer();
    await all;
  });

  test('starts a batch before the end of another only if enough items wait', async () => {
    const { batcher, batches, items } = createBench({ concurrency: 2, enough: 3 });
    const all = [batcher.add('a')];
    await turns();
    all.push(batcher.add('b'), batcher.add('c'));
    await turns();
    expect(items()).toEqual([['a']]);
    all.push(batcher.add('d'));
    await turns();
    expect(items()).toEqual([['a'], ['b', 'c', 'd']]);
    all.push(batcher.add('e'));
    batches[0]?.answer();
    await turns();
    expect(items()).toHaveLength(2);
    batches[1]?.answer();
    await turns();
    expect(items()[2]).toEqual(['e']);
    batches[2]?.answer();
    expect(await Promise.all(all)).toEqual(['A', 'B', 'C', 'D', 'E']);
  });

  test('starts a batch when enough items wait, before the turn of the event loop ends', async () => {
    const { batcher, batches, items } = createBench({ concurrency: 2, enough: 2 });
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((item) => batcher.add(item));
    // `add` calls `run` in a microtask.
    await Promise.resolve();
    expect(items()).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    batches[0]?.answer();
    await turns();
    expect(items()[2]).toEqual(['e', 'f', 'g']);
    batches[1]?.answer();
    batches[2]?.answer();
    expect(await Promise.all(all)).toEqual(['A', 'B', 'C', 'D', 'E', 'F', 'G']);
  });

  test('removes an item that has not started when its signal aborts, with its reason', async () => {
    const { batcher, batches, items } = createBench();
    const abort = new AbortController();
    const first = batcher.add('a', abort.signal);
    await turns();
    const others = [batcher.add('x')];
    const second = batcher.add('b', abort.signal);
    others.push(batcher.add('y'));
    const reason = new Error('gone');
    abort.abort(reason);
    await expect(second).rejects.toBe(reason);
    await expect(batcher.add('c', abort.signal)).rejects.toBe(reason);
    batches[0]?.answer();
    expect(await first).toBe('A');
    await turns();
    expect(items()).toEqual([['a'], ['x', 'y']]);
    batches[1]?.answer();
    expect(await Promise.all(others)).toEqual(['X', 'Y']);
  });

  test('fails an item whose batch has not begun in time, and no other', async () => {
    const clock = fakeClock();
    const maxWait = { ms: 1_000, clock, error: () => new Error('too late') };
    const { batcher, batches, items } = createBench({ maxItems: 1, maxWait });
    const ends: string[] = [];
    const add = (item: string): void =>
      void batcher.add(item).then(
        () => ends.push(item),
        (error: unknown) => ends.push(`${item}: ${String(error)}`),
      );
    const passes = async (ms: number): Promise<readonly string[]> => {
      await turns();
      clock.advance(ms);
      await turns();
      return ends.splice(0);
    };
    add('a');
    add('b');
    expect(await passes(999)).toEqual([]);
    expect(await passes(1)).toEqual(['b: Error: too late']);
    add('c');
    expect(await passes(600)).toEqual([]);
    add('d');
    expect(await passes(400)).toEqual(['c: Error: too late']);
    expect(await passes(600)).toEqual(['d: Error: too late']);
    batches[0]?.answer();
    add('e');
    expect(await passes(0)).toEqual(['a']);
    expect(items()).toEqual([['a'], ['e']]);
  });

  test('fails waiting and new items when it is closed, and awaits those in progress', async () => {
    const { batcher, batches } = createBench();
    const first = batcher.add('a');
    await turns();
    const second = batcher.add('b');
    let closed = false;
    const closing = batcher.close(() => new Error('closed')).then(() => (closed = true));
    await expect(second).rejects.toThrow('closed');
    await expect(batcher.add('c')).rejects.toThrow('closed');
    await turns();
    expect(closed).toBe(false);
    batches[0]?.answer();
    expect(await first).toBe('A');
    await closing;
    await batcher.close(() => new Error('again'));
  });

  test('processes everything once and in order, whatever the limits', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ key: fc.nat(3), turn: fc.boolean() }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 3 }),
        fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
        async (steps, maxItems, concurrency, enough) => {
          const done: number[] = [];
          const hasKeys = concurrency === 1;
          const batcher = createBatcher<number, number>({
            maxItems,
            concurrency,
            ...(enough !== undefined && { enough }),
            ...(hasKeys && { keyOf: (item) => String(steps[item]?.key) }),
            async run(items) {
              const keys = new Set(items.map((item) => steps[item]?.key));
              if (hasKeys && keys.size < items.length) throw new Error('a key twice');
              await nextTurn();
              done.push(...items);
              return items;
            },
          });
          const results: Promise<number>[] = [];
          for (const [index, { turn }] of steps.entries()) {
            results.push(batcher.add(index));
            if (turn) await nextTurn();
          }
          expect(await Promise.all(results)).toEqual(steps.map((_, index) => index));
          for (const key of [0, 1, 2, 3]) {
            const ofKey = done.filter((item) => steps[item]?.key === key);
            expect(ofKey).toEqual([...ofKey].sort((one, other) => one - other));
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
