import { expect, test } from 'vitest';
import { each, put, sweep, type SweepList } from '../../../../../src/store/memory/index/sweep-list.js';

const sweepList = <T>(first: T): SweepList<T> => ({ tail: [first], full: undefined, size: 1, dead: 0 });

const itemsOf = <T>(list: SweepList<T>): T[] => {
  const items: T[] = [];
  each(list, (item) => void items.push(item));
  return items;
};

test('dead items are removed when they are half of the list', () => {
  const list = sweepList(0);
  for (let item = 1; item < 5000; item++) put(list, item);
  const dead = new Set<number>();
  for (let item = 0; item < 5000; item += 1) {
    if (item % 10 === 0) continue;
    dead.add(item);
    list.dead++;
    sweep(list, (one) => !dead.has(one));
    expect(itemsOf(list).length).toBe(list.size);
  }
  const left = itemsOf(list);
  expect(left.filter((item) => !dead.has(item))).toEqual(Array.from({ length: 500 }, (_, index) => index * 10));
  expect(left.length).toBeLessThan(2100);
});

test('an item that is removed and added again many times does not grow the list', () => {
  const list = sweepList('kept');
  put(list, 'again');
  for (let i = 0; i < 100_000; i++) {
    list.dead++;
    sweep(list, () => true);
    put(list, 'again');
  }
  expect(list.size).toBeLessThan(2100);
  expect([...new Set(itemsOf(list))]).toEqual(['kept', 'again']);
  expect(list.size - list.dead).toBe(2);
});

test('a list is not searched for dead items before half of it is dead', () => {
  const list = sweepList(0);
  for (let item = 1; item < 20; item++) put(list, item);
  let asked = 0;
  const isAlive = (): boolean => {
    asked++;
    return true;
  };
  list.dead = 9;
  sweep(list, isAlive);
  expect(asked).toBe(0);
  list.dead = 10;
  sweep(list, isAlive);
  expect(asked).toBe(20);
});
