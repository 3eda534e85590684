import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_MEMBERS, membersWithin } from '../../../../src/json/member-count.js';
import { createBodyLimits, requireStorable, parseJson } from '../../../../src/api/body/parse-body.js';
import { MAX_DEPTH, parseEmbedded } from '../../../../src/json/parse-json.js';
import { scanJson } from '../../../../src/json/scan-json.js';

const items = (count: number): string => `[${Array<string>(count).fill('1').join(',')}]`;
const fields = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"${i}":1`).join(',')}}`;

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + 1 + membersOf(member), 0);
}

describe('a text', () => {
  test('may have a bounded number of fields and items', () => {
    for (const make of [items, fields]) {
      expect(parseJson(make(MAX_MEMBERS), MAX_MEMBERS)).toHaveProperty('document');
      expect(() => parseJson(make(MAX_MEMBERS + 1), MAX_MEMBERS)).toThrow(
        'Request entity too large: the body has more than 4000 fields and list items',
      );
    }
  });

  test('that is embedded in an object is an error when it has too many items', () => {
    expect(parseEmbedded(items(MAX_MEMBERS))).toHaveProperty('document');
    expect(parseEmbedded(items(MAX_MEMBERS + 1))).toHaveProperty('error');
  });

  test('that is nested too deeply is refused for that, and up to that depth for its members', () => {
    expect(parseJson('['.repeat(100_000), MAX_MEMBERS)).toHaveProperty('error');
    const nested = (depth: number): string => '['.repeat(depth) + items(10) + ']'.repeat(depth);
    expect(() => parseJson(nested(MAX_DEPTH - 1), MAX_DEPTH + 5)).toThrow('the body has more than 1005 fields');
    expect(parseJson(nested(MAX_DEPTH), MAX_DEPTH + 5)).toEqual({ error: "invalid character '[' exceeded max depth" });
  });

  test.each([
    ['a name', (length: number) => `{"${'k'.repeat(length)}":1}`],
    ['a value', (length: number) => `{"k":"${'v'.repeat(length)}"}`],
    ['an item', (length: number) => `["${'v'.repeat(length)}"]`],
  ])('counts each 256 characters of %s as one more member, up to 1,024', (_, make) => {
    const short = scanJson(make(255), Infinity).members;
    for (const [length, more] of [
      [256, 1],
      [511, 1],
      [512, 2],
      [250_000, 976],
      [1_000_000, 1_024],
    ] as const) {
      const text = make(length);
      expect(scanJson(text, Infinity).members).toBe(short + more);
      expect(membersWithin(JSON.parse(text), 1 + more)).toBe(true);
      expect(membersWithin(JSON.parse(text), more)).toBe(false);
    }
  });

  test('with more strings or colons than JSON can have is not read to its end', () => {
    expect(scanJson('""'.repeat(1_000_000), Infinity)).toMatchObject({ needsStrictParser: true, members: 0 });
    expect(scanJson(`{${':'.repeat(1_000_000)}`, Infinity)).toMatchObject({ needsStrictParser: true, keys: 2 });
    expect(parseJson('"a""b"', MAX_MEMBERS)).toEqual({ error: "invalid character '\"' after top-level value" });
  });

  test('is read only up to the first member too many', () => {
    expect(scanJson(items(1_000_000), 10).members).toBe(11);
  });

  test('has no more members than the scan counts', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const read = JSON.parse(JSON.stringify(value)) as unknown;
        expect(scanJson(JSON.stringify(read), Infinity).members).toBeGreaterThanOrEqual(membersOf(read));
      }),
    );
  });
});

describe('a value', () => {
  test('is counted at all levels', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const count = membersOf(value);
        expect(membersWithin(value, count)).toBe(true);
        if (count > 0) expect(membersWithin(value, count - 1)).toBe(false);
      }),
    );
  });

  test('that results from a change is refused when it has more members than can be stored', () => {
    const most = createBodyLimits().storedMembers;
    const json = items(most + 1).replaceAll('1', '"a"');
    const value = JSON.parse(json) as object;
    expect(() => requireStorable(value, json.length, most)).toThrow('the changed object has more than 8100 fields');
    expect(() => requireStorable({ a: 1 }, 1_000_000, most)).not.toThrow();
    expect(() => requireStorable(value, 100, most)).not.toThrow();
  });
});
