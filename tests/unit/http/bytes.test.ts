import { expect, test } from 'vitest';
import { joinBytes } from '../../../src/http/bytes.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

test('pieces are joined, and a single one is not copied', () => {
  expect(new TextDecoder().decode(joinBytes([encode('a'), encode(''), encode('ü')]))).toBe('aü');
  expect(joinBytes([])).toHaveLength(0);
  const one = encode('one');
  expect(joinBytes([one])).toBe(one);
});
