import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodePath, originForm, parseQuery, splitUrl } from '../../../src/http/url.js';

describe('splitUrl', () => {
  test.each([
    ['/readyz', '/readyz', ''],
    ['/readyz?', '/readyz', ''],
    ['/readyz?verbose', '/readyz', 'verbose'],
    ['/a?b?c', '/a', 'b?c'],
    ['http://host:80/a?b', '/a', 'b'],
    ['HTTPS://user@host/a', '/a', ''],
    ['http://host', '/', ''],
    ['http://host?verbose', '/', 'verbose'],
    ['//host/path', '//host/path', ''],
    ['*', '*', ''],
    ['', '', ''],
  ])('splits the target %s', (target, path, query) => {
    expect(splitUrl(target)).toEqual({ path, query });
  });

  test('leaves an origin form unchanged', () => {
    fc.assert(fc.property(fc.webPath(), (path) => originForm(`/${path}`) === `/${path}`));
  });
});

describe('decodePath', () => {
  test.each([
    ['/plain', '/plain'],
    ['/a+b', '/a+b'],
    ['/a%2Fb', '/a/b'],
    ['/a%2fb', '/a/b'],
    ['/%252F', '/%2F'],
    ['/caf%C3%A9', '/café'],
    ['/é%C3%A9', '/éé'],
    ['/%ff', '/\ufffd'],
    ['/é%ff%41', '/é\ufffdA'],
    ['/%EF%BB%BFx%ff', '/\ufeffx\ufffd'],
  ])('decodes the path %s', (path, decoded) => {
    expect(decodePath(path)).toBe(decoded);
  });

  test.each(['/%', '/%4', '/%zz', '/%4g', '/ok%41/%G1'])('refuses %s, which has a bad escape', (path) => {
    expect(decodePath(path)).toBeUndefined();
  });

  test('is the inverse of encodeURIComponent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => decodePath(`/${encodeURIComponent(text)}`) === `/${text}`),
    );
  });

  test('never throws an error', () => {
    const parts = fc.array(fc.oneof(fc.constantFrom('%', '%f', '%ff', '%C3', '+', '/'), fc.string()));
    fc.assert(
      fc.property(parts, (pieces) => {
        decodePath(pieces.join(''));
        parseQuery(pieces.join('&'));
      }),
    );
  });
});

describe('parseQuery', () => {
  test.each([
    ['', []],
    ['verbose', [['verbose', ['']]]],
    [
      'a=1&a=2&b=',
      [
        ['a', ['1', '2']],
        ['b', ['']],
      ],
    ],
    ['&&a=1&', [['a', ['1']]]],
    ['=x', [['', ['x']]]],
    ['a=b=c', [['a', ['b=c']]]],
    ['a+b=c+d', [['a b', ['c d']]]],
    ['a%2Bb=%26', [['a+b', ['&']]]],
    ['a=%zz&b=1', [['b', ['1']]]],
    ['%=1&b=1', [['b', ['1']]]],
    ['a=1;b=2&c=3', [['c', ['3']]]],
    ['a=%3B', [['a', [';']]]],
    ['a=%EF%BB%BFb', [['a', ['\ufeffb']]]],
  ])('parses the query %s', (query, expected) => {
    expect([...parseQuery(query)]).toEqual(expected);
  });

  test('treats names of object properties as plain keys', () => {
    const query = parseQuery('__proto__=1&constructor=2&toString=3');
    expect([...query.keys()]).toEqual(['__proto__', 'constructor', 'toString']);
    expect(({} as Record<string, unknown>)['1']).toBeUndefined();
  });

  test('reads the output of URLSearchParams', () => {
    const pairs = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })));
    fc.assert(
      fc.property(pairs, (entries) => {
        const query = new URLSearchParams(entries).toString();
        const expected = new Map<string, string[]>();
        for (const [key, value] of entries) expected.set(key, [...(expected.get(key) ?? []), value]);
        expect([...parseQuery(query)]).toEqual([...expected]);
      }),
    );
  });
});

test('decodePath decodes escapes as bytes', () => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const piece = fc.oneof(
    fc
      .uint8Array({ maxLength: 6 })
      .map((bytes) => ({ text: Buffer.from(bytes).toString('hex').replace(/../g, '%$&'), bytes })),
    fc.constantFrom('é', '中', '😀', 'a', '/').map((text) => ({ text, bytes: new TextEncoder().encode(text) })),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const expected = decoder.decode(Buffer.concat(pieces.map(({ bytes }) => bytes)));
      expect(decodePath(pieces.map(({ text }) => text).join(''))).toBe(expected);
      expect(decodePath(pieces.map(({ text }) => text.replace(/%../g, (hex) => hex.toUpperCase())).join(''))).toBe(
        expected,
      );
    }),
  );
});
