import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteLength, longerThan } from '../../../src/json/utf8.js';

test('lengths are measured in UTF-8', () => {
  expect([byteLength(''), byteLength('aü😀'), byteLength('\ud800')]).toEqual([0, 7, 3]);
});

test('a limit counts bytes, however many characters they make', () => {
  expect(longerThan('ü'.repeat(64), 128)).toBe(false);
  expect(longerThan('ü'.repeat(65), 128)).toBe(true);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), fc.nat(50), (text, limit) => {
      expect(longerThan(text, limit)).toBe(new TextEncoder().encode(text).length > limit);
    }),
  );
});
