import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createOrderedIndex, type OrderedIndex } from '../../../../../src/store/memory/index/ordered-index.js';

/** Compares an index with a sorted array, from every side. */
function expectEqual(
  index: OrderedIndex<number, string>,
  sorted: readonly number[],
  probe: number,
  other: number,
): void {
  expect(index.size()).toBe(sorted.length);
  expect(index.firstKey()).toBe(sorted[0]);
  const valuesOf = (keys: readonly number[]): string[] => keys.map((key) => `value ${key}`);
  expect(index.descend(Infinity, Infinity)).toEqual(valuesOf([...sorted].reverse()));
  expect(index.between(undefined, undefined, Infinity)).toEqual(valuesOf(sorted));
  expect(index.between(probe, undefined, 200)).toEqual(valuesOf(sorted.filter((key) => key > probe).slice(0, 200)));
  expect(index.between(undefined, probe, 300)).toEqual(valuesOf(sorted.filter((key) => key < probe).slice(0, 300)));
  const inside = sorted.filter((key) => key > probe && key < other);
  for (const max of [0, 1, 129, Infinity]) {
    expect(index.between(probe, other, max)).toEqual(valuesOf(inside.slice(0, max)));
  }
  const upToProbe = sorted.filter((key) => key <= probe).reverse();
  for (const max of [0, 1, 129, Infinity]) {
    expect(index.descend(probe, max)).toEqual(valuesOf(upToProbe.slice(0, max)));
  }
  expect(index.count(probe, other)).toBe(sorted.filter((key) => key > probe && key < other).length);
  expect(index.count(undefined, other)).toBe(sorted.filter((key) => key < other).length);
  expect(index.count(probe, undefined)).toBe(sorted.filter((key) => key > probe).length);
}

describe('an ordered index', () => {
  test('agrees with a sorted array under any inserts and deletes', () => {
    const key = fc.nat(1500);
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('insert' as const),
          from: key,
          count: fc.integer({ min: 1, max: 300 }),
          stride: fc.integer({ min: -7, max: 7 }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('delete' as const),
          from: key,
          count: fc.integer({ min: 1, max: 300 }),
          stride: fc.integer({ min: 1, max: 7 }),
        }),
      },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 14, size: 'max' }), key, key, (steps, probe, other) => {
        const index = createOrderedIndex<number, string>((value) => Number(value.slice('value '.length)));
        const model = new Set<number>();
        for (const { kind, from, count, stride } of steps) {
          for (let i = 0; i < count; i++) {
            const at = from + i * stride;
            if (kind === 'insert' && !model.has(at)) {
              model.add(at);
              index.insert(`value ${at}`);
            } else if (kind === 'delete') expect(index.remove(`value ${at}`)).toBe(model.delete(at));
          }
        }
        expectEqual(
          index,
          [...model].sort((a, b) => a - b),
          Math.min(probe, other),
          Math.max(probe, other),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('returns equal keys from shift() in order of insertion', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { maxLength: 600, size: 'max' }), (keys) => {
        const index = createOrderedIndex<number, number>((place) => keys[place] as number);
        keys.forEach((_, place) => index.insert(place));
        const expected = keys.map((key, place) => ({ key, place })).sort((a, b) => a.key - b.key || a.place - b.place);
        const taken: number[] = [];
        for (let value = index.shift(); value !== undefined; value = index.shift()) taken.push(value);
        expect(taken).toEqual(expected.map(({ place }) => place));
        expect(index.size()).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  test('removes a value only if it is among the first 8,192 of its key', () => {
    const index = createOrderedIndex<number, number>((value) => (value < 0 ? 0 : 1));
    for (let value = -2; value < 8193; value++) index.insert(value);
    expect(index.remove(8192)).toBe(false);
    expect(index.size()).toBe(8195);
    expect(index.remove(8191)).toBe(true);
    expect(index.remove(8192)).toBe(true);
    expect(index.size()).toBe(8193);
  });

  test('joins a block that has become small with whichever neighbour has room', () => {
    for (const roomy of ['left', 'right']) {
      const index = createOrderedIndex<number, number>((value) => value);
      for (let value = 0; value < 384; value++) index.insert(value);
      const blocks = (): number[] =>
        index.spans(undefined, undefined, Infinity).map(({ values, first, end }) => {
          expect([first, end]).toEqual([0, values.length]);
          return end;
        });
      expect(blocks()).toEqual([128, 128, 128]);
      const from = roomy === 'left' ? 0 : 256;
      for (let value = from; value < from + 63; value++) index.remove(value);
      for (let value = 128; value < 224; value++) index.remove(value);
      expect(blocks().sort()).toEqual([128, 32, 65]);
      index.remove(224);
      expect(blocks().sort()).toEqual([128, 96]);
    }
  });

  test('orders strings as JavaScript compares them', () => {
    const index = createOrderedIndex<string, string>((key) => key);
    for (const key of ['b', 'a', 'c/', 'c', 'c0']) index.insert(key);
    expect(index.descend('c/', 9)).toEqual(['c/', 'c', 'b', 'a']);
    expect(index.descend('c.', 9)).toEqual(['c', 'b', 'a']);
  });

  test('returns nothing in any direction when it is empty', () => {
    const index = createOrderedIndex<string, string>((key) => key);
    expect(index.between(undefined, undefined, 5)).toEqual([]);
    expect(index.between('a', 'b', 5)).toEqual([]);
    expect(index.descend('a', 5)).toEqual([]);
    expect(index.remove('a')).toBe(false);
    expect(index.shift()).toBeUndefined();
    expect(index.count(undefined, undefined)).toBe(0);
  });
});
