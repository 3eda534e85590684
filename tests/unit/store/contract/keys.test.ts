import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  compareBytes,
  copyOfKey,
  isWellFormedKey,
  keyOfText,
  keyText,
  matchesAt,
  sameBytes,
} from '../../../../src/store/contract/keys.js';

const bytes = (): fc.Arbitrary<Uint8Array> =>
  fc.oneof(fc.uint8Array({ max: 2, maxLength: 4 }), fc.uint8Array({ maxLength: 4 }));

it('the text of a key is read back, also if the name has slashes', () => {
  expect(keyText({ namespace: 'shop', name: 'web-1.17a' })).toBe('shop/web-1.17a');
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9-]*$/), fc.string(), (namespace, name) => {
      expect(keyOfText(keyText({ namespace, name }))).toEqual({ namespace, name });
    }),
  );
});

it('a copy of a key has nothing but the key', () => {
  expect(copyOfKey({ namespace: 'a', name: 'b', revision: 1 } as never)).toEqual({ namespace: 'a', name: 'b' });
});

it('a key with a lone surrogate is found', () => {
  expect(isWellFormedKey({ namespace: 'a', name: '\u{1f600}' })).toBe(true);
  expect(isWellFormedKey({ namespace: 'a', name: 'b\ud83d' })).toBe(false);
  expect(isWellFormedKey({ namespace: '\ude00', name: 'b' })).toBe(false);
});

it.each([undefined, null, 'a/b', {}, { namespace: 'a' }, { name: 'b' }, { namespace: 1, name: 'b' }])(
  'the value %j is no key',
  (key) => {
    expect(() => isWellFormedKey(key as never)).toThrow(
      new TypeError('a key must be an object with the strings namespace and name'),
    );
  },
);

it('bytes are compared as Node compares them', () => {
  fc.assert(
    fc.property(bytes(), bytes(), (one, other) => {
      expect(Math.sign(compareBytes(one, other))).toBe(Buffer.compare(one, other));
      expect(sameBytes(one, other)).toBe(Buffer.compare(one, other) === 0);
    }),
    { numRuns: 500 },
  );
});

it('a part is found only where all its bytes are', () => {
  fc.assert(
    fc.property(bytes(), bytes(), fc.nat(4), (all, part, at) => {
      expect(matchesAt(all, at, part)).toBe(Buffer.compare(all.subarray(at, at + part.length), part) === 0);
    }),
    { numRuns: 500 },
  );
});
