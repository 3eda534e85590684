import { expect, test } from 'vitest';
import { joinBytes, toBase64 } from '../../../src/http/bytes.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

test('pieces are joined, and a single one is not copied', () => {
  expect(new TextDecoder().decode(joinBytes([encode('a'), encode(''), encode('ü')]))).toBe('aü');
  expect(joinBytes([])).toHaveLength(0);
  const one = encode('one');
  expect(joinBytes([one])).toBe(one);
});

test('bytes are written in base64, however many', () => {
  expect(toBase64(encode('aü'))).toBe('YcO8');
  const many = new Uint8Array(1_000_000).fill(255);
  expect(toBase64(many)).toBe(Buffer.from(many).toString('base64'));
});
