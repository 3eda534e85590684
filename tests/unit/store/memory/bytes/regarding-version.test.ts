import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasRegardingVersion, regardingVersion } from '../../../../../src/store/memory/bytes/regarding-version.js';

const encoder = new TextEncoder();

test('hasRegardingVersion agrees with regardingVersion', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '"resourceVersion":"',
      '"',
      '7',
      '12',
      '\\',
      'V',
      '"resourceVersion"',
      '\u0001',
      'é',
      'x'.repeat(40),
    ),
    fc.string({ maxLength: 4 }),
  );
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, text, fc.nat(30), (whole, other, from) => {
      const bytes = encoder.encode(whole);
      const found = regardingVersion(bytes, from);
      for (const version of [found ?? 'none', other, '7', '12', '']) {
        expect(hasRegardingVersion(bytes, from, version)).toBe(found === version);
      }
    }),
    { numRuns: 500 },
  );
});
