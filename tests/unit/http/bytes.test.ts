import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CollectedBytes, joinBytes, toBase64 } from '../../../src/http/bytes.js';

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

test('pieces are collected in order, and none is changed', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 20 });
  fc.assert(
    fc.property(pieces, (given) => {
      const copies = given.map((piece) => Buffer.from(piece));
      const collected = new CollectedBytes();
      for (const piece of given) collected.add(piece);
      expect(Buffer.compare(collected.joined(), Buffer.concat(copies))).toBe(0);
      expect(collected.length).toBe(Buffer.concat(copies).length);
      expect(given.map((piece) => Buffer.from(piece))).toEqual(copies);
    }),
  );
});

test('a single piece is collected without a copy, and many small ones take at most twice their bytes', () => {
  const one = encode('one');
  const single = new CollectedBytes();
  single.add(one);
  single.add(encode(''));
  expect(single.joined()).toBe(one);
  const many = new CollectedBytes();
  for (let count = 0; count < 100_000; count++) many.add(encode('x'));
  expect(many.joined()).toHaveLength(100_000);
  expect(many.joined().buffer.byteLength).toBeLessThan(200_000);
});
