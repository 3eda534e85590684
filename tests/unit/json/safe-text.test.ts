import { expect, it } from 'vitest';
import { isUnsafe, safeDocument, safeText } from '../../../src/json/safe-text.js';

it.each([
  ['plain ü 😀 "text" \\', 'plain ü 😀 "text" \\'],
  ['a\nb\r\tc', 'a\\nb\\r\\tc'],
  ['\u001b[31mred\u0007\0', '\\u001b[31mred\\u0007\\u0000'],
  ['\u007f\u0085\u009f\u00a0', '\\u007f\\u0085\\u009f\u00a0'],
  ['\u061c\u200e\u200f', '\\u061c\\u200e\\u200f'],
  ['\u2027\u2028\u202e\u202f', '\u2027\\u2028\\u202e\u202f'],
  ['\u2065\u2066\u2069\u206a', '\u2065\\u2066\\u2069\u206a'],
])('the text %j controls no terminal', (text, safe) => {
  expect(safeText(text)).toBe(safe);
  expect(isUnsafe(text)).toBe(safe !== text);
});

it('a document keeps its own line ends', () => {
  expect(safeDocument('a: "\u001b"\nb: "\r"\n')).toBe('a: "\\u001b"\nb: "\\r"\n');
});
