import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type FieldSet, fromFieldsV1, toFieldsV1 } from '../../../../src/api/managed-fields/field-set.js';
import { pathText } from '../../../../src/api/managed-fields/path-element.js';

const rewritten = (fields: unknown): string => JSON.stringify(toFieldsV1(fromFieldsV1(fields) as FieldSet));

describe('FieldsV1', () => {
  it('is written in kube-apiserver’s order: the dot, then fields, keys, values, indices', () => {
    const fields = { 'i:10': {}, 'i:9': {}, 'v:"b"': {}, 'v:2': {}, 'v:"a"': {}, 'k:{"uid":"b"}': {}, 'f:b': {} };
    expect(rewritten({ 'f:a': { ...fields, 'k:{"uid":"a"}': {}, 'f:a': {}, '.': {}, 'v:true': {} } })).toBe(
      '{"f:a":{".":{},"f:a":{},"f:b":{},"k:{\\"uid\\":\\"a\\"}":{},"k:{\\"uid\\":\\"b\\"}":{},' +
        '"v:2":{},"v:\\"a\\"":{},"v:\\"b\\"":{},"v:true":{},"i:9":{},"i:10":{}}}',
    );
  });

  it('sorts names by code points', () => {
    expect(rewritten({ 'f:\u{1F600}': {}, 'f:\uE000': {}, 'f:z': {} })).toBe(
      '{"f:z":{},"f:\uE000":{},"f:\u{1F600}":{}}',
    );
  });

  it('normalizes the notation of elements', () => {
    expect(rewritten({ 'i:9223372036854775807': {} })).toBe('{"i:9223372036854775807":{}}');
    expect(rewritten({ 'k:{"b":1,"a":2}': {}, 'v: 1.0': {}, 'i:+07': {} })).toBe(
      '{"k:{\\"a\\":2,\\"b\\":1}":{},"v:1":{},"i:7":{}}',
    );
    expect(rewritten({ 'f:a': { '.': {} }, 'f:b': null })).toBe('{"f:a":{},"f:b":{}}');
  });

  it('has values and keys of at most 32 fields and items, because nested ones take quadratic time to write', () => {
    const nested = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
    expect(rewritten({ [`v:${nested(32)}`]: {} })).toBe(JSON.stringify({ [`v:${nested(32)}`]: {} }));
    for (const content of [`v:${nested(33)}`, `k:{"a":${nested(32)}}`]) {
      expect(fromFieldsV1({ [content]: {} })).toBeUndefined();
    }
  });

  it('writes each nested value once to sort them', () => {
    const values = Array.from({ length: 200 }, (_, index) => [`v:[${(index * 7) % 200}]`, {}] as const);
    const set = fromFieldsV1(Object.fromEntries(values)) as FieldSet;
    const stringify = vi.spyOn(JSON, 'stringify');
    onTestFinished(() => stringify.mockRestore());
    const sorted = Object.keys(toFieldsV1(set));
    expect(stringify.mock.calls.length).toBe(values.length);
    expect(sorted).toEqual(values.map(([element]) => element).sort());
  });

  it('ignores kinds of elements that do not exist yet', () => {
    expect(rewritten({ 'z:new': { 'f:a': {} }, 'f:a': {} })).toBe('{"f:a":{}}');
    expect(rewritten({ 'z:new': 5, 'f:a': {} })).toBe('{"f:a":{}}');
  });

  it('is absent for an empty set', () => {
    for (const nothing of [undefined, null, {}]) expect(rewritten(nothing)).toBe('{}');
  });

  it.each([
    [{ bogus: {} }],
    [{ f: {} }],
    [{ '': {} }],
    [JSON.parse('{"__proto__":{}}')],
    [{ 'v:{': {} }],
    [{ 'v:1 2': {} }],
    [{ 'k:[]': {} }],
    [{ 'k:x': {} }],
    [{ 'i:x': {} }],
    [{ 'f:a': {}, [`i:${'9'.repeat(400)}`]: {} }],
    [{ 'i:9223372036854775808': {} }],
    [{ 'f:a': 5 }],
    [{ 'f:a': [] }],
    [[]],
    ['x'],
  ])('is refused when it is malformed: %j', (fields) => {
    expect(fromFieldsV1(fields)).toBeUndefined();
  });

  it('is shown in errors as paths with dots and brackets', () => {
    expect(pathText(['f:metadata', 'f:labels', 'f:x'])).toBe('.metadata.labels.x');
    expect(pathText(['f:finalizers', 'v:"a\\"b"'])).toBe('.finalizers[="a\\"b"]');
    expect(pathText(['f:owners', 'k:{"a":1,"uid":"u"}', 'f:name'])).toBe('.owners[a=1,uid="u"].name');
    expect(pathText(['f:list', 'i:3'])).toBe('.list[3]');
  });
});
