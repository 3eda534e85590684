import { describe, expect, test } from 'vitest';
import {
  createCommonBytesTable,
  textMatchesAt,
  writePrefix,
  type CommonBytes,
} from '../../../../../src/store/memory/bytes/common-bytes.js';
import type { ByteHints } from '../../../../../src/store/contract/byte-hints.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const hintsAt = (name: number, namespace: number, suffix: number): ByteHints => ({
  name,
  namespace,
  uid: -1,
  regardingVersion: -1,
  shared: [],
  suffix,
});

describe('common bytes', () => {
  test('are what stands around name and namespace, and at the end, and are kept once', () => {
    const table = createCommonBytesTable();
    const one = encode('<a in shop|own bytes|end>');
    const found = table.find(one, hintsAt(1, 6, 20), 'shop/a');
    expect(found).toEqual({ index: 1, prefix: 10, suffix: 5 });
    const { first, second, suffix } = table.all[found.index] as CommonBytes;
    expect([first, second, suffix].map(decode)).toEqual(['<', ' in ', '|end>']);
    const other = encode('<b-2 in default, |end>');
    expect(table.find(other, hintsAt(1, 8, 17), 'default/b-2')).toEqual({ index: 1, prefix: 15, suffix: 5 });
  });

  test('are written with the name and the namespace of another key', () => {
    const target = new Uint8Array(20).fill(0x2e);
    writePrefix({ first: encode('<'), second: encode(' in '), suffix: encode('') }, 'default/b-2', target, 2);
    expect(decode(target)).toBe('..<b-2 in default...');
  });

  test('are a new entry where any of the three differs', () => {
    const table = createCommonBytesTable();
    const index = (text: string, name: number, namespace: number, suffix: number): number =>
      table.find(encode(text), hintsAt(name, namespace, suffix), 's/n').index;
    const all = [
      index('<n in s.....>', 1, 6, 12),
      index('[n in s.....>', 1, 6, 12),
      index('<n of s.....>', 1, 6, 12),
      index('<n in s.....]', 1, 6, 12),
      index('<n in s.....>', 1, 6, -1),
      index('<n in s.....>', -1, -1, 12),
    ];
    expect(all).toEqual([1, 2, 3, 4, 5, 6]);
    expect(index('<n in s.....>', 1, 6, 12)).toBe(1);
  });

  test('are not taken where the key does not stand in the bytes as it is', () => {
    const table = createCommonBytesTable();
    const bytes = encode('<n in s.....>');
    for (const [name, namespace, key] of [
      [1, 6, 's/m'],
      [1, 6, 't/n'],
      [1, 6, 's/nn'],
      [6, 1, 's/n'],
      [1, 200, 's/n'],
      [-1, 6, 's/n'],
      [1, -1, 's/n'],
      [1, 1, 's/n'],
    ] as const) {
      expect(table.find(bytes, hintsAt(name, namespace, -1), key)).toEqual({ index: 0, prefix: 0, suffix: 0 });
    }
    expect(table.find(encode('é in s'), hintsAt(0, 6, -1), 's/é').prefix).toBe(0);
    // The common end must not overlap the bytes that the key gives.
    expect(table.find(bytes, hintsAt(1, 6, 3), 's/n')).toEqual({ index: 1, prefix: 7, suffix: 0 });
    expect(table.find(bytes, hintsAt(1, 6, 7), 's/n')).toEqual({ index: 2, prefix: 7, suffix: 6 });
    expect(table.find(bytes, hintsAt(1, 6, 13), 's/n')).toEqual({ index: 1, prefix: 7, suffix: 0 });
  });

  test('stay few and small, whatever events look like, and known ones are still found', () => {
    const table = createCommonBytesTable();
    const find = (first: string): number =>
      table.find(encode(`${first}n in s`), hintsAt(first.length, first.length + 5, -1), 's/n').index;
    const indexes = Array.from({ length: 100 }, (_, i) => find(`${i}<`));
    expect(Math.max(...indexes)).toBe(16);
    expect(indexes.slice(16)).toEqual(new Array(84).fill(0));
    expect(find('3<')).toBe(4);
    const another = createCommonBytesTable();
    expect(another.find(encode(`${'x'.repeat(1020)}n in s`), hintsAt(1020, 1025, -1), 's/n').index).toBe(1);
    expect(another.find(encode(`${'y'.repeat(1021)}n in s`), hintsAt(1021, 1026, -1), 's/n').index).toBe(0);
    const long = 'n'.repeat(65_534);
    expect(another.find(encode(`${long}s`), hintsAt(0, 65_534, -1), `s/${long}`).prefix).toBe(65_535);
    expect(another.find(encode(`<${long}s`), hintsAt(1, 65_535, -1), `s/${long}`).prefix).toBe(0);
  });
});

test('textMatchesAt is true only where the whole text stands in the bytes, as ASCII', () => {
  const bytes = encode('abc é');
  expect(textMatchesAt(bytes, 1, 'bc')).toBe(true);
  expect(textMatchesAt(bytes, 1, 'xbcx', 1, 3)).toBe(true);
  expect(textMatchesAt(bytes, 1, 'bd')).toBe(false);
  expect(textMatchesAt(bytes, -1, 'a')).toBe(false);
  expect(textMatchesAt(bytes, 4, 'é')).toBe(false);
  expect(textMatchesAt(bytes, 5, '\u00a9x')).toBe(false);
  expect(textMatchesAt(new Uint8Array([0xe9]), 0, 'é')).toBe(false);
  expect(textMatchesAt(bytes, 0, '')).toBe(true);
});
