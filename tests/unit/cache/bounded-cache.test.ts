import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBoundedCache } from '../../../src/cache/bounded-cache.js';
import { heapGrowth } from '../../collect-garbage.js';

const SECOND_CHANCES = 16;

/** The same rules in the plainest way: an array in order of eviction. */
function createModel(maxEntries: number, maxCost: () => number) {
  const entries: { key: string; value: number; used: boolean }[] = [];
  const at = (key: string): number => entries.findIndex((entry) => entry.key === key);
  const cost = (): number => entries.reduce((sum, { value }) => sum + value, 0);
  const remove = (key: string): void => void (at(key) >= 0 && entries.splice(at(key), 1));
  return {
    entries,
    cost,
    remove,
    get(key: string): number | undefined {
      const entry = entries[at(key)];
      if (entry !== undefined) entry.used = true;
      return entry?.value;
    },
    set(key: string, value: number): void {
      remove(key);
      if (value > maxCost()) return;
      let retained = 0;
      while (entries.length >= maxEntries || cost() + value > maxCost()) {
        const first = entries.shift() as (typeof entries)[number];
        if (first.used && retained++ < SECOND_CHANCES) entries.push({ ...first, used: false });
      }
      entries.push({ key, value, used: false });
    },
  };
}

describe('a bounded cache', () => {
  test('does what the model does, and never holds more than its limits', () => {
    const key = fc.integer({ min: 0, max: 30 }).map(String);
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ get: key }) },
      { weight: 5, arbitrary: fc.record({ set: key, value: fc.integer({ min: 0, max: 12 }) }) },
      { weight: 1, arbitrary: fc.record({ remove: key }) },
      { weight: 1, arbitrary: fc.record({ limit: fc.integer({ min: 0, max: 60 }) }) },
      { weight: 1, arbitrary: fc.constant({ clear: true }) },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 25 }), fc.array(step, { maxLength: 300, size: 'max' }), (most, steps) => {
        let limit = 50;
        const cache = createBoundedCache<string, number>({
          maxEntries: most,
          maxCost: () => limit,
          costOf: (_, value) => value,
        });
        const model = createModel(most, () => limit);
        for (const what of steps) {
          if ('get' in what) expect(cache.get(what.get)).toBe(model.get(what.get));
          else if ('set' in what) {
            cache.set(what.set, what.value);
            model.set(what.set, what.value);
            expect(cache.size()).toBeLessThanOrEqual(most);
            if (what.value <= limit) {
              expect(cache.cost()).toBeLessThanOrEqual(limit);
              expect([...cache.entries()].at(-1)).toEqual([what.set, what.value]);
            }
          } else if ('remove' in what) {
            cache.delete(what.remove);
            model.remove(what.remove);
          } else if ('limit' in what) limit = what.limit;
          else {
            cache.clear();
            model.entries.length = 0;
          }
          expect([...cache.entries()]).toEqual(model.entries.map(({ key: id, value }) => [id, value]));
          expect(cache.cost()).toBe(model.cost());
          expect(cache.size()).toBe(model.entries.length);
        }
      }),
    );
  });

  test('keeps what is used again and again, however much else is added once', () => {
    const cache = createBoundedCache<string, string>({ maxEntries: 10 });
    cache.set('often', 'value');
    for (let i = 0; i < 1000; i++) {
      expect(cache.get('often')).toBe('value');
      cache.set(`once ${i}`, '');
    }
    expect(cache.size()).toBe(10);
    expect(cache.get('once 999')).toBe('');
    expect(cache.get('once 900')).toBeUndefined();
  });

  test('drops, in order of addition, entries that were not used since', () => {
    const cache = createBoundedCache<number, number>({ maxEntries: 3 });
    for (const key of [1, 2, 3]) cache.set(key, key);
    cache.get(1);
    cache.set(4, 4);
    expect([...cache.entries()].map(([key]) => key)).toEqual([3, 1, 4]);
    cache.set(5, 5);
    cache.set(6, 6);
    expect([...cache.entries()].map(([key]) => key)).toEqual([4, 5, 6]);
  });

  test('retains no more than 16 used entries for one that is added', () => {
    const cache = createBoundedCache<number, number>({ maxEntries: 100 });
    for (let key = 0; key < 100; key++) cache.set(key, key);
    for (let key = 0; key < 100; key++) cache.get(key);
    cache.set(100, 100);
    const keys = [...cache.entries()].map(([key]) => key);
    expect(keys[0]).toBe(17);
    expect(keys.slice(-17)).toEqual([...Array.from({ length: 16 }, (_, key) => key), 100]);
  });

  test('counts only by number without a cost, and does not keep what costs more than the limit', () => {
    const free = createBoundedCache<string, number>({ maxEntries: 2 });
    free.set('a', 1e12);
    expect([free.cost(), free.size()]).toEqual([0, 1]);
    const small = createBoundedCache<string, number>({ maxEntries: 9, maxCost: 10, costOf: (key) => key.length });
    small.set('a', 1);
    small.set('bb', 2);
    expect(small.cost()).toBe(3);
    small.set('x'.repeat(11), 3);
    expect([...small.entries()]).toEqual([
      ['a', 1],
      ['bb', 2],
    ]);
    small.set('x'.repeat(10), 4);
    expect([...small.entries()]).toEqual([['x'.repeat(10), 4]]);
  });

  test('drops the former value when the new one is too large', () => {
    const cache = createBoundedCache<string, number>({ maxEntries: 9, maxCost: 10, costOf: (_, value) => value });
    cache.set('a', 1);
    cache.set('a', 11);
    expect(cache.get('a')).toBeUndefined();
    expect(cache.cost()).toBe(0);
  });

  test('keeps nothing of the long texts that its keys were cut from', async () => {
    const cache = createBoundedCache<string, number>({ maxEntries: 9 });
    const grown = await heapGrowth(() => {
      for (let i = 0; i < 9; i++) {
        const [name = ''] = `the-name-of-event-${i} ${'x'.repeat(2_000_000)}`.split(' ', 1);
        cache.set(`namespace/${name}`, i);
      }
    });
    expect(cache.get('namespace/the-name-of-event-8')).toBe(8);
    expect(grown).toBeLessThan(9_000_000);
  });
});
