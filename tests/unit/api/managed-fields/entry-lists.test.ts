import { expect, it } from 'vitest';
import { EntryLists } from '../../../../src/api/managed-fields/entry-lists.js';

const json = (time: string, manager = 'm'): string =>
  JSON.stringify([{ manager, operation: 'Update', time, fieldsV1: { 'f:note': {} } }]);

it('equal texts give one list, and lists that differ only in times one form', () => {
  const lists = new EntryLists();
  const [one, later, other] = [lists.parse(json('1')), lists.parse(json('2')), lists.parse(json('1', 'o'))];
  expect(one?.entries).toEqual(JSON.parse(json('1')));
  expect(lists.parse(json('1'))).toBe(one);
  expect(later).not.toBe(one);
  expect(later?.form).toBe(one?.form);
  expect(other?.form).not.toBe(one?.form);
});

it('a list is found by its entries, or by equal ones', () => {
  const lists = new EntryLists();
  const list = lists.parse(json('1'));
  expect(lists.of(list?.entries ?? [])).toBe(list);
  expect(lists.of([...(list?.entries ?? [])])).toBe(list);
});

it('a text that is not a list is unknown', () => {
  const lists = new EntryLists();
  expect([lists.parse('[{]'), lists.parse('{}'), lists.parse('[1],2]')]).toEqual([undefined, undefined, undefined]);
});

it('neither long lists nor too many lists are cached', () => {
  const lists = new EntryLists();
  const long = lists.parse(json('1', 'x'.repeat(5000)));
  expect(long?.form).toBeUndefined();
  const first = lists.parse(json('0'));
  for (let index = 1; index <= 1000; index++) lists.parse(json(String(index)));
  expect(lists.parse(json('0'))).not.toBe(first);
  expect(lists.parse(json('0'))?.entries).toEqual(first?.entries);
});
