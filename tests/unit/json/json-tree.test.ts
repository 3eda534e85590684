import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cloneTree,
  depthWithin,
  GREATEST_INT64,
  isInt64,
  isObject,
  measureTree,
  member,
  sameTree,
  sortedJson,
} from '../../../src/json/json-tree.js';

const anyTree = (): fc.Arbitrary<unknown> =>
  fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

it('an object is no list, null or scalar', () => {
  expect([{}, [], null, undefined, 'a', 1].map(isObject)).toEqual([true, false, false, false, false, false]);
});

it('a member is an own one', () => {
  expect(member({ a: 1 }, 'a')).toBe(1);
  expect(member({}, 'constructor')).toBeUndefined();
});

it('an integer fits into 64 bits or does not', () => {
  expect([0, -(2 ** 63), GREATEST_INT64].map(isInt64)).toEqual([true, true, true]);
  expect([0.5, 2 ** 63, -(2 ** 63) - 2048, NaN, Infinity].map(isInt64)).toEqual(Array(5).fill(false));
});

describe('a copy of a tree', () => {
  it('is equal, and shares nothing', () => {
    fc.assert(
      fc.property(anyTree(), (tree) => {
        const copy = cloneTree(tree);
        expect(JSON.stringify(copy)).toBe(JSON.stringify(tree));
        if (typeof tree === 'object' && tree !== null) expect(copy).not.toBe(tree);
      }),
    );
    const tree = JSON.parse('{"__proto__":{"a":[{}]},"b":null}') as Record<string, unknown>;
    const copy = cloneTree(tree);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":[{}]},"b":null}');
    expect(member(copy, '__proto__')).not.toBe(member(tree, '__proto__'));
  });

  it('has no members that are undefined', () => {
    expect(Object.keys(cloneTree({ a: undefined, b: { c: undefined } }))).toEqual(['b']);
  });
});

describe('trees', () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, below]) => [key, reversed(below)]),
    );
  };

  it('are equal in any order of their keys', () => {
    fc.assert(
      fc.property(anyTree(), (tree) => {
        fc.pre(!JSON.stringify(tree).includes('"__proto__"'));
        expect(sameTree(tree, reversed(tree))).toBe(true);
      }),
    );
  });

  it('are equal where their sorted JSON is', () => {
    const few = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 2 }, fc.constantFrom(0, null, 'a'), tie('list'), tie('object')),
      list: fc.array(tie('tree'), { maxLength: 2 }),
      object: fc.dictionary(fc.constantFrom('a', 'b'), tie('tree'), { maxKeys: 2 }),
    })).tree;
    fc.assert(
      fc.property(few, few, (left, right) => {
        expect(sameTree(left, right)).toBe(sortedJson(left) === sortedJson(right));
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[unknown, unknown]>([
    [[], {}],
    [{}, []],
    [{}, null],
    [null, {}],
    [[1], [1, 2]],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: undefined }, { b: undefined }],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
    [{ constructor: 1 }, {}],
  ])('%j and %j are different', (left, right) => {
    expect(sameTree(left, right)).toBe(false);
  });
});

describe('the size of a tree', () => {
  it('is the number of its values, and how deep they are', () => {
    expect(measureTree(1, 10)).toEqual({ nodes: 1, depth: 0 });
    expect(measureTree(null, 10)).toEqual({ nodes: 1, depth: 0 });
    expect(measureTree({}, 10)).toEqual({ nodes: 1, depth: 1 });
    expect(measureTree({ a: [1, [], null], b: { c: 2 } }, 10)).toEqual({ nodes: 7, depth: 3 });
  });

  it('is measured level by level, up to the first with too many', () => {
    expect(measureTree([[[1]], 2, 3], 4)).toEqual({ nodes: 5, depth: 2 });
    expect(measureTree([[[1]], 2, 3], 3)).toEqual({ nodes: 4, depth: 1 });
    expect(measureTree([[[1]], 2, 3], 5)).toEqual({ nodes: 6, depth: 3 });
  });
});

describe('sorted JSON', () => {
  const inner = { b: 1, a: [{ d: undefined, c: null }] };
  const outer = { z: inner, y: 'é', '\u{10000}': 1, '\uffff': 2 };

  it('has keys in the order of Go', () => {
    expect(sortedJson(outer)).toBe('{"y":"é","z":{"a":[{"c":null}],"b":1},"\uffff":2,"\u{10000}":1}');
    expect(sortedJson([1, undefined, 'a'])).toBe('[1,null,"a"]');
  });

  it('may be sorted only where a patch has reached', () => {
    expect(sortedJson(outer, new WeakSet([inner]))).toBe(
      '{"z":{"a":[{"c":null}],"b":1},"y":"é","\u{10000}":1,"\uffff":2}',
    );
    expect(sortedJson(inner, new WeakSet())).toBe('{"b":1,"a":[{"c":null}]}');
  });
});

it('the depth of a value is bounded by objects and lists alike', () => {
  for (const [value, depth] of [
    [1, 0],
    [null, 0],
    [{}, 1],
    [{ a: null, b: [1] }, 2],
    [[{}, [{ a: 1 }]], 3],
  ] as const) {
    expect(depthWithin(value, depth)).toBe(true);
    if (depth > 0) expect(depthWithin(value, depth - 1)).toBe(false);
  }
});
