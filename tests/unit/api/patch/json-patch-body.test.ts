import { describe, expect, it } from 'vitest';
import { createBodyLimits, parseJson } from '../../../../src/api/body/parse-body.js';
import { applyPatch } from '../../../../src/api/patch/apply-patch.js';
import { jsonPatchStrictErrors, jsonPatchTypeError } from '../../../../src/api/patch/json-patch-body.js';
import { isStatusFailure } from '../../../../src/api/status/status-failure.js';
import { eventShape } from '../../../../src/events/resource/schema.js';

const patch = (document: unknown, operations: readonly unknown[]): string => {
  try {
    const type = 'application/json-patch+json';
    const body = JSON.stringify(operations);
    applyPatch({ type, document, body, shape: eventShape(), fieldValidation: 'Strict', limits: createBodyLimits() });
  } catch (error) {
    if (isStatusFailure(error)) return `${error.status.code} ${error.status.message}`;
    throw error;
  }
  return 'applied';
};

describe('the body of a JSON Patch', () => {
  it('has at most 10,000 operations', () => {
    const tests = (count: number): unknown[] =>
      Array.from({ length: count }, () => ({ op: 'test', path: '/a', value: 1 }));
    expect(patch({ a: 1 }, tests(10_000))).toBe('applied');
    expect(patch({ a: 1 }, tests(10_001))).toContain(
      'The allowed maximum operations in a JSON patch is 10000, got 10001',
    );
  });

  it.each(['op', 'from', 'path'])('is rejected in the words of kube-apiserver when %s is not a text', (key) => {
    expect(jsonPatchTypeError([{ [key]: 5 }], true)).toBe(
      `json: cannot unmarshal number into Go struct field jsonPatchOp.${key} of type string`,
    );
    expect(jsonPatchTypeError([{ [key]: null }, { [key]: 'x' }, {}, null], true)).toBeUndefined();
    expect(jsonPatchTypeError([{ [key]: 5 }], false)).toBeUndefined();
  });

  it('is a list of objects, or null', () => {
    expect(jsonPatchTypeError(null, true)).toBeUndefined();
    expect(jsonPatchTypeError({}, true)).toBe(
      'json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    );
    expect(jsonPatchTypeError({}, false)).toBe('json: cannot unmarshal object into Go value of type jsonpatch.Patch');
    expect(jsonPatchTypeError([5], true)).toBe(
      'json: cannot unmarshal number into Go value of type handlers.jsonPatchOp',
    );
    expect(jsonPatchTypeError([5], false)).toBe(
      'json: cannot unmarshal number into Go value of type jsonpatch.Operation',
    );
  });

  it('has operations with four fields, each of which may occur once', () => {
    const errors = (text: string, most = 10): readonly string[] => {
      const parsed = parseJson(text, 1_000);
      if ('error' in parsed) throw new Error(parsed.error);
      return jsonPatchStrictErrors(parsed.document, most);
    };
    expect(errors('[{"op":"test","from":"/b","path":"/a","value":1},null]')).toEqual([]);
    expect(errors('[{"foo":1},{"bar":1,"op":"x"}]')).toEqual([
      'json patch unknown field "[0].foo"',
      'json patch unknown field "[1].bar"',
    ]);
    expect(errors('[{"from":"/a","from":"/b"}]')).toEqual(['json patch duplicate field "[0].from"']);
  });
});

describe('the strict errors of a JSON Patch', () => {
  const strictErrors = (text: string, most = 100): readonly string[] => {
    const parsed = parseJson(text, 10_000);
    if ('error' in parsed) throw new Error(parsed.error);
    return jsonPatchStrictErrors(parsed.document, most);
  };

  it('have the index of their operation, and an unknown field is not also reported as duplicate', () => {
    const operations = [...Array.from({ length: 12 }, () => '{}'), '{"op":"test","op":"add","foo":1,"foo":2}'];
    expect(strictErrors(`[${operations.join()}]`)).toEqual([
      'json patch unknown field "[12].foo"',
      'json patch duplicate field "[12].op"',
    ]);
  });

  it('are limited to a hundred, however many fields one operation has, as are those of a merge patch', () => {
    const fields = (count: number): string => Array.from({ length: count }, (_, index) => `"x${index}":1`).join();
    expect(strictErrors(`[{${fields(100)}}]`)).toHaveLength(100);
    expect(strictErrors(`[{${fields(101)},"op":"a","op":"b"}]`)).toHaveLength(100);
    const twice = Array.from({ length: 101 }, (_, index) => `"x${index}":"1","x${index}":"2"`).join();
    const shape = eventShape();
    const type = 'application/merge-patch+json';
    const body = `{"metadata":{"labels":{${twice}}}}`;
    expect(
      applyPatch({ type, document: {}, body, shape, fieldValidation: 'Warn', limits: createBodyLimits() }).strictErrors,
    ).toHaveLength(100);
  });
});
