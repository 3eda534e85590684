import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTextBytes } from '../../../../src/events/stored-form/encode-event.js';

const plainly = (text: string): Uint8Array => new TextEncoder().encode(text);

test('createTextBytes returns the UTF-8 bytes of each text, and never overwrites them', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 9000 }))), (parts) => {
      const toBytes = createTextBytes();
      const texts = parts.map(([text, times]) => text.repeat(times).slice(0, 20_000));
      const written = texts.map(toBytes);
      expect(written.every((bytes, index) => Buffer.compare(bytes, plainly(texts[index] as string)) === 0)).toBe(true);
    }),
  );
});

test('createTextBytes writes texts one after the other into blocks of 64 KiB', () => {
  const toBytes = createTextBytes();
  const texts = Array.from({ length: 40 }, () => toBytes('x'.repeat(4096)));
  const blocks = [...new Set(texts.map(({ buffer }) => buffer))];
  expect(blocks.map(({ byteLength }) => byteLength)).toEqual([65_536, 65_536, 65_536]);
  expect(texts.slice(0, 3).map(({ byteOffset }) => byteOffset)).toEqual([0, 4096, 8192]);
});

test.each([8193, 70_000])('createTextBytes gives a text of %i characters memory of its own', (length) => {
  const toBytes = createTextBytes();
  toBytes('a');
  const text = 'x'.repeat(length);
  const bytes = toBytes(text);
  expect(Buffer.compare(bytes, plainly(text))).toBe(0);
  expect(bytes.buffer).not.toBe(toBytes('b').buffer);
});

test('createTextBytes has space for a text of the widest characters at the end of a block', () => {
  const toBytes = createTextBytes();
  for (const text of ['x'.repeat(8192), '€'.repeat(8192), '€'.repeat(8193), '😀'.repeat(4096), '']) {
    for (let round = 0; round < 9; round++) expect(Buffer.compare(toBytes(text), plainly(text))).toBe(0);
  }
});
