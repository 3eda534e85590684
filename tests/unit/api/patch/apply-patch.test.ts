import { describe, expect, it } from 'vitest';
import { createBodyLimits } from '../../../../src/api/body/parse-body.js';
import { decodePatched } from '../../../../src/api/decode/decode-patched.js';
import { applyPatch, patchTypeOf, patchTypes, type PatchType } from '../../../../src/api/patch/apply-patch.js';
import { isStatusFailure } from '../../../../src/api/status/status-failure.js';
import { eventShape } from '../../../../src/events/resource/schema.js';

const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';

const stored = {
  kind: 'Event',
  apiVersion: 'events.example.com/v1',
  metadata: { name: 'a', labels: { x: '1' } },
  note: 'note of a',
};

type Validation = 'Ignore' | 'Warn' | 'Strict';
const patch = (type: PatchType, body: string | Uint8Array, fieldValidation: Validation = 'Warn') =>
  applyPatch({ type, document: stored, body, shape: eventShape(), fieldValidation, limits: createBodyLimits() });

function errorOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (isStatusFailure(error)) return `${error.status.code} ${error.status.reason} ${error.message}`;
    throw error;
  }
  return 'no error';
}

const ROUTER = '415 UnsupportedMediaType 415: Unsupported Media Type';
const HANDLER =
  '415 UnsupportedMediaType the body of the request was in an unknown format - accepted media types include: ' +
  'application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml';

describe('patchTypeOf', () => {
  const types = [...patchTypes, 'application/apply-patch+yaml'];

  it('recognises the four types, whatever follows a semicolon', () => {
    for (const rest of ['', ';', ';charset=utf-8', ';;', '; foo', ';q=1, text/plain']) {
      expect(types.map((type) => patchTypeOf(type + rest))).toEqual(types);
    }
  });

  // What kube-apiserver 1.37.2 responds with.
  it.each([
    ['', ROUTER],
    [';', ROUTER],
    ['application/json', ROUTER],
    ['APPLICATION/MERGE-PATCH+JSON', ROUTER],
    [';application/merge-patch+json', ROUTER],
    ['text/plain;application/merge-patch+json', ROUTER],
    ['application/merge-patch+json ;charset=utf-8', HANDLER],
    ['application/apply-patch+yaml ;charset=utf-8', HANDLER],
    ['application/merge-patch+json, text/plain', HANDLER],
    ['application/merge-patch+json,application/json-patch+json', HANDLER],
    ['text/plain, application/merge-patch+json', HANDLER],
    ['text/plain;q=1,application/merge-patch+json', HANDLER],
  ])('refuses %j as the router or as the handler', (contentType, refused) => {
    expect(errorOf(() => patchTypeOf(contentType))).toBe(refused);
  });
});

describe('applyPatch', () => {
  it.each<[PatchType, string]>([
    [JSON_PATCH, '[{"op":"replace","path":"/metadata/labels/x","value":"2"}]'],
    [MERGE, '{"metadata":{"labels":{"x":"2"}}}'],
    [STRATEGIC, '{"metadata":{"labels":{"x":"2"}}}'],
  ])('applies %s from bytes and leaves the stored document alone', (type, body) => {
    const before = structuredClone(stored);
    const { document, strictErrors } = patch(type, new TextEncoder().encode(body));
    expect(document).toEqual({ ...stored, metadata: { name: 'a', labels: { x: '2' } } });
    expect(strictErrors).toEqual([]);
    expect(stored).toEqual(before);
  });

  it.each<[PatchType, string, Validation, string]>([
    [JSON_PATCH, '{', 'Warn', '400 BadRequest error decoding patch: unexpected end of JSON input'],
    [JSON_PATCH, '{', 'Ignore', '400 BadRequest unexpected end of JSON input'],
    [
      JSON_PATCH,
      '{}',
      'Strict',
      '400 BadRequest error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    [JSON_PATCH, '{}', 'Ignore', '400 BadRequest json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
    [
      JSON_PATCH,
      '[1]',
      'Warn',
      '400 BadRequest error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp',
    ],
    [
      JSON_PATCH,
      '[{"op":1}]',
      'Warn',
      '400 BadRequest error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    ],
    [
      JSON_PATCH,
      '[{"op":"test","path":"/note","value":"x"}]',
      'Warn',
      '422 Invalid the server rejected our request due to an error in our request',
    ],
    [MERGE, '{', 'Warn', '400 BadRequest error decoding patch: unexpected end of JSON input'],
    [MERGE, '', 'Warn', '400 BadRequest error decoding patch: unexpected end of JSON input'],
    [
      MERGE,
      '[]',
      'Warn',
      '400 BadRequest error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    [MERGE, '[]', 'Ignore', '400 BadRequest Invalid JSON Patch'],
    [MERGE, '{', 'Ignore', '400 BadRequest Invalid JSON Patch'],
    [MERGE, 'null', 'Strict', '400 BadRequest Invalid JSON Patch'],
    [STRATEGIC, '{', 'Warn', '400 BadRequest unexpected end of JSON input'],
    [
      STRATEGIC,
      '[]',
      'Warn',
      '400 BadRequest json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
  ])('refuses %s with %j under %s', (type, body, validation, message) => {
    expect(errorOf(() => patch(type, body, validation))).toBe(message);
  });

  it('changes nothing for null where null is not a patch', () => {
    expect(patch(STRATEGIC, 'null').document).toEqual(stored);
    expect(patch(JSON_PATCH, 'null').document).toEqual(stored);
  });

  it('limits the number of operations', () => {
    const operations = (count: number, value: unknown = stored): string =>
      JSON.stringify(Array.from({ length: count }, () => ({ op: 'test', path: '', value })));
    expect(errorOf(() => patch(JSON_PATCH, operations(10_001, 1)))).toBe(
      '413 RequestEntityTooLarge Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    );
    expect(errorOf(() => patch(JSON_PATCH, operations(10_001)))).toBe(
      '413 RequestEntityTooLarge Request entity too large: the body has more than 100000 fields and list items',
    );
    expect(errorOf(() => patch(JSON_PATCH, operations(100)))).toBe('no error');
  });

  it('counts the fields of the result of a JSON Patch only where it may have grown', () => {
    const many = { ...stored, list: Array.from({ length: 300 }, (_, index) => index) };
    const operations = (most: number, ...list: unknown[]): string =>
      errorOf(() =>
        applyPatch({
          type: JSON_PATCH,
          document: many,
          body: JSON.stringify(list),
          shape: eventShape(),
          fieldValidation: 'Warn',
          limits: { members: 100, storedMembers: most, yamlCharacters: 1_000 },
        }),
      );
    const tooMany = (most: number): string =>
      `413 RequestEntityTooLarge Request entity too large: the patched object has more than ${most} fields and list items`;
    const add = { op: 'add', path: '/note', value: 'n' };
    const length = JSON.stringify([add]).length;
    expect(operations(length, add)).toBe('no error');
    expect(operations(length - 1, add)).toBe(tooMany(length - 1));
    // Kind, API version, metadata with three fields, note, list, and its items.
    const fields = 8 + 300;
    const copy = { op: 'copy', from: '/list/0', path: '/list/-' };
    expect(operations(fields, copy)).toBe(tooMany(fields));
    expect(operations(fields + 1, copy)).toBe('no error');
    const remove = { op: 'remove', path: '/list/0' };
    expect(operations(fields - 1, copy, remove)).toBe(tooMany(fields - 1));
    expect(operations(fields, copy, remove)).toBe('no error');
  });

  it('limits the depth of nesting', () => {
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    expect(errorOf(() => patch(MERGE, deep))).toMatch(/^400 BadRequest /);
    expect(errorOf(() => patch(STRATEGIC, deep))).toMatch(/^400 BadRequest /);
    expect(errorOf(() => patch(JSON_PATCH, deep))).toMatch(/^400 BadRequest /);
  });

  it('reports unknown and duplicate fields of the patch itself, unless they are to be ignored', () => {
    const odd = '[{"op":"test","op":"add","path":"/note","value":"x","foo":1}]';
    expect(patch(JSON_PATCH, odd).strictErrors).toEqual([
      'json patch unknown field "[0].foo"',
      'json patch duplicate field "[0].op"',
    ]);
    expect(patch(JSON_PATCH, odd, 'Ignore').strictErrors).toEqual([]);
    const twice = '{"metadata":{"labels":{"d":"1","d":"2"}}}';
    for (const type of [MERGE, STRATEGIC] as const) {
      const { document, strictErrors } = patch(type, twice);
      expect(document).toMatchObject({ metadata: { labels: { d: '2', x: '1' } } });
      expect(strictErrors).toEqual(['duplicate field "metadata.labels.d"']);
      expect(patch(type, twice, 'Ignore').strictErrors).toEqual([]);
    }
  });
});

describe('the rendering of a patched document', () => {
  const refusal = (type: PatchType, body: string, fieldValidation: Validation = 'Warn'): string =>
    errorOf(() => {
      const { document, strictErrors, rendering } = patch(type, body, fieldValidation);
      decodePatched(document, {
        shape: eventShape(),
        kind: 'Event',
        apiVersion: 'events.example.com/v1',
        fieldValidation,
        strictErrors,
        rendering: () => rendering(document),
        words: type === STRATEGIC ? 'converter' : 'json',
      });
    });

  it('is the whole document for JSON and merge patches, sorted where the patch reached', () => {
    const text = String.raw`"{\"apiVersion\":\"events.example.com/v1\",\"kind\":\"Event\",\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"1\"}},\"note\":5}"`;
    const why = 'json: cannot unmarshal number into Go struct field Event.note of type string';
    const message = `422 Invalid  "" is invalid: patch: Invalid value: ${text}: ${why}`;
    expect(refusal(MERGE, '{"note":5}')).toBe(message);
    expect(refusal(JSON_PATCH, '[{"op":"replace","path":"/note","value":5}]')).toBe(message);
    expect(refusal(MERGE, '{"note":5,"metadata":{"labels":{"x":"1"}}}')).toContain(
      String.raw`\"metadata\":{\"labels\":{\"x\":\"1\"},\"name\":\"a\"}`,
    );
  });

  it.each([
    ['{"note":5}', 'map[note:5]', 'cannot convert int64 to string'],
    ['{"metadata":"x"}', 'map[metadata:x]', 'cannot restore struct from: string'],
    ['{"metadata":{"labels":[]}}', 'map[metadata:map[labels:[]]]', 'cannot restore map from slice'],
    ['{"metadata":{"finalizers":"x"}}', 'map[metadata:map[finalizers:x]]', 'cannot restore slice from string'],
    [
      '{"metadata":{"ownerReferences":["x"]}}',
      'map[metadata:map[ownerReferences:[x]]]',
      'cannot restore struct from: string',
    ],
    [
      '{"note":{"b":null,"a":[1.5,true,1e7]}}',
      'map[note:map[a:[1.5 true 10000000] b:<nil>]]',
      'unrecognized type: string',
    ],
    ['{"note":2.5e10,"bogus":1e-7}', 'map[bogus:1e-07 note:25000000000]', 'cannot convert int64 to string'],
  ])('is the patch for a strategic merge: %s', (body, value, why) => {
    expect(refusal(STRATEGIC, body)).toBe(`422 Invalid  "" is invalid: patch: Invalid value: "${value}": ${why}`);
  });

  it('carries the strict errors of the patch first', () => {
    expect(refusal(STRATEGIC, '{"bogus":1}', 'Strict')).toBe(
      '422 Invalid  "" is invalid: patch: Invalid value: "map[bogus:1]": strict decoding error: unknown field "bogus"',
    );
    expect(refusal(JSON_PATCH, '[{"op":"add","path":"/bogus","value":1,"foo":1}]', 'Strict')).toMatch(
      /: strict decoding error: json patch unknown field "\[0\]\.foo", unknown field "bogus"$/,
    );
  });
});
