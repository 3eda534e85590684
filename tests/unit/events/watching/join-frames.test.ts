import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFrameJoiner } from '../../../../src/events/watching/join-frames.js';

const frame = (size: number): Uint8Array => new Uint8Array(size).fill(size % 251);

test('nothing in, nothing out', () => {
  expect(createFrameJoiner().rest()).toBeUndefined();
});

test('small frames leave together, once', () => {
  const joiner = createFrameJoiner();
  expect(joiner.add(frame(1))).toBeUndefined();
  expect(joiner.add(frame(2))).toBeUndefined();
  expect(joiner.rest()).toEqual(new Uint8Array([1, 2, 2]));
  expect(joiner.rest()).toBeUndefined();
});

test('one frame alone is not copied', () => {
  const joiner = createFrameJoiner();
  const small = frame(10);
  joiner.add(small);
  expect(joiner.rest()).toBe(small);
  const large = frame(1_000_000);
  expect(joiner.add(large)).toBe(large);
});

test('whatever comes, all of it leaves in order, in chunks that are bounded', () => {
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
