import { expect, test } from 'vitest';
import { MAX_SHOWN, shorten } from '../../../src/json/shorten.js';

test('a text that is short enough stays as it is', () => {
  expect(shorten('x'.repeat(MAX_SHOWN))).toBe('x'.repeat(MAX_SHOWN));
});

test('of a longer text the beginning is kept, and dots say so', () => {
  expect(shorten('x'.repeat(MAX_SHOWN + 1))).toBe(`${'x'.repeat(MAX_SHOWN)}...`);
  expect(shorten('abcdef', 3)).toBe('abc...');
});

test('a surrogate pair is not cut in two', () => {
  expect(shorten('ab😀d', 3)).toBe('ab...');
  expect(shorten('ab😀d', 4)).toBe('ab😀...');
});
