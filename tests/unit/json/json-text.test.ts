import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indentJson } from '../../../src/json/indent.js';
import { memberBytes } from '../../../src/json/raw-json.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array | undefined): string | undefined => bytes && new TextDecoder().decode(bytes);

describe('indentJson', () => {
  it('agrees with JSON.stringify with two spaces', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentJson(JSON.stringify(value), 0)).toBe(JSON.stringify(value, null, 2));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the order of keys and the digits of numbers', () => {
    expect(indentJson('{"10":1,"9":12345678901234567890}', 0)).toBe('{\n  "10": 1,\n  "9": 12345678901234567890\n}');
  });

  it('continues at a given depth', () => {
    expect(indentJson('{"a":[]}', 2)).toBe('{\n      "a": []\n    }');
  });
});

describe('memberBytes', () => {
  it('returns the bytes of a member, wherever it is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), fc.nat(5), (others, value, at) => {
        const entries = Object.entries(others).filter(([key]) => key !== 'metadata');
        entries.splice(at, 0, ['metadata', value]);
        const members = entries.map(([key, member]) => `${JSON.stringify(key)}:${JSON.stringify(member)}`);
        expect(decode(memberBytes(encode(`{${members.join(',')}}`), 'metadata'))).toBe(JSON.stringify(value));
      }),
      { numRuns: 300 },
    );
  });

  it('ignores nested members and strings', () => {
    expect(
      memberBytes(encode('{"a":{"metadata":1},"b":"\\"metadata\\":2","c":["metadata"]}'), 'metadata'),
    ).toBeUndefined();
    expect(memberBytes(encode('{}'), 'metadata')).toBeUndefined();
    expect(decode(memberBytes(encode('{"metadataX":1,"metadata":2}'), 'metadata'))).toBe('2');
  });
});
