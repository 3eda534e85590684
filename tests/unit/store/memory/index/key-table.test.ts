import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createKeyTable } from '../../../../../src/store/memory/index/key-table.js';

interface Item {
  readonly key: string;
}

const tableOfItems = () => createKeyTable<Item>(({ key }) => key);

describe('a table of values by key', () => {
  test('behaves like a Map', () => {
    const operation = fc.tuple(fc.constantFrom('add', 'delete'), fc.constantFrom('', ...'abcdef', 'ab', 'ba'));
    fc.assert(
      fc.property(fc.array(operation, { size: '+1' }), (operations) => {
        const table = tableOfItems();
        const model = new Map<string, Item>();
        for (const [what, key] of operations) {
          if (what === 'delete' && model.delete(key)) table.delete(key);
          if (what === 'delete' || model.has(key)) continue;
          const item = { key };
          table.add(item);
          model.set(key, item);
        }
        for (const [, key] of operations) expect(table.get(key)).toBe(model.get(key));
      }),
    );
  });

  test('tells keys apart that have the same hash', () => {
    // Without a secret the order of the characters does not matter.
    const secret = vi.spyOn(crypto, 'getRandomValues').mockImplementationOnce((values) => values);
    const table = tableOfItems();
    secret.mockRestore();
    table.add({ key: 'ab' });
    expect(table.get('ba')).toBeUndefined();
    table.add({ key: 'ba' });
    table.delete('ab');
    expect(table.get('ab')).toBeUndefined();
    expect(table.get('ba')).toEqual({ key: 'ba' });
  });

  test('finds every value while it grows and while it shrinks, in whatever order keys are deleted', () => {
    const count = 60_000;
    const table = tableOfItems();
    const items = Array.from({ length: count }, (_, index) => ({ key: `namespace/event-${index}` }));
    for (const item of items) table.add(item);
    expect(items.filter((item) => table.get(item.key) !== item)).toEqual([]);
    // 7,919 has no factor in common with the count: every key is deleted once, far from the one before it.
    const order = items.map((_, index) => items[(index * 7919) % count] as Item);
    for (let deleted = 0; deleted < count; deleted += count / 6) {
      for (const { key } of order.slice(deleted, deleted + count / 6)) table.delete(key);
      const left = new Set(order.slice(deleted + count / 6));
      expect(items.filter((item) => table.get(item.key) !== (left.has(item) ? item : undefined))).toEqual([]);
    }
  });

  test('tells keys apart that differ in any one character', () => {
    const table = tableOfItems();
    const keys = Array.from({ length: 200 }, (_, at) => `${'a'.repeat(at)}b${'a'.repeat(199 - at)}`);
    for (const key of keys) table.add({ key });
    for (const key of keys) expect(table.get(key)?.key).toBe(key);
    expect(table.get('a'.repeat(200))).toBeUndefined();
  });
});
