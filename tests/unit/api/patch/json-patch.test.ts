import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyJsonPatch } from '../../../../src/api/patch/json-patch.js';

interface SuiteCase {
  readonly comment?: string;
  readonly doc: unknown;
  readonly patch: readonly unknown[];
  readonly expected?: unknown;
  readonly error?: string;
  readonly disabled?: boolean;
}

const require = createRequire(import.meta.url);
const suite = (file: string): SuiteCase[] =>
  (JSON.parse(readFileSync(require.resolve(`json-patch-test-suite/${file}`), 'utf8')) as SuiteCase[]).filter(
    (each) => each.disabled !== true && each.patch !== undefined,
  );

const apply = (document: unknown, ...operations: unknown[]): unknown => applyJsonPatch(document, operations)?.document;

describe.each(['tests.json', 'spec_tests.json'])(
  'applyJsonPatch with %s of the public json-patch-test-suite',
  (file) => {
    it.each(suite(file).map((each, index) => [`${index} ${each.comment ?? each.error ?? ''}`, each] as const))(
      'passes the case: %s',
      (_, { doc, patch, expected, error }) => {
        const before = structuredClone(doc);
        const result = applyJsonPatch(doc, patch);
        if (error !== undefined) expect(result).toBeUndefined();
        else expect(result?.document).toEqual(expected === undefined ? doc : expected);
        expect(doc).toEqual(before);
      },
    );
  },
);

describe('applyJsonPatch', () => {
  it.each<[string, unknown, unknown]>([
    ['a missing op', {}, { path: '/a', value: 1 }],
    ['an unknown op', {}, { op: 'spam', path: '/a', value: 1 }],
    ['a missing path', {}, { op: 'add', value: 1 }],
    ['a path that is not a JSON pointer', {}, { op: 'add', path: 'a', value: 1 }],
    ['a bad escape', { 'a~b': 1 }, { op: 'remove', path: '/a~b' }],
    ['add without value', {}, { op: 'add', path: '/a' }],
    ['replace of a missing member', {}, { op: 'replace', path: '/a', value: 1 }],
    ['copy from a missing place', {}, { op: 'copy', from: '/a', path: '/b' }],
    ['test of a missing member against a value', {}, { op: 'test', path: '/a', value: 1 }],
    ['test without value', {}, { op: 'test', path: '/a' }],
    ['test below a missing member', {}, { op: 'test', path: '/a/b', value: null }],
    ['test of a missing item against null', [], { op: 'test', path: '/0', value: null }],
    ['removing the whole document', {}, { op: 'remove', path: '' }],
    ['removing the end of a list', [1], { op: 'remove', path: '/-' }],
    ['an index beyond the end', [1], { op: 'add', path: '/2', value: 1 }],
    ['an index with a leading zero', [1, 2], { op: 'remove', path: '/01' }],
    ['moving into itself', { a: {} }, { op: 'move', from: '/a', path: '/a/b' }],
    ['an inherited member', {}, { op: 'copy', from: '/constructor', path: '/a' }],
    ['null in place of an operation', {}, null],
  ])('refuses an operation that fails: %s', (_, document, operation) => {
    expect(applyJsonPatch(document, [operation])).toBeUndefined();
  });

  it('replaces the whole document', () => {
    expect(apply({ a: 1 }, { op: 'replace', path: '', value: [1] })).toEqual([1]);
  });

  it('leaves everything unchanged when a later operation fails', () => {
    const document = { list: [1], a: {} };
    expect(
      apply(document, { op: 'add', path: '/list/0', value: 0 }, { op: 'test', path: '/a', value: 1 }),
    ).toBeUndefined();
    expect(document).toEqual({ list: [1], a: {} });
  });

  it('treats a missing member as null in a test, as Kubernetes does', () => {
    expect(apply({}, { op: 'test', path: '/a', value: null })).toEqual({});
  });

  it('moves a value onto itself without effect', () => {
    expect(apply({ a: 1 }, { op: 'move', from: '/a', path: '/a' })).toEqual({ a: 1 });
  });

  it('treats __proto__ as a plain key', () => {
    const result = apply(
      {},
      { op: 'add', path: '/__proto__', value: { polluted: true } },
      { op: 'add', path: '/__proto__/more', value: 1 },
    ) as object;
    expect(JSON.stringify(result)).toBe('{"__proto__":{"polluted":true,"more":1}}');
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
    expect(applyJsonPatch({}, [{ op: 'add', path: '/__proto__/polluted', value: true }])).toBeUndefined();
  });

  it('keeps copies separate from each other and from the patch', () => {
    const value = { n: 1 };
    const operations = [
      { op: 'add', path: '/a', value },
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'replace', path: '/a/n', value: 2 },
    ];
    expect(apply({}, ...operations)).toEqual({ a: { n: 2 }, b: { n: 1 } });
    expect(value).toEqual({ n: 1 });
  });

  it('limits the growth through copies', () => {
    const double = Array.from({ length: 40 }, (_, index) => ({ op: 'copy', from: '', path: `/a${index}` }));
    expect(applyJsonPatch({ text: 'x'.repeat(100) }, double)).toBeUndefined();
    expect(applyJsonPatch({ text: 'x'.repeat(100) }, double.slice(0, 8))).toBeDefined();
  });

  it('limits the depth, however it is reached', () => {
    let value: unknown = 1;
    for (let level = 0; level < 700; level++) value = { a: value };
    const path = '/a'.repeat(699);
    const operations = [
      { op: 'add', path: '/x', value },
      { op: 'add', path: '/y', value },
      { op: 'move', from: '/x', path: `/y${path}/b` },
    ];
    expect(applyJsonPatch({}, operations.slice(0, 2))).toBeDefined();
    expect(applyJsonPatch({}, operations)).toBeUndefined();
  });

  it('limits the work of any patch', () => {
    const big = Array.from({ length: 100_000 }, () => 0);
    const operations = Array.from({ length: 10_000 }, () => ({ op: 'move', from: '/list', path: '/list2' }));
    const back = operations.map((each, index) => (index % 2 ? { op: 'move', from: '/list2', path: '/list' } : each));
    expect(applyJsonPatch({ list: big }, back)).toBeUndefined();
  });
});

describe('applyJsonPatch, for any document', () => {
  const key = fc.constantFrom('a', 'b', '0', '1', '-', '~', '/', '__proto__', 'constructor');
  const { document } = fc.letrec((tie) => ({
    document: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, 1, 'x', true),
      fc.array(tie('document'), { maxLength: 3 }),
      fc.dictionary(key, tie('document'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  const pointer = fc
    .array(key, { maxLength: 3 })
    .map((tokens) => tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''));
  const operation = fc.record({
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
    path: pointer,
    from: pointer,
    value: document,
  });

  it('never changes its arguments, and never touches a prototype', () => {
    fc.assert(
      fc.property(document, fc.array(operation, { maxLength: 6 }), (doc, operations) => {
        const text = JSON.stringify([doc, operations]);
        applyJsonPatch(doc, operations);
        expect(JSON.stringify([doc, operations])).toBe(text);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });

  it('adds, replaces and removes members like a plain model', () => {
    const names = fc.constantFrom('a', 'b', 'c');
    const simple = fc.record({ op: fc.constantFrom('add', 'replace', 'remove'), name: names, value: fc.integer() });
    fc.assert(
      fc.property(fc.dictionary(names, fc.integer()), fc.array(simple), (doc, steps) => {
        const model = new Map(Object.entries(doc));
        let failed = false;
        for (const { op, name, value } of steps) {
          if (op !== 'add' && !model.has(name)) failed = true;
          if (op === 'remove') model.delete(name);
          else model.set(name, value);
        }
        const patch = steps.map(({ op, name, value }) => ({ op, path: `/${name}`, value }));
        const result = applyJsonPatch(doc, patch);
        if (failed) expect(result).toBeUndefined();
        else expect(result?.document).toEqual(Object.fromEntries(model));
      }),
    );
  });
});

describe('a JSON Patch with long paths', () => {
  it('is limited in the number of steps, and fails beyond it', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(400)}1${'}'.repeat(400)}`) as unknown;
    const test = { op: 'test', path: '/a'.repeat(400), value: 1 };
    expect(applyJsonPatch(deep, Array(500).fill(test))).toBeDefined();
    expect(applyJsonPatch(deep, Array(2_000).fill(test))).toBeUndefined();
  });
});
