import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinFrames } from '../../../../src/events/watching/watch-frame.js';

const frame = (size: number): Uint8Array => new Uint8Array(size).fill(size % 251);

test('no frames give no chunk', () => {
  expect([...joinFrames([])]).toEqual([]);
});

test('small frames are sent together, once', () => {
  expect([...joinFrames([frame(1), frame(2)])]).toEqual([new Uint8Array([1, 2, 2])]);
});

test('a chunk is complete with 32 KiB', () => {
  const sizes = [...joinFrames([frame(32_768), frame(32_767), frame(1), frame(1)])].map(({ length }) => length);
  expect(sizes).toEqual([32_768, 32_768, 1]);
});

test('a single frame stays the same object, which is counted once for all that are sent it', () => {
  const [large, small] = [frame(1_000_000), frame(10)];
  const chunks = [...joinFrames([large, small])];
  expect(chunks).toHaveLength(2);
  expect(chunks[0]).toBe(large);
  expect(chunks[1]).toBe(small);
});

test('contiguous frames are sent without a copy, and others are copied', () => {
  const memory = Uint8Array.from({ length: 100 }, (_, index) => index);
  const joined = (...ranges: (readonly [number, number])[]): Uint8Array | undefined => {
    const [chunk, ...more] = joinFrames(ranges.map((range) => memory.subarray(...range)));
    expect(more).toEqual([]);
    return chunk;
  };
  const whole = joined([10, 20], [20, 25], [25, 90]);
  expect(whole).toEqual(memory.slice(10, 90));
  expect(whole?.buffer).toBe(memory.buffer);
  for (const [one, other] of [
    [
      [10, 20],
      [21, 25],
    ],
    [
      [20, 30],
      [10, 20],
    ],
    [
      [10, 20],
      [19, 25],
    ],
  ] as const) {
    const copy = joined(one, other);
    expect(copy).toEqual(new Uint8Array([...memory.subarray(...one), ...memory.subarray(...other)]));
    expect(copy?.buffer).not.toBe(memory.buffer);
  }
});

test('all frames are sent in order, in bounded chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 12 }), (sizes) => {
      const chunks = [...joinFrames(sizes.map(frame))];
      expect(Buffer.compare(Buffer.concat(chunks), Buffer.concat(sizes.map(frame)))).toBe(0);
      for (const chunk of chunks) expect(chunk.length).toBeLessThan(131_072 + 100_000);
    }),
    { numRuns: 50 },
  );
});

test('frames of different pieces of memory are copied, although their offsets would follow each other', () => {
  const [one, other] = [1, 2].map((value) => new Uint8Array(20).fill(value)) as [Uint8Array, Uint8Array];
  const chunks = [...joinFrames([one.subarray(0, 10), other.subarray(10, 20)])];
  expect(chunks).toEqual([Uint8Array.from({ length: 20 }, (_, index) => (index < 10 ? 1 : 2))]);
});
