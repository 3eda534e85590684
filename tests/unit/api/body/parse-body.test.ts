import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bodyText, MAX_DEPTH } from '../../../../src/json/parse-json.js';
import { parseJson } from '../../../../src/api/body/parse-body.js';
import { MAX_MEMBERS } from '../../../../src/json/member-count.js';
import { parseStrictJson } from '../../../../src/json/strict-json.js';
import { scanJson } from '../../../../src/json/scan-json.js';

const error = (text: string): string | undefined => {
  const result = parseJson(text, MAX_MEMBERS);
  return 'error' in result ? result.error : undefined;
};

const document = (text: string) => {
  const result = parseJson(text, MAX_MEMBERS);
  if ('error' in result) throw new Error(result.error);
  return result.document;
};

describe('syntax errors are worded as in Go', () => {
  test.each([
    ['', 'unexpected end of JSON input'],
    [' ', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a":1', 'unexpected end of JSON input'],
    ['"abc', 'unexpected end of JSON input'],
    ['{"a":', 'unexpected end of JSON input'],
    ['[1', 'unexpected end of JSON input'],
    ['tru', "invalid character ' ' in literal true (expecting 'e')"],
    ['{"a":n', "invalid character ' ' in literal null (expecting 'u')"],
    ['-', "invalid character ' ' in numeric literal"],
    ['1.', "invalid character ' ' after decimal point in numeric literal"],
    ['"\\', "invalid character ' ' in string escape code"],
    ['"\\u12', "invalid character ' ' in \\u hexadecimal character escape"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ['// x', "invalid character '/' looking for beginning of value"],
    ['{"a":}', "invalid character '}' looking for beginning of value"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 2}', "invalid character '2' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{"a":1}{"b":2}', "invalid character '{' after top-level value"],
    ['02', "invalid character '2' after top-level value"],
    ['{"a":0x1}', "invalid character 'x' after object key:value pair"],
    ['-a', "invalid character 'a' in numeric literal"],
    ['1.a', "invalid character 'a' after decimal point in numeric literal"],
    ['1e+', "invalid character ' ' in exponent of numeric literal"],
    ['1ea', "invalid character 'a' in exponent of numeric literal"],
    ['trux', "invalid character 'x' in literal true (expecting 'e')"],
    ['nil', "invalid character 'i' in literal null (expecting 'u')"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ["'", "invalid character '\\'' looking for beginning of value"],
    ['[}', "invalid character '}' looking for beginning of value"],
  ])('in the text %j', (text, words) => expect(error(text)).toBe(words));
});

describe('the depth of nesting', () => {
  test('is limited in objects and arrays', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(error(nested(MAX_DEPTH))).toBeUndefined();
    expect(error(nested(MAX_DEPTH + 1))).toBe("invalid character '[' exceeded max depth");
    expect(error('{"a":'.repeat(10_001))).toBe("invalid character '{' exceeded max depth");
    expect(error('['.repeat(1_000_000))).toBe("invalid character '[' exceeded max depth");
  });

  test('ignores brackets inside strings', () => {
    expect(document(`"${'['.repeat(5000)}"`).value).toHaveLength(5000);
  });
});

describe('duplicate keys', () => {
  test('are reported with their paths, and the last value wins', () => {
    const found = document('{"a":1,"b":{"c":1,"c":2},"a":[{"x":1},{"x":1,"\\u0078":3}]}');
    expect(found.duplicates).toEqual(['b.c', 'a', 'a[1].x']);
    expect(found.value).toEqual({ a: [{ x: 1 }, { x: 3 }], b: { c: 2 } });
  });

  test.each(['', 'a'])(
    'are reported up to a length of their paths, however short the path as a text: key %j',
    (key) => {
      const deep = (depth: number, count: number): string =>
        `{"${key}":`.repeat(depth) + `{${`"${key}":1,`.repeat(count)}"b":1}` + '}'.repeat(depth);
      expect(document(deep(900, 2000)).duplicates.length).toBeLessThan(80);
      expect(document(deep(0, 2000)).duplicates).toHaveLength(1999);
    },
  );

  test('are not reported for ordinary documents', () => {
    expect(document('{"a":{"a":1},"b":{"a":1},"c":":\\":{","d":[{"a":1},{"a":1}]}').duplicates).toEqual([]);
  });
});

describe('what JSON.parse loses', () => {
  test('is not looked for in an ordinary document', () => {
    const value = { a: { b: [{ c: {} }, null] }, d: [{ e: 1 }, []], f: 'g' };
    expect(Object.keys(document(JSON.stringify(value)))).toEqual(['value', 'duplicates']);
    expect(document(JSON.stringify({ ...value, h: 0.5 }))).toHaveProperty('numbers');
  });

  test('includes the written form of numbers, which is kept where it is not canonical', () => {
    const { value, numbers } = document('{"a":2.0,"b":20e-1,"c":7,"d":99999999999999999999,"e":1e400,"f":[1.5]}');
    const of = numbers?.get(value as object);
    expect([of?.get('a'), of?.get('b'), of?.get('c'), of?.get('d'), of?.get('e')]).toEqual([
      '2.0',
      '20e-1',
      undefined,
      '99999999999999999999',
      '1e400',
    ]);
  });

  test('includes half surrogates, which become U+FFFD', () => {
    expect(document('["\\ud800","\\ud83d\\ude00","\\udc00x"]').value).toEqual(['\ufffd', '😀', '\ufffdx']);
  });
});

test('keys with a meaning in JavaScript are plain data', () => {
  for (const text of ['{"__proto__":{"x":1},"constructor":2}', '{"__proto__":{"x":1.5},"constructor":2}']) {
    const value = document(text).value as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value['x']).toBeUndefined();
  }
});

test('invalid UTF-8 becomes U+FFFD', () => {
  expect(bodyText(Uint8Array.of(0x61, 0xff, 0xfe, 0x62))).toBe('a\ufffd\ufffdb');
});

describe('for any JSON', () => {
  const anyJson = fc.oneof(fc.json({ maxDepth: 5 }), fc.json({ noUnicodeString: false }));

  test('the strict parser and JSON.parse agree', () => {
    fc.assert(
      fc.property(anyJson, (text) => {
        const strict = parseStrictJson(text, 100);
        if ('error' in strict) throw new Error(strict.error);
        const plain = JSON.parse(text) as unknown;
        expect(JSON.stringify(strict.document.value)).toBe(JSON.stringify(plain));
        expect(document(text).duplicates).toEqual([]);
      }),
      { examples: [['{"":{"-0,":""},"a":[-0]}']] },
    );
  });

  test('the scan counts the keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        let keys = 0;
        JSON.parse(text, function (this: unknown, key, member: unknown) {
          if (key !== '' || (typeof this === 'object' && this !== null && !Array.isArray(this))) {
            if (!Array.isArray(this)) keys++;
          }
          return member;
        });
        // The reviver is called once more, for the root.
        expect(scanJson(text, Infinity).keys).toBe(keys - 1);
      }),
    );
  });

  test('the scan counts the keys of indented text, and needs no strict parser for it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const list = [[[[[JSON.parse(JSON.stringify(value)) as unknown, 1, true, null]]]]];
        const indented = JSON.stringify(list, null, ' '.repeat(10));
        expect(scanJson(indented, Infinity).keys).toBe(scanJson(JSON.stringify(list), Infinity).keys);
        if (!scanJson(JSON.stringify(list), Infinity).needsStrictParser) {
          expect(scanJson(indented, Infinity).needsStrictParser).toBe(false);
        }
        expect(parseJson(indented, MAX_MEMBERS)).toMatchObject({ document: { value: list } });
      }),
    );
  });

  test.each([16, 31, 32, 33, 1000])('a number or a word is read within %i blanks', (count) => {
    const blanks = ' '.repeat(count);
    expect(document(`{"a":${blanks}1.50${blanks},"b":${blanks}true${blanks}}`).value).toEqual({ a: 1.5, b: true });
    expect(scanJson(`{"a":${blanks}1.50${blanks}}`, Infinity).needsStrictParser).toBe(true);
    expect(scanJson(`[${blanks}1${blanks}, 1${blanks}]${blanks}`, Infinity)).toMatchObject({ members: 2, depth: 1 });
    expect(error(`[1${blanks}2]`)).toBe("invalid character '2' after array element");
    expect(error(`${blanks}x${blanks}{}`)).toBe("invalid character 'x' looking for beginning of value");
  });

  test.each([15, 16, 31, 32, 33, 1000])('a number of %i digits keeps its text', (count) => {
    const digits = '1'.repeat(count);
    expect(document(`[${digits}]`).value).toEqual([Number(digits)]);
    expect(scanJson(`[${digits}]`, Infinity).needsStrictParser).toBe(count > 15);
    expect(scanJson(`[${digits},{"a":[]}]`, Infinity)).toMatchObject({ keys: 1, members: 4, depth: 3 });
    expect(error(`[${digits}.]`)).toBe("invalid character ']' after decimal point in numeric literal");
  });

  test('any text is either read or refused, as JSON.parse does', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          anyJson.chain((text) => fc.nat(text.length).map((at) => text.slice(0, at))),
        ),
        (text) => {
          let fine = true;
          try {
            JSON.parse(text);
          } catch {
            fine = false;
          }
          expect(error(text) === undefined).toBe(fine);
        },
      ),
    );
  });
});
