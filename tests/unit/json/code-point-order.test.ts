import fc from 'fast-check';
import { expect, it } from 'vitest';
import { byCodePoint } from '../../../src/json/code-point-order.js';

it('texts are compared by their bytes in UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (left, right) => {
      const expected = Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(right)));
      expect(Math.sign(byCodePoint(left, right))).toBe(expected);
    }),
  );
});
