import { expect, test } from 'vitest';
import { MAX_SHOWN, shorten } from '../../../src/json/go-print.js';

test('a short text is unchanged', () => {
  expect(shorten('x'.repeat(MAX_SHOWN))).toBe('x'.repeat(MAX_SHOWN));
});

test('a longer text is truncated with dots', () => {
  expect(shorten('x'.repeat(MAX_SHOWN + 1))).toBe(`${'x'.repeat(MAX_SHOWN)}...`);
  expect(shorten('abcdef', 3)).toBe('abc...');
});

test('a surrogate pair is not split', () => {
  expect(shorten('ab😀d', 3)).toBe('ab...');
  expect(shorten('ab😀d', 4)).toBe('ab😀...');
  // The first and the last half of each kind.
  expect(shorten('ab\u{1f400}d', 4)).toBe('ab\u{1f400}...');
  for (const pair of ['\ud800\udc00', '\udbff\udfff']) expect(shorten(`ab${pair}d`, 3)).toBe('ab...');
});
