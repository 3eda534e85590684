import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asciiJson, beginning, byteLength, decodeUtf8, encodeUtf8, longerThan } from '../../../src/json/utf8.js';

const hexEscape = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;

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

test('the beginning of a text has as many whole characters as fit into its bytes', () => {
  expect(beginning('aü😀', 7)).toBe('aü😀');
  expect([6, 3, 2, 1, 0].map((bytes) => beginning('aü😀', bytes))).toEqual(['aü', 'aü', 'a', 'a', '']);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.nat(60), (text, bytes) => {
      const kept = beginning(text, bytes);
      expect(text.startsWith(kept)).toBe(true);
      expect(byteLength(kept)).toBeLessThanOrEqual(bytes);
      const [next = ''] = [...text.slice(kept.length)];
      if (next !== '') expect(byteLength(kept + next)).toBeGreaterThan(bytes);
    }),
  );
});

test('JSON in ASCII has the same value, in keys too', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'grapheme' }), (json) => {
      const ascii = decodeUtf8(asciiJson(encodeUtf8(json)));
      expect(ascii).not.toMatch(/[\u0080-\uffff]/);
      expect(JSON.parse(ascii)).toEqual(JSON.parse(json));
    }),
  );
});

test('each UTF-16 unit beyond ASCII is an escape', () => {
  expect(decodeUtf8(asciiJson(encodeUtf8('"\u007f\u0080ü😀\uffff"')))).toBe(
    '"\u007f\\u0080\\u00fc\\ud83d\\ude00\\uffff"',
  );
  let all = '\u{10ffff}';
  for (let point = 0x80; point < 0xd800; point += 1) all += String.fromCodePoint(point);
  for (let point = 0xe000; point < 0x11_0000; point += point < 0x1_0000 ? 1 : 257) all += String.fromCodePoint(point);
  const escaped = Array.from({ length: all.length }, (_, at) => hexEscape(all.charCodeAt(at))).join('');
  expect(decodeUtf8(asciiJson(encodeUtf8(all))) === escaped).toBe(true);
});

test('JSON in ASCII is not copied', () => {
  const json = encodeUtf8('{"a":1}\n');
  expect(asciiJson(json)).toBe(json);
});
