import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyMergePatch } from '../../../../src/api/patch/apply-patch.js';

describe('applyMergePatch', () => {
  // The cases of RFC 7396, appendix A.
  it.each<[unknown, unknown, unknown]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('of %j with %j gives %j', (target, patch, expected) => {
    expect(applyMergePatch(target, patch, [])).toEqual(expected);
  });

  it('treats __proto__ as a plain key', () => {
    const patch: unknown = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":null}}');
    expect(JSON.stringify(applyMergePatch({}, patch, []))).toBe('{"__proto__":{"polluted":true},"constructor":{}}');
    expect('polluted' in {}).toBe(false);
  });

  it('keeps an existing member __proto__', () => {
    const target: unknown = JSON.parse('{"__proto__":{"a":1},"b":2}');
    expect(JSON.stringify(applyMergePatch(target, { c: 3 }, []))).toBe('{"__proto__":{"a":1},"b":2,"c":3}');
    const patch: unknown = JSON.parse('{"__proto__":{"d":4}}');
    expect(JSON.stringify(applyMergePatch(target, patch, []))).toBe('{"__proto__":{"a":1,"d":4},"b":2}');
  });

  it('changes no argument, and is idempotent', () => {
    const key = fc.constantFrom('a', 'b', '__proto__');
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(null, 1, 'x'),
        fc.array(tie('json'), { maxLength: 2 }),
        fc.dictionary(key, tie('json'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        const once = applyMergePatch(target, patch, []);
        expect(JSON.stringify(applyMergePatch(once, patch, []))).toBe(JSON.stringify(once));
        expect(JSON.stringify([target, patch])).toBe(before);
      }),
    );
  });
});
