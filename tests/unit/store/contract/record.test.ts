import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordBytes, recordLength, recordsSize, type EncodedEvent } from '../../../../src/store/contract/record.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

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

  test('is made from the pieces of a store that has events in pieces', () => {
    const event: EncodedEvent = {
      get bytes(): never {
        throw new Error('assembled');
      },
      size: 3,
      cut: 1,
      uid: 'u',
      fields: {},
      labels: {},
      copyApart(target, at, first, second) {
        target.set(encode('{'), at);
        target.set(encode('a}'), at + 1 + first + second);
      },
    };
    const record = { key: { namespace: 'n', name: 'a' }, revision: 7, event, expiresAt: 1 };
    expect(text(recordBytes(record, encode('b')))).toBe('{b"resourceVersion":"7",a}');
    expect(recordsSize([])).toBe(0);
    expect(recordsSize([record, record, { ...record, event: { ...sampleEvent(), bytes: encode('1234') } }])).toBe(10);
  });
});
