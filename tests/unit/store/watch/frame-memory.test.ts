import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFrameMemory } from '../../../../src/store/watch/frame-memory.js';

const frame = (length: number, fill: number): Uint8Array => new Uint8Array(length).fill(fill);

describe('frame memory', () => {
  test('keeps the bytes of every frame, whatever follows, and whatever happens to the source bytes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 40_000 })), { maxLength: 60 }),
        (frames) => {
          const memory = createFrameMemory();
          const kept = frames.map(([form, length], index) => memory.keep(form, frame(length, index)));
          kept.forEach((bytes, index) => expect(bytes.every((byte) => byte === index)).toBe(true));
          expect(kept.map(({ length }) => length)).toEqual(frames.map(([, length]) => length));
        },
      ),
    );
  });

  test('stores frames of one representation contiguously, and others elsewhere', () => {
    const memory = createFrameMemory();
    const first = memory.keep('a', frame(100, 1));
    const other = memory.keep('b', frame(100, 9));
    const second = memory.keep('a', frame(50, 2));
    expect(second.buffer).toBe(first.buffer);
    expect(second.byteOffset).toBe(first.byteOffset + 100);
    expect(other.buffer).not.toBe(first.buffer);
  });

  test('allocates 128 KiB at a time, and does not copy a large frame', () => {
    const memory = createFrameMemory();
    const large = frame(16_385, 1);
    expect(memory.keep('a', large)).toBe(large);
    const buffers = Array.from({ length: 20 }, () => memory.keep('a', frame(10_000, 2)).buffer);
    expect(new Set(buffers).size).toBe(2);
    for (const { byteLength } of buffers) expect(byteLength).toBe(131_072);
  });
});

test('eight frames of 16 KiB fill a piece of memory, and a frame with one byte more has memory of its own', () => {
  const memory = createFrameMemory();
  const kept = Array.from({ length: 9 }, () => memory.keep('json', new Uint8Array(16_384)));
  expect(new Set(kept.slice(0, 8).map(({ buffer }) => buffer)).size).toBe(1);
  expect(kept[8]?.buffer).not.toBe(kept[0]?.buffer);
  const large = new Uint8Array(16_385);
  expect(memory.keep('json', large)).toBe(large);
});

test('the pieces of 64 representations are kept, and one of them is dropped for 64 others', () => {
  const memory = createFrameMemory();
  const keep = (form: number): ArrayBufferLike => memory.keep(`form ${form}`, new Uint8Array(10)).buffer;
  const pieces = Array.from({ length: 64 }, (_, form) => keep(form));
  expect(Array.from({ length: 64 }, (_, form) => keep(form))).toEqual(pieces);
  expect(keep(0)).toBe(pieces[0]);
  for (let form = 100; form < 164; form++) keep(form);
  expect(keep(0)).not.toBe(pieces[0]);
});
