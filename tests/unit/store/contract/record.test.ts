import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordBytes, recordLength } from '../../../../src/store/contract/record.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe('a record as JSON', () => {
  test('has every revision with all its digits', () => {
    const head = '{"metadata":{"name":"a",';
    const tail = '"uid":"u"}}';
    const event = { bytes: encode(head + tail), cut: head.length, uid: 'u', fields: {}, labels: {} };
    const edges = [0, 9, 10, 99_999_999, 100_000_000, 100_000_001, 2 ** 31, Number.MAX_SAFE_INTEGER];
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(...edges), fc.maxSafeNat(), fc.nat(200_000_000)),
        fc.constantFrom('', '"kind":"Event",'),
        (revision, prefix) => {
          const record = { key: { namespace: 'n', name: 'a' }, revision, event, expiresAt: 1 };
          const expected = `{${prefix}${head.slice(1)}"resourceVersion":"${revision}",${tail}`;
          expect(text(recordBytes(record, encode(prefix)))).toBe(expected);
          expect(recordLength(record, encode(prefix))).toBe(expected.length);
        },
      ),
      { numRuns: 300 },
    );
  });
});
