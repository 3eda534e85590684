import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findText } from '../../../src/json/find-text.js';

test('findText finds a part where a plain search does, whichever of its characters is looked for', () => {
  // Few characters, so that parts occur, also overlapping, and nearly occur.
  const some = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.constantFrom('a', 'b', '"'), minLength, maxLength });
  fc.assert(
    fc.property(some(0, 40), some(1, 4), fc.nat(3), fc.nat(45), (text, part, anchor, from) => {
      expect(findText(text, part, anchor % part.length, from)).toBe(from > text.length ? -1 : text.indexOf(part, from));
    }),
  );
});
