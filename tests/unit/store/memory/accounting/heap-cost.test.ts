import { expect, test } from 'vitest';
import { textCost } from '../../../../../src/store/memory/accounting/heap-cost.js';

test('a text counts a byte for each character, and two where it is long and has characters beyond Latin-1', () => {
  expect(textCost('')).toBe(0);
  expect(textCost('漢'.repeat(64))).toBe(64);
  expect(textCost('漢'.repeat(65))).toBe(130);
  expect(textCost('ü'.repeat(65))).toBe(65);
});
