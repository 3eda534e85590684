import { describe, expect, test } from 'vitest';
import { decodePatched, type DecodePatchedOptions } from '../../../../src/api/decode/decode-patched.js';
import { isStatusFailure } from '../../../../src/api/status/status-failure.js';
import { eventShape } from '../../../../src/events/resource/schema.js';

const base: DecodePatchedOptions = {
  shape: eventShape(),
  kind: 'Event',
  apiVersion: 'events.example.com/v1',
  fieldValidation: 'Warn',
  strictErrors: [],
  rendering: () => '{"note":5}',
  words: 'json',
};
const refusal = (value: unknown, options: Partial<DecodePatchedOptions> = {}) => {
  try {
    decodePatched(value, { ...base, ...options });
  } catch (error) {
    if (isStatusFailure(error)) return error.status;
  }
  throw new Error('the patched object was accepted');
};

test('a result of the wrong type is a 422 on the field patch', () => {
  expect(refusal({ note: 5 })).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message:
      ' "" is invalid: patch: Invalid value: "{\\"note\\":5}": json: cannot unmarshal number into Go struct field Event.note of type string',
    reason: 'Invalid',
    details: {
      causes: [
        {
          reason: 'FieldValueInvalid',
          message:
            'Invalid value: "{\\"note\\":5}": json: cannot unmarshal number into Go struct field Event.note of type string',
          field: 'patch',
        },
      ],
    },
    code: 422,
  });
});

describe('type errors of a strategic merge patch', () => {
  test.each([
    [{ note: 5 }, 'cannot convert int64 to string'],
    [{ note: 2.5 }, 'unrecognized type: string'],
    [{ metadata: { labels: { a: {} } } }, 'unrecognized type: string'],
    [{ metadata: { uid: 5 } }, 'cannot convert int64 to types.UID'],
    [{ metadata: { uid: true } }, 'unrecognized type: string'],
    [{ series: { count: 1.5 } }, 'cannot convert float64 to int32'],
    [{ series: { count: '1' } }, 'unrecognized type: int32'],
    [{ metadata: { generation: [] } }, 'unrecognized type: int64'],
    [{ metadata: { ownerReferences: [{ controller: 5 }] } }, 'unrecognized type: bool'],
    [{ eventTime: 5 }, 'json: cannot unmarshal number into Go value of type string'],
    [{ deprecatedFirstTimestamp: {} }, 'json: cannot unmarshal object into Go value of type string'],
    [{ metadata: 'x' }, 'cannot restore struct from: string'],
    [{ metadata: { labels: [] } }, 'cannot restore map from slice'],
    [{ metadata: { finalizers: 'x' } }, 'cannot restore slice from string'],
    [{ metadata: { ownerReferences: ['x'] } }, 'cannot restore struct from: string'],
    [{ eventTime: 'x' }, 'parsing time "x" as'],
    [{ kind: 5 }, 'cannot convert int64 to string'],
    [{ apiVersion: [] }, 'unrecognized type: string'],
  ])("have the converter's words for %j", (value, words) =>
    expect(refusal(value, { words: 'converter' }).message).toContain(`: ${words}`),
  );
});

test('a patch cannot change the kind', () => {
  expect(refusal({ kind: 'Pod', apiVersion: 'events.example.com/v1' }).message).toMatch(
    /: no kind "Pod" is registered for version "events.example.com\/v1" in scheme "pkg\/api\/legacyscheme\/scheme.go:30"$/,
  );
});

test.each([{ kind: 'Pod' }, { apiVersion: 'v1' }, { kind: 'EventList', apiVersion: 'a/b/c' }])(
  'a strategic merge patch with the type %j leaves the type as it is',
  (type) => {
    const { object, warnings, ...left } = decodePatched({ ...type, note: 'n' }, { ...base, words: 'converter' });
    expect([object['note'], warnings, left]).toEqual(['n', [], { apiVersion: base.apiVersion }]);
    expect(object).not.toHaveProperty('kind');
    expect(object).not.toHaveProperty('apiVersion');
  },
);

test('strict errors of the patch come before those of the result', () => {
  const strictErrors = ['json patch unknown field "[0].foo"'];
  const value = { bogus: 1 };
  expect(decodePatched(value, { ...base, strictErrors }).warnings).toEqual([...strictErrors, 'unknown field "bogus"']);
  expect(decodePatched(value, { ...base, strictErrors, fieldValidation: 'Ignore' }).warnings).toEqual([]);
  expect(refusal(value, { strictErrors, fieldValidation: 'Strict' }).message).toMatch(
    /: strict decoding error: json patch unknown field "\[0\]\.foo", unknown field "bogus"$/,
  );
});

test('a valid result is decoded', () => {
  const { object } = decodePatched({ kind: 'Event', note: 'n', metadata: { name: 'a' } }, base);
  expect(object).toMatchObject({ note: 'n', metadata: { name: 'a' } });
  expect(object).not.toHaveProperty('kind');
});
