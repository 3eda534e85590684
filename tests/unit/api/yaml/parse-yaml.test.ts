import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBodyLimits } from '../../../../src/api/body/parse-body.js';
import { parseYaml } from '../../../../src/api/yaml/yaml.js';

const value = async (text: string): Promise<unknown> => {
  const result = parseYaml(text, createBodyLimits());
  if ('error' in result) throw new Error(result.error);
  return result.value;
};
const error = async (text: string): Promise<string | undefined> => {
  const result = parseYaml(text, createBodyLimits());
  return 'error' in result ? result.error : undefined;
};

describe("scalars have the meaning that Go's YAML library gives them", () => {
  test.each([
    ['yes', true],
    ['On', true],
    ['y', true],
    ['NO', false],
    ['off', false],
    ['~', null],
    ['', null],
    ['Null', null],
    ['5', 5],
    ['-5', -5],
    ['010', 8],
    ['0o10', 8],
    ['0x1F', 31],
    ['0b11', 3],
    ['1_000', 1000],
    ['2.0', 2],
    ['1e3', 1000],
    ['.5', 0.5],
    ['0xffff_ffff_ffff_ffff', 0xffff_ffff_ffff_ffff],
    ['0x10000000000000000', '0x10000000000000000'],
    ['-0x8000000000000000', -0x8000_0000_0000_0000],
    ['-0x8000000000000001', '-0x8000000000000001'],
    ['+0xffffffffffffffff', '+0xffffffffffffffff'],
    ['02000000000000000000000', 2e21],
    ['0o2000000000000000000000', '0o2000000000000000000000'],
    ['1e308', 1e308],
    ['1e309', '1e309'],
    ['._5', '._5'],
    ['12:30:45', '12:30:45'],
    ['2024-01-01', '2024-01-01'],
    ['2024-03-05T06:07:08Z', '2024-03-05T06:07:08Z'],
    ['"yes"', 'yes'],
    ["'5'", '5'],
    ['!!str 5', '5'],
    ['!!int "5"', 5],
    ['! 5', '5'],
    ['!!timestamp 2001-01-01', '2001-01-01'],
    ['!!binary "aGVs\\n bG8="', 'hello'],
    ['!!omap [a: 1]', [{ a: 1 }]],
    ['!own x', 'x'],
    ['nO', 'nO'],
    ['+', '+'],
    ['1.2.3', '1.2.3'],
    ['"\\ud800"', '\ufffd'],
  ])('in the document %s', async (text, meaning) => expect(await value(`a: ${text}`)).toEqual({ a: meaning }));
});

describe('a YAML text', () => {
  test('is null when it is empty, and only its first document counts', async () => {
    expect(await value('')).toBeNull();
    expect(await value('# only words\n')).toBeNull();
    expect(await value('\ufeff# only words\na: 1\n')).toEqual({ a: 1 });
    expect(await value('- a\n---\n- b\n')).toEqual(['a']);
  });

  test('may be JSON, which is a subset', async () => {
    expect(await value('{"a": [1, 2.5, {"b": null}], "c": "\\u00e4"}')).toEqual({ a: [1, 2.5, { b: null }], c: 'ä' });
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (json) => {
        const text = JSON.stringify({ value: json });
        expect(await value(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 50 },
    );
  });

  test.each(['a: "\u0001"', 'a: x\u007fy', '# \u001b[31m\na: x', '\ufffea: x', 'a: x\u0000', 'a: \u009f'])(
    'is refused with control characters: %j',
    async (text) => expect(await error(text)).toBe('yaml: control characters are not allowed'),
  );

  test('may have these characters, and others as escapes', async () => {
    const text = 'a: "\t\u00a0\u2028\ufeff\ufffd\u{1f600}\\x01\\x7f"\r\n';
    expect(await value(text)).toEqual({ a: '\t\u00a0\u2028\ufeff\ufffd\u{1f600}\u0001\u007f' });
  });

  test('is refused where binary data is not base64', async () => {
    expect(await error('a: !!binary "%"')).toBe('yaml: !!binary value contains invalid base64 data');
  });

  test.each([
    ['a map', 'a: 1\n<<: {a: 2, b: 3}\n', { a: 2, b: 3 }],
    ['a map that is overridden', '<<: {a: 2, b: 3}\na: 1\n', { a: 1, b: 3 }],
    ['an alias', 'x: &l {a: "1"}\nz: {<<: *l, b: "2"}\n', { x: { a: '1' }, z: { a: '1', b: '2' } }],
    ['several maps', '<<: [{a: 1}, {a: 2, b: 2}]\n', { a: 1, b: 2 }],
    ['no map', '<<: []\nc: 1\n', { c: 1 }],
    ['a map that merges another', '? !!merge <<\n: {<<: {q: 1}, r: 2}\n', { q: 1, r: 2 }],
  ])('merges the members of %s', async (_, text, expected) => {
    expect(await value(text)).toEqual(expected);
  });

  test('merges with << only where it is a plain key, and only maps', async () => {
    expect(await value('"<<": {c: 1}\n')).toEqual({ '<<': { c: 1 } });
    expect(await value('!!str <<: {c: 1}\n')).toEqual({ '<<': { c: 1 } });
    const refusal = 'yaml: map merge requires map or sequence of maps as the value';
    for (const text of ['<<: 5', '<<: [{a: 1}, 5]', 'l: &l [{a: 1}]\nm: {<<: *l}'])
      expect(await error(text)).toBe(refusal);
  });

  test('has keys as strings, and __proto__ as data', async () => {
    expect(await value('1: a\ntrue: b\n')).toEqual({ '1': 'a', true: 'b' });
    const odd = (await value('__proto__: {x: 1}\nconstructor: 2\n')) as Record<string, unknown>;
    expect(Object.keys(odd)).toEqual(['__proto__', 'constructor']);
    expect(odd['x']).toBeUndefined();
    expect(await error('? {a: b}\n: c')).toBe('yaml: invalid map key');
  });

  test('has duplicate keys reported with their lines, and the last one counts', async () => {
    expect(parseYaml('a: 1\nb:\n  d: "1"\n  d:\n    "2"\na: 2\n', createBodyLimits())).toEqual({
      value: { a: 2, b: { d: '2' } },
      duplicates: ['line 5: key "d" already set in map', 'line 6: key "a" already set in map'],
    });
  });

  test('may have aliases', async () => {
    expect(await value('a: &x {b: 1}\nc: *x\nd: &x 2\ne: *x\n')).toEqual({ a: { b: 1 }, c: { b: 1 }, d: 2, e: 2 });
    expect(await error('a: *x')).toBe("yaml: unknown anchor 'x' referenced");
    expect(await error('a: &x [*x]')).toBe("yaml: anchor 'x' value contains itself");
  });

  test('that is invalid is refused with its line', async () => {
    expect(await error('a: 1\nb: c: d\n')).toMatch(/^yaml: line 2: /);
    expect(await error('a: .inf')).toBe('yaml: unsupported value: .inf');
  });
});

describe('the limits of YAML', () => {
  test('apply to aliases of aliases', async () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 10; level++) {
      lines.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    }
    expect(await error(lines.join('\n'))).toBe('yaml: document contains excessive aliasing');
  });

  test('apply to text that aliases repeat', async () => {
    const text = (times: number): string => `a: &a ${'x'.repeat(1000)}\nb: [${'*a, '.repeat(times)}]`;
    expect(await error(text(262))).toBeUndefined();
    expect(await error(text(263))).toBe('yaml: document contains excessive aliasing');
    const nested = `a: &a ${'x'.repeat(1000)}\nb: &b [${'*a, '.repeat(100)}]\nc: [*b, *b]`;
    expect(await error(nested)).toBe('yaml: document contains excessive aliasing');
  });

  test('apply to duplicate keys: a hundred are reported, each by its beginning', async () => {
    const result = parseYaml(`${'x'.repeat(300)}: 1\n`.repeat(200), createBodyLimits());
    const duplicates = 'duplicates' in result ? result.duplicates : [];
    expect(duplicates).toHaveLength(100);
    expect(duplicates[0]).toBe(`line 2: key "${'x'.repeat(256)}..." already set in map`);
  });

  test('apply to the text quoted in errors', async () => {
    const long = 'x'.repeat(10_000);
    for (const text of [`a: *${long}`, `a: &${long} [*${long}]`, `a: !!float ${'.'}inf${long}`, `a: |1${long}\n b`]) {
      expect((await error(text))?.length ?? 0).toBeLessThan(400);
    }
  });

  test('apply to faults: the first one is reported, and what follows is not read', async () => {
    expect(await error(']'.repeat(100_000))).toMatch(/^yaml: line 1: Unexpected flow-seq-end token/);
    expect(await error('[}'.repeat(50_000))).toMatch(/^yaml: line 1: Flow sequence must/);
    expect(await error('- a\n---\nb: c: d\n')).toBeUndefined();
    expect(await error('%YAML x\n---\na\n')).toBe('yaml: line 1: Unsupported YAML version x');
  });

  test('apply to the size of the text', async () => {
    expect(await error('- a\n'.repeat(500_000))).toBe('yaml: document is too complex');
    expect(await value(`a: "${'x'.repeat(131_000)}"`)).toEqual({ a: 'x'.repeat(131_000) });
    expect(await error(`a: "${'x'.repeat(131_072)}"`)).toBe('yaml: document is too complex');
  });

  test('apply to any text, which gives a document or an error', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string(), fc.stringMatching(/^[-a:[\]{}&*!|>'"%@#?, \n\t]{0,30}$/)),
        async (text) => {
          const result = parseYaml(text, createBodyLimits());
          expect('error' in result ? result.error : 'yaml: fine').toMatch(/^yaml: /);
        },
      ),
      { numRuns: 500 },
    );
  });
});
