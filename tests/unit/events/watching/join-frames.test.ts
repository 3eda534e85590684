import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFrameJoiner } from '../../../../src/events/watching/watch-frame.js';

const frame = (size: number): Uint8Array => new Uint8Array(size).fill(size % 251);

test('no frames give no chunk', () => {
  expect(createFrameJoiner().rest()).toBeUndefined();
});

test('small frames are sent together, once', () => {
  const joiner = createFrameJoiner();
  expect(joiner.add(frame(1))).toBeUndefined();
  expect(joiner.add(frame(2))).toBeUndefined();
  expect(joiner.rest()).toEqual(new Uint8Array([1, 2, 2]));
  expect(joiner.rest()).toBeUndefined();
});

test('a single frame is not copied', () => {
  const joiner = createFrameJoiner();
  const small = frame(10);
  joiner.add(small);
  expect(joiner.rest()).toBe(small);
  const large = frame(1_000_000);
  expect(joiner.add(large)).toBe(large);
});

test('contiguous frames are sent without a copy, and others are copied', () => {
  const memory = Uint8Array.from({ length: 100 }, (_, index) => index);
  const joined = (...ranges: (readonly [number, number])[]): Uint8Array | undefined => {
    const joiner = createFrameJoiner();
    for (const range of ranges) joiner.add(memory.subarray(...range));
    return joiner.rest();
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
      const joiner = createFrameJoiner();
      const chunks = [...sizes.map((size) => joiner.add(frame(size))), joiner.rest()].filter(
        (chunk) => chunk !== undefined,
      );
      expect(Buffer.compare(Buffer.concat(chunks), Buffer.concat(sizes.map(frame)))).toBe(0);
      for (const chunk of chunks) expect(chunk.length).toBeLessThan(131_072 + 100_000);
    }),
    { numRuns: 50 },
  );
});

test('Frames of different pieces of memory are copied, although their places would follow each other.', () => {
  const [one, other] = [1, 2].map((value) => new Uint8Array(20).fill(value)) as [Uint8Array, Uint8Array];
  const joiner = createFrameJoiner();
  joiner.add(one.subarray(0, 10));
  joiner.add(other.subarray(10, 20));
  expect(joiner.rest()).toEqual(Uint8Array.from({ length: 20 }, (_, index) => (index < 10 ? 1 : 2)));
});
