import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createBodyLimits } from '../../../../src/api/body/parse-body.js';
import { writeYaml, yamlPieces } from '../../../../src/api/yaml/write-yaml.js';
import { parseYaml } from '../../../../src/api/yaml/yaml.js';

describe('YAML has the layout of kube-apiserver', () => {
  test('for an event with every difficult value', () => {
    const words = (count: number): string => Array(count).fill('word').join(' ');
    const value = {
      kind: 'Event',
      apiVersion: 'events.example.com/v1',
      metadata: {
        name: 'a',
        labels: { yes: 'no', n: '123', t: 'true' },
        annotations: { multi: 'one\ntwo\n', long: `${words(46)} end`, empty: '' },
        managedFields: [
          {
            manager: 'm',
            fieldsV1: { 'f:metadata': { 'f:finalizers': { '.': {}, 'v:"example.com/a"': {} } } },
            time: '2024-03-05T06:07:08Z',
          },
        ],
      },
      eventTime: '2024-03-05T06:07:08.123456Z',
      deprecatedSource: {},
      deprecatedFirstTimestamp: null,
      note: 'colon: and "quotes" # hash',
      series: { count: 2 },
    };
    expect(writeYaml(value)).toBe(`apiVersion: events.example.com/v1
deprecatedFirstTimestamp: null
deprecatedSource: {}
eventTime: "2024-03-05T06:07:08.123456Z"
kind: Event
metadata:
  annotations:
    empty: ""
    long: word word word word word word word word word word word word word word word
      word word word word word word word word word word word word word word word word
      word word word word word word word word word word word word word word word end
    multi: |
      one
      two
  labels:
    "n": "123"
    t: "true"
    "yes": "no"
  managedFields:
  - fieldsV1:
      f:metadata:
        f:finalizers:
          .: {}
          v:"example.com/a": {}
    manager: m
    time: "2024-03-05T06:07:08Z"
  name: a
note: 'colon: and "quotes" # hash'
series:
  count: 2
`);
  });

  test('for a long message in single quotes, which is folded', () => {
    const message =
      'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
    expect(writeYaml({ message })).toBe(
      `message: 'only the following media types are accepted: application/json;stream=watch,\n` +
        `  application/vnd.kubernetes.protobuf;stream=watch'\n`,
    );
  });

  test.each([
    ['plain text', 'plain text'],
    ['', '""'],
    ['true', '"true"'],
    ['null', '"null"'],
    ['1e3', '"1e3"'],
    ['1e309', '1e309'],
    ['0x1F', '"0x1F"'],
    ['0x10000000000000000', '0x10000000000000000'],
    ['2024-01-01', '"2024-01-01"'],
    ['2024-01-01 1:2:3', '"2024-01-01 1:2:3"'],
    ['12:30', '"12:30"'],
    ['-1:30', '"-1:30"'],
    ['<<', '"<<"'],
    ['-', "'-'"],
    ['- a', "'- a'"],
    ['-a', '-a'],
    ['a:b', 'a:b'],
    ['a: b', "'a: b'"],
    ['a #b', "'a #b'"],
    ["it's: x", "'it''s: x'"],
    [' lead', "' lead'"],
    ['a\tb', '"a\\tb"'],
    ['ü', 'ü'],
    ['😀', '"\\U0001F600"'],
    ['\ufeff', '"\\uFEFF"'],
    ['\u0000', '"\\0"'],
    ['\u0001', '"\\x01"'],
    ['<a@b>', '<a@b>'],
    ['[x]', "'[x]'"],
    ['a\nb', '|-\n  a\n  b'],
    [' a\n', '|2\n   a'],
    ['a\n\n', '|+\n  a\n'],
    ['a \nb', '"a \\nb"'],
  ])('for the text %j', (text, written) => expect(writeYaml({ k: text })).toBe(`k: ${written}\n`));

  test.each([
    ['a space in a word that is too long', `${'x'.repeat(90)} y`, `${'x'.repeat(90)}\n  y`],
    ['two spaces, which stay together', `${'x'.repeat(90)}  y z`, `${'x'.repeat(90)}  y\n  z`],
    ['quotes that are doubled', `: ${"'".repeat(40)} y z`, `': ${"'".repeat(80)}\n  y z'`],
    ['letters beyond ASCII, which are one column wide', `: ${'ü'.repeat(79)}x y z`, `': ${'ü'.repeat(79)}x\n  y z'`],
    ['a space before the last character', `: ${'x'.repeat(90)} y`, `': ${'x'.repeat(90)}\n  y'`],
    ['a space that is the last character', `${'x'.repeat(90)} `, `'${'x'.repeat(90)} '`],
    ['escapes, as long as they are written', `${'\t'.repeat(41)} y`, `"${'\\t'.repeat(41)}\n  y"`],
    ['the first of two spaces in double quotes', `\t${'x'.repeat(90)}  y`, `"\\t${'x'.repeat(90)}\n  \\ y"`],
    ['half a surrogate pair', '\ud83dx\ude00', '"\\uD83Dx\\uDE00"'],
    ['characters of two and three bytes beside an escape', 'ü漢\u0085\u2028\ufffe', '"ü漢\\N\\L\\uFFFE"'],
    ['a space of another kind before a hash', 'a\u3000#', "'a\u3000#'"],
    ['a number with underscores', '1_000', '"1_000"'],
    ['underscores after a number and something else', '1_ü', '1_ü'],
  ])('for the value %s', (_what, text, written) => expect(writeYaml({ k: text })).toBe(`k: ${written}\n`));

  test('for quotes and spaces of any number at any indentation, which are read back unchanged', () => {
    const piece = fc.tuple(fc.nat(90), fc.constantFrom('', ' ', '  ', 'x ', 'é '));
    const pieces = fc.array(piece, { minLength: 1, maxLength: 30 });
    // The first character decides between single and double quotes.
    const texts = fc.tuple(fc.constantFrom(':', '\t'), pieces).map(([first, given]) => {
      return `${first} ${given.map(([quotes, rest]) => `${"'".repeat(quotes)}${rest}`).join('')}.`;
    });
    fc.assert(
      fc.property(texts, fc.nat(60), (text, depth) => {
        let value: unknown = text;
        for (let level = 0; level < depth; level++) value = { a: value };
        expect(parseYaml(writeYaml({ k: value }), createBodyLimits())).toMatchObject({ value: { k: value } });
      }),
    );
    const text = `: ${`${"'".repeat(39)} `.repeat(500)}.`;
    expect(parseYaml(writeYaml({ a: { b: text } }), createBodyLimits())).toMatchObject({ value: { a: { b: text } } });
  });

  test('in pieces of whole lines that give the same text together', () => {
    const value = {
      a: { b: ['one', 'two\nthree\n', { c: 'd '.repeat(100) }], e: {} },
      f: [],
      [`long ${'key'.repeat(60)}`]: ['x'],
    };
    for (const length of [1, 20, 100, Infinity]) {
      const pieces = [...yamlPieces(value, length)];
      expect(pieces.join('')).toBe(writeYaml(value));
      expect(pieces.every((piece) => piece === '' || piece.endsWith('\n'))).toBe(true);
      if (length === 1) expect(pieces.length).toBeGreaterThan(4);
      if (length === Infinity) expect(pieces.length).toBe(1);
    }
  });

  test('for lists, nested and empty', () => {
    expect(writeYaml({ b: [[1, [2]], { a: { c: [] }, d: [{ e: 1, f: 2 }] }, []] })).toBe(
      'b:\n- - 1\n  - - 2\n- a:\n    c: []\n  d:\n  - e: 1\n    f: 2\n- []\n',
    );
    expect(writeYaml([])).toBe('[]\n');
    expect(writeYaml(['a', { b: 1 }])).toBe('- a\n- b: 1\n');
    expect(writeYaml({})).toBe('{}\n');
    expect(writeYaml('x')).toBe('x\n');
  });

  const long = 'x'.repeat(129);
  test.each<[string, unknown, string]>([
    ['a map', { [long]: { a: { b: [] }, c: 1 } }, `? ${long}\n: a:\n    b: []\n  c: 1\n`],
    ['a list', { k: { [long]: ['a', { b: 1, c: 2 }] } }, `k:\n  ? ${long}\n  : - a\n    - b: 1\n      c: 2\n`],
    ['a map', { 'a\rb': { c: 1 }, 'd\ne': [2] }, '? "a\\rb"\n: c: 1\n? "d\\ne"\n: - 2\n'],
    ['a text of two lines', [{ [long]: 'a\nb' }], `- ? ${long}\n  : |-\n    a\n    b\n`],
  ])('with %s after a long or broken key on the line of the colon', (_, value, written) => {
    expect(writeYaml(value)).toBe(written);
    expect(parseYaml(written, createBodyLimits())).toMatchObject({ value });
  });

  test('with keys on one line, however deep they are', () => {
    let value: Record<string, unknown> = { [`${'a '.repeat(500)}b\nc`]: 1 };
    for (let level = 0; level < 500; level++) value = { a: value };
    expect(writeYaml(value).split('\n')).toHaveLength(503);
  });

  test('with deep keys in quotes without memory for margins', () => {
    let value: Record<string, unknown> = { [`a: ${"'".repeat(100_000)}`]: 1 };
    for (let level = 0; level < 500; level++) value = { a: value };
    const lengths: unknown[] = [];
    const construct = (target: Uint8ArrayConstructor, [length]: [number]): Uint8Array => {
      lengths.push(length);
      return new target(length);
    };
    vi.stubGlobal('Uint8Array', new Proxy(Uint8Array, { construct }));
    try {
      expect(writeYaml(value)).toContain(`? 'a: ${"''".repeat(100_000)}'\n`);
    } finally {
      vi.unstubAllGlobals();
    }
    expect(lengths).toEqual([200_008]);
  });

  test('with keys in natural order, and without what JSON omits', () => {
    const value = { a10: 1, a9: 1, B: 1, a: 1, 'f:x': 1, '.': 1, a1b: 1, z: undefined };
    expect(writeYaml(value).match(/^[^:]*(?=:)/gm)).toEqual(['.', 'B', 'a', 'a1b', 'a9', 'a10', 'f']);
  });
});

describe('the order of long keys', () => {
  const inOrder = (keys: readonly string[]): void => {
    const value = Object.fromEntries([...keys].reverse().map((key) => [key, 1]));
    const read = [...writeYaml(value).matchAll(/^\? (.*)$/gm)].map(([, key]) => (key ?? '').replace(/^"(.*)"$/, '$1'));
    expect(read).toEqual(keys);
  };
  const common = 'x'.repeat(1000);

  test('depends on what follows their common prefix', () => {
    inOrder([`${common}-`, `${common}9`, `${common}10`, `${common}a`, `${common}aa`, `${common}b`]);
  });

  test('counts zeros as digits of a number that began before', () => {
    inOrder([`${common}2`, `${common}1${'0'.repeat(600)}`, `${common}1${'0'.repeat(600)}1`]);
    inOrder([`${common}${'0'.repeat(600)}`, `${common}${'0'.repeat(600)}1`]);
  });

  test('compares numbers of any length, the shorter one first', () => {
    inOrder([`${common}${'7'.repeat(400)}`, `${common}${'7'.repeat(500)}`, `${common}${'7'.repeat(501)}`]);
  });

  test('compares code points, not UTF-16 units', () => {
    const keys = ['\ue000', '\u{1f600}', '\u{1f601}'].map((last) => `${common}${last}`);
    const written = writeYaml(Object.fromEntries([...keys].reverse().map((key, index) => [key, index])));
    expect([...written.matchAll(/: (\d)$/gm)].map(([, value]) => value)).toEqual(['2', '1', '0']);
  });
});

test('any JSON survives a round trip', async () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[-a1:#'"\\ \n,?{}[\]&*!|>%@`~.]{0,12}$/),
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.boolean(), fc.constant(null), tie('list'), tie('map')),
    list: fc.array(tie('value'), { maxLength: 3 }),
    map: fc.dictionary(text, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  })).value;
  await fc.assert(
    fc.asyncProperty(json, async (value) => {
      const written = writeYaml(value);
      expect({ written, read: parseYaml(written, createBodyLimits()) }).toEqual({
        written,
        read: { value, duplicates: [] },
      });
    }),
    { numRuns: 500 },
  );
});
