import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  EMPTY,
  intersection,
  union,
  type FieldSet,
  fromFieldsV1,
  toFieldsV1,
} from '../../../../src/api/managed-fields/field-set.js';

const names = fc.constantFrom('a', 'b', '__proto__', 'constructor', '1', '.');
const elements = fc.oneof(
  names.map((name) => `f:${name}`),
  names.map((value) => `v:${JSON.stringify(value)}`),
  names.map((uid) => `k:${JSON.stringify({ uid })}`),
  fc.nat(3).map((index) => `i:${index}`),
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.constant({}),
    fc.tuple(fc.dictionary(elements, tie('tree'), { maxKeys: 4, noNullPrototype: true }), fc.boolean()).map(dotted),
  ),
}));
const sets = tree.map((fields) => fromFieldsV1(fields) as FieldSet);

function dotted([children, self]: [Record<string, unknown>, boolean]): Record<string, unknown> {
  return self ? { '.': {}, ...children } : children;
}

/** The set as text: equal sets, whatever order they were made in, have equal texts. */
const text = (set: FieldSet): string => JSON.stringify(toFieldsV1(set));

describe('field sets', () => {
  it('are unchanged after a round trip through FieldsV1', () => {
    fc.assert(
      fc.property(sets, (set) => {
        expect(text(fromFieldsV1(toFieldsV1(set)) as FieldSet)).toBe(text(set));
      }),
    );
  });

  it('obey the laws of sets', () => {
    fc.assert(
      fc.property(sets, sets, sets, (a, b, c) => {
        expect(text(union([a, b]))).toBe(text(union([b, a])));
        expect(text(union([a, union([b, c])]))).toBe(text(union([a, b, c])));
        expect(text(intersection(a, b))).toBe(text(intersection(b, a)));
        expect(text(intersection(a, union([b, c])))).toBe(text(union([intersection(a, b), intersection(a, c)])));
        expect(text(difference(a, union([b, c])))).toBe(text(difference(difference(a, b), c)));
        expect(text(union([difference(a, b), intersection(a, b)]))).toBe(text(a));
        expect(text(intersection(difference(a, b), b))).toBe('{}');
      }),
    );
  });

  it('have neutral elements', () => {
    fc.assert(
      fc.property(sets, (a) => {
        expect(text(union([]))).toBe('{}');
        expect(text(union([a, a, EMPTY]))).toBe(text(a));
        expect(text(difference(a, EMPTY))).toBe(text(a));
        expect(difference(a, a).size).toBe(0);
        expect(intersection(a, EMPTY).size).toBe(0);
      }),
    );
  });

  it('distinguish a field from the fields below it', () => {
    const below = fromFieldsV1({ 'f:labels': { 'f:x': {} } }) as FieldSet;
    const itself = fromFieldsV1({ 'f:labels': {} }) as FieldSet;
    expect(toFieldsV1(difference(below, itself))).toEqual({ 'f:labels': { 'f:x': {} } });
    expect(toFieldsV1(difference(itself, below))).toEqual({ 'f:labels': {} });
    expect(toFieldsV1(union([below, itself]))).toEqual({ 'f:labels': { '.': {}, 'f:x': {} } });
  });
});
