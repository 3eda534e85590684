import { describe, expect, it } from 'vitest';
import { MAX_DEPTH } from '../../../../src/json/parse-json.js';
import { applyJsonPatch, arrayIndex, parsePointer } from '../../../../src/api/patch/json-patch.js';
import { cloneTree, measureTree, sameTree, sortedJson } from '../../../../src/json/json-tree.js';

const zeros = (length: number): number[] => Array.from({ length }, () => 0);
const isDone = (document: unknown, ...operations: unknown[]): boolean =>
  applyJsonPatch(document, operations) !== undefined;
const nested = (depth: number): unknown => JSON.parse('{"a":'.repeat(depth) + '1' + '}'.repeat(depth));

describe('the cost of a JSON Patch', () => {
  const first = { op: 'add', path: '/list/0', value: 1 };
  const second = { op: 'add', path: '/list/1', value: 1 };

  it('is limited to 80,000 values moved by insertions into lists', () => {
    const document = { list: zeros(40_000) };
    expect(isDone(document, first, second)).toBe(true);
    expect(isDone(document, first, second, { op: 'add', path: '/list/40001', value: 1 })).toBe(false);
    expect(isDone(document, first, first)).toBe(false);
    const nulls = [first, second].map((operation) => ({ ...operation, value: null }));
    expect(isDone(document, ...nulls)).toBe(true);
  });

  it('does not include items added at the end', () => {
    const end = { op: 'add', path: '/list/-', value: 1 };
    expect(isDone({ list: zeros(40_000) }, ...zeros(20).map(() => end), first)).toBe(true);
  });

  it('is limited to 80,000 values moved by removals from lists', () => {
    const document = { list: zeros(40_000) };
    const remove = (index: number): unknown => ({ op: 'remove', path: `/list/${index}` });
    expect(isDone(document, remove(0), remove(0), remove(39_997))).toBe(true);
    expect(isDone(document, remove(0), remove(0), remove(39_997), remove(39_996))).toBe(false);
  });

  it('is limited to 80,000 values compared', () => {
    const test = (length: number): unknown => ({ op: 'test', path: '/list', value: zeros(length) });
    expect(isDone({ list: zeros(79_999) }, test(79_999))).toBe(true);
    expect(isDone({ list: zeros(80_000) }, test(80_000))).toBe(false);
  });

  it('includes a copied value three times', () => {
    const copy = { op: 'copy', from: '/list', path: '/other' };
    expect(isDone({ list: zeros(26_665) }, copy)).toBe(true);
    expect(isDone({ list: zeros(26_666) }, copy)).toBe(false);
  });

  it('counts four steps of every pointer as one value', () => {
    const steps = 1_003;
    const deep = nested(steps);
    const path = '/a'.repeat(steps);
    const test = { op: 'test', path, value: 1 };
    const times = (count: number, operation: unknown): unknown[] => Array.from({ length: count }, () => operation);
    // 250 for the steps and 1 for the value.
    expect(isDone(deep, ...times(318, test))).toBe(true);
    expect(isDone(deep, ...times(319, test))).toBe(false);
    const move = { op: 'move', from: path, path };
    expect(isDone(deep, ...times(160, move))).toBe(true);
    expect(isDone(deep, ...times(161, move))).toBe(false);
  });

  it('is limited to 3 MiB of copied JSON, to the byte', () => {
    const text = 'x'.repeat(1024 * 1024 - 2);
    const copies = ['/a', '/b', '/c'].map((path) => ({ op: 'copy', from: '/text', path }));
    expect(isDone({ text, one: 1 }, ...copies)).toBe(true);
    expect(isDone({ text, one: 1 }, ...copies, { op: 'copy', from: '/one', path: '/d' })).toBe(false);
  });

  it('includes the depth of the result, which has the limit of all bodies', () => {
    const add = (depth: number): unknown => ({ op: 'add', path: '/x', value: nested(depth) });
    expect(isDone({}, add(MAX_DEPTH - 1))).toBe(true);
    expect(isDone({}, add(MAX_DEPTH))).toBe(false);
    const replace = (depth: number): unknown => ({ op: 'replace', path: '/list/0', value: nested(depth) });
    expect(isDone({ list: [0] }, replace(MAX_DEPTH - 2))).toBe(true);
    expect(isDone({ list: [0] }, replace(MAX_DEPTH - 1))).toBe(false);
    const put = (depth: number): unknown => ({ op: 'replace', path: '/a'.repeat(depth), value: 2 });
    expect(isDone(nested(MAX_DEPTH), put(MAX_DEPTH))).toBe(true);
    expect(isDone(nested(MAX_DEPTH + 1), put(MAX_DEPTH + 1))).toBe(false);
  });
});

describe('the result of a JSON Patch', () => {
  const document = { b: 1, a: { d: 1, c: 2 }, z: { y: 1, x: 2 } };
  const written = (...operations: unknown[]): string | undefined => {
    const result = applyJsonPatch(document, operations);
    return result && sortedJson(result.document, result.touched);
  };

  it('shows whether a value was copied', () => {
    expect(applyJsonPatch(document, [{ op: 'copy', from: '/b', path: '/c' }])?.copied).toBe(true);
    expect(applyJsonPatch(document, [{ op: 'add', path: '/c', value: {} }])?.copied).toBe(false);
    expect(applyJsonPatch(document, [])?.copied).toBe(false);
  });

  it('keeps the order of keys that no operation reached', () => {
    expect(written()).toBe('{"b":1,"a":{"d":1,"c":2},"z":{"y":1,"x":2}}');
  });

  it.each([
    ['a test', { op: 'test', path: '/a/c', value: 2 }, '{"a":{"c":2,"d":1},"b":1,"z":{"y":1,"x":2}}'],
    [
      'a test of what is missing',
      { op: 'test', path: '/z/q', value: null },
      '{"a":{"d":1,"c":2},"b":1,"z":{"x":2,"y":1}}',
    ],
    [
      'an addition',
      { op: 'add', path: '/z/a', value: { m: 1, l: 2 } },
      '{"a":{"d":1,"c":2},"b":1,"z":{"a":{"m":1,"l":2},"x":2,"y":1}}',
    ],
    ['a removal', { op: 'remove', path: '/a/d' }, '{"a":{"c":2},"b":1,"z":{"y":1,"x":2}}'],
    ['a move', { op: 'move', from: '/a/d', path: '/z/a' }, '{"a":{"c":2},"b":1,"z":{"a":1,"x":2,"y":1}}'],
    ['a replacement', { op: 'replace', path: '/a/d', value: 0 }, '{"a":{"c":2,"d":0},"b":1,"z":{"y":1,"x":2}}'],
  ])('sorts the keys of the objects that %s reached', (_what, operation, expected) => {
    expect(written(operation)).toBe(expected);
  });

  it('sorts the top-level keys where an operation has the empty path', () => {
    expect(written({ op: 'test', path: '', value: document })).toBe('{"a":{"d":1,"c":2},"b":1,"z":{"y":1,"x":2}}');
  });

  it('is a failure beyond the end of a list, and for a missing member unless it is tested for null', () => {
    const list = { list: [1, 2] };
    for (const op of ['replace', 'remove', 'test']) {
      expect(isDone(list, { op, path: '/list/2', value: null })).toBe(false);
      expect(isDone(list, { op, path: '/list/1', value: 2 })).toBe(true);
    }
    expect(isDone(list, { op: 'copy', from: '/list/2', path: '/a' })).toBe(false);
    expect(isDone(list, { op: 'replace', path: '/missing', value: null })).toBe(false);
    expect(isDone(list, { op: 'test', path: '/missing', value: null })).toBe(true);
  });

  it('may be a value other than an object', () => {
    expect(applyJsonPatch([1, 2], [{ op: 'replace', path: '', value: 'y' }])?.document).toBe('y');
    expect(applyJsonPatch([1, 2], [{ op: 'replace', path: '/1', value: 3 }])?.document).toEqual([1, 3]);
    expect(applyJsonPatch('x', [{ op: 'replace', path: '', value: 'y' }])?.document).toBe('y');
    expect(isDone('x', { op: 'add', path: '/a', value: 1 })).toBe(false);
    expect(isDone('x', { op: 'test', path: '/a', value: null })).toBe(false);
    expect(isDone({}, { op: 'test', path: '', value: null })).toBe(false);
  });
});

describe('a JSON pointer', () => {
  it('has tokens between slashes, with two escape sequences', () => {
    expect(parsePointer('')).toEqual([]);
    expect(parsePointer('/')).toEqual(['']);
    expect(parsePointer('/a~1b/~0~01/')).toEqual(['a/b', '~~1', '']);
    for (const text of ['a', 'a/b', '/~', '/~2', '/a~b~0']) expect(parsePointer(text)).toBeUndefined();
  });

  it('refers to an index if it is digits without a leading zero, up to the last one', () => {
    expect(arrayIndex('0', 0)).toBe(0);
    expect(arrayIndex('10', 10)).toBe(10);
    expect(arrayIndex('9999999999', Infinity)).toBe(9_999_999_999);
    for (const token of ['1', '-', '', '00', '01', '+0', '0x', 'x0', '10000000000']) {
      expect(arrayIndex(token, token.length > 9 ? Infinity : 0)).toBeUndefined();
    }
  });
});

describe('a tree of JSON', () => {
  it('is cloned without undefined members', () => {
    const tree = { a: [{ b: 1 }, null], c: undefined };
    const clone = cloneTree(tree);
    expect(Object.keys(clone)).toEqual(['a']);
    expect(clone).toEqual(tree);
    expect(clone.a).not.toBe(tree.a);
    expect(clone.a[0]).not.toBe(tree.a[0]);
  });

  it.each([
    [[1, 2], [1, 2], true],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [[1], { 0: 1 }, false],
    [{ 0: 1 }, [1], false],
    [[], {}, false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: undefined }, { b: undefined }, false],
    [{ a: 1 }, null, false],
    [null, {}, false],
    [1, '1', false],
    [{ constructor: Object }, {}, false],
  ])('is compared with another: %j and %j', (left, right, same) => {
    expect(sameTree(left, right)).toBe(same);
  });

  it('is measured by values and levels, until there are too many', () => {
    expect(measureTree(1, 10)).toEqual({ nodes: 1, depth: 0 });
    expect(measureTree(null, 10)).toEqual({ nodes: 1, depth: 0 });
    expect(measureTree({}, 10)).toEqual({ nodes: 1, depth: 1 });
    expect(measureTree({ a: [1, { b: 2 }], c: 3 }, 10)).toEqual({ nodes: 6, depth: 3 });
    expect(measureTree([[[1]]], 2)).toEqual({ nodes: 3, depth: 2 });
    expect(measureTree([[[[1]]]], 1)).toEqual({ nodes: 2, depth: 1 });
  });
});
