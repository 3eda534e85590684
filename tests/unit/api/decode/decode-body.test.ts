import { describe, expect, test } from 'vitest';
import { createBodyLimits } from '../../../../src/api/body/parse-body.js';
import { decodeBody, type DecodeBodyOptions } from '../../../../src/api/decode/decode-body.js';
import { isStatusFailure } from '../../../../src/api/status/status-failure.js';
import { coreEventShape, eventShape } from '../../../../src/events/resource/schema.js';

const G = 'events.example.com';
const base: DecodeBodyOptions = {
  mediaType: 'application/json',
  shape: eventShape(),
  kind: 'Event',
  apiVersion: `${G}/v1`,
  otherVersions: new Map([['v1', coreEventShape()]]),
  fieldValidation: 'Warn',
  limits: createBodyLimits(),
};
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = async (body: string | Uint8Array, options: Partial<DecodeBodyOptions> = {}) =>
  decodeBody(typeof body === 'string' ? bytes(body) : body, { ...base, ...options });

async function refusal(body: string | Uint8Array, options: Partial<DecodeBodyOptions> = {}): Promise<string> {
  try {
    await decode(body, options);
  } catch (error) {
    if (!isStatusFailure(error)) throw error;
    expect([error.status.code, error.status.reason]).toEqual([400, 'BadRequest']);
    return error.status.message ?? '';
  }
  throw new Error('the body was accepted');
}

const TYPE = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const unrecognized = (rest: string): string => `the object provided is unrecognized (must be of type Event): ${rest}`;
const unparsed = (rest: string): string => unrecognized(`couldn't get version/kind; json parse error: ${rest}`);

describe('a body that cannot be read', () => {
  test.each([
    ['{', 'unexpected end of JSON input ({)'],
    ['', 'unexpected end of JSON input (<empty>)'],
    ['[]', `json: cannot unmarshal array into Go value of type ${TYPE} (5b5d)`],
    ['"x"', `json: cannot unmarshal string into Go value of type ${TYPE} (227822)`],
    ['true', `json: cannot unmarshal bool into Go value of type ${TYPE} (74727565)`],
    ['{"a":1}{"b":2}', `invalid character '{' after top-level value ({"a":1}{"b":2})`],
    [' '.repeat(40), `unexpected end of JSON input (${'20'.repeat(30)} ...)`],
    [
      '{"metadata":{"name":"a"},"kind":5}',
      'json: cannot unmarshal number into Go struct field .kind of type string ({"metadata":{"name":"a"},"kind ...)',
    ],
    [
      '{"apiVersion":5}',
      'json: cannot unmarshal number into Go struct field .apiVersion of type string ({"apiVersion":5})',
    ],
  ])('is refused with its reason: %j', async (body, rest) => expect(await refusal(body)).toBe(unparsed(rest)));

  test('is refused for its nesting without recursion', async () => {
    expect(await refusal('{"a":'.repeat(10_000))).toContain('exceeded max depth');
    expect(await refusal('['.repeat(100_000))).toContain('exceeded max depth');
  });
});

describe('kind and apiVersion', () => {
  test('are taken from the path if the body does not have them', async () => {
    for (const body of [
      '{}',
      'null',
      ' {} ',
      '{"kind":"","apiVersion":""}',
      '{"kind":null}',
      `{"apiVersion":"${G}/v1"}`,
    ]) {
      expect(await decode(body)).toMatchObject({ apiVersion: `${G}/v1`, warnings: [] });
    }
  });

  test.each([
    [
      { kind: 'Foo' },
      `Foo in version "v1" cannot be handled as a Event: no kind "Foo" is registered for version "${G}/v1" in scheme "pkg/api/legacyscheme/scheme.go:30"`,
    ],
    [
      { kind: 'Event', apiVersion: `${G}/v2` },
      `Event in version "v2" cannot be handled as a Event: no kind "Event" is registered for version "${G}/v2" in scheme "pkg/api/legacyscheme/scheme.go:30"`,
    ],
    [
      { kind: 'EventList', apiVersion: `${G}/v1` },
      'EventList in version "v1" cannot be handled as a Event: converting (v1.EventList) to (core.Event): unknown conversion',
    ],
    [
      { kind: 'DeleteOptions' },
      'DeleteOptions in version "v1" cannot be handled as a Event: converting (v1.DeleteOptions) to (core.Event): unknown conversion',
    ],
    [
      { kind: 'Status', apiVersion: 'v1' },
      'Status in version "v1" cannot be handled as a Event: converting (v1.Status) to (core.Event): unknown conversion',
    ],
    [{ apiVersion: 'a/b/c' }, unrecognized('unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})')],
  ])('are refused if they do not fit: %j', async (body, message) =>
    expect(await refusal(JSON.stringify(body))).toBe(message),
  );

  test('are checked before the types of fields', async () => {
    expect(await refusal('{"kind":"Foo","note":1}')).toContain('no kind "Foo"');
  });

  test('of another served version are accepted, for the caller to refuse', async () => {
    const decoded = await decode('{"apiVersion":"v1","message":"m","note":"n"}');
    expect(decoded.apiVersion).toBe('v1');
    expect(decoded.warnings).toEqual(['unknown field "note"']);
    expect(decoded.object['message']).toBe('m');
    expect(await refusal('{"apiVersion":"v1"}', { otherVersions: undefined })).toContain(
      'no kind "Event" is registered',
    );
  });
});

describe('field validation', () => {
  const body = '{"metadata":{"extra":true},"bogus":1,"type":"a","type":"b"}';

  test('warns under Warn, is silent under Ignore, and refuses under Strict', async () => {
    expect((await decode(body)).warnings).toEqual([
      'unknown field "metadata.extra"',
      'unknown field "bogus"',
      'duplicate field "type"',
    ]);
    const ignored = await decode(body, { fieldValidation: 'Ignore' });
    expect(ignored.warnings).toEqual([]);
    expect(ignored.object['type']).toBe('b');
    expect(await refusal(body, { fieldValidation: 'Strict' })).toBe(
      'Event in version "v1" cannot be handled as a Event: strict decoding error: ' +
        'unknown field "metadata.extra", unknown field "bogus", duplicate field "type"',
    );
  });

  test('reports a wrong type before strict errors', async () => {
    expect(await refusal('{"bogus":1,"note":1}', { fieldValidation: 'Strict' })).toBe(
      'Event in version "v1" cannot be handled as a Event: json: cannot unmarshal number into Go struct field Event.note of type string',
    );
  });
});

test('invalid UTF-8 becomes U+FFFD', async () => {
  const body = Uint8Array.of(...bytes('{"note":"'), 0xff, 0xfe, ...bytes('"}'));
  expect((await decode(body)).object['note']).toBe('\ufffd\ufffd');
});

test('JSON is decoded synchronously', () => {
  expect(decodeBody(bytes('{}'), base)).not.toBeInstanceOf(Promise);
});

describe('YAML', () => {
  const yaml = { mediaType: 'application/yaml' } as const;

  test('is read, including JSON as a subset', async () => {
    const body = 'kind: Event\nmetadata:\n  name: a\n  labels: {x: "1"}\nseries: {count: 2}\n';
    expect((await decode(body, yaml)).object).toMatchObject({
      metadata: { name: 'a', labels: { x: '1' } },
      series: { count: 2 },
    });
    expect((await decode('{"metadata":{"name":"a"}}', yaml)).object).toMatchObject({ metadata: { name: 'a' } });
    expect((await decode('', yaml)).apiVersion).toBe(`${G}/v1`);
  });

  test('has its duplicate keys reported', async () => {
    const body = 'metadata:\n  labels:\n    d: "1"\n    d: "2"\nbogus: 1\n';
    expect((await decode(body, yaml)).warnings).toEqual([
      'line 4: key "d" already set in map',
      'unknown field "bogus"',
    ]);
    expect(await refusal(body, { ...yaml, fieldValidation: 'Strict' })).toBe(
      'Event in version "v1" cannot be handled as a Event: strict decoding error: ' +
        'yaml: unmarshal errors:\n  line 4: key "d" already set in map, unknown field "bogus"',
    );
    expect((await decode(body, { ...yaml, fieldValidation: 'Ignore' })).object).toMatchObject({
      metadata: { labels: { d: '2' } },
    });
  });

  test('that is invalid is refused with its line', async () => {
    expect(await refusal('a: b: c', yaml)).toMatch(
      /^the object provided is unrecognized .*: yaml: line 1: .* \(613a20623a2063\)$/,
    );
    expect(await refusal('x', yaml)).toBe(unparsed(`json: cannot unmarshal string into Go value of type ${TYPE} (78)`));
    expect(await refusal('note: yes', yaml)).toContain(
      'cannot unmarshal bool into Go struct field Event.note of type string',
    );
  });
});

describe('a key that comes twice', () => {
  const body = (metadata: string, rest = ''): string =>
    `{"kind":"Event","apiVersion":"${G}/v1","metadata":{"name":"a"${metadata}}${rest}}`;

  test.each([
    ['in the event', body('', ',"reason":"r","reason":"s"'), 'reason'],
    ['as null', body('', ',"reason":"r","reason":null'), 'reason'],
    ['in metadata', body(',"name":"b"'), 'metadata.name'],
    ['in a reference', body('', ',"regarding":{"kind":"Pod","kind":"Pod"}'), 'regarding.kind'],
    ['in a field that is discarded', body(',"selfLink":"x","selfLink":"x"'), 'metadata.selfLink'],
    ['in an item', body(',"managedFields":[{"manager":"m","manager":"m"}]'), 'metadata.managedFields[0].manager'],
  ])('is reported in %s', async (_, text, path) => {
    expect((await decode(text)).warnings).toEqual([`duplicate field "${path}"`]);
    expect(await refusal(text, { fieldValidation: 'Strict' })).toContain(`duplicate field "${path}"`);
  });

  test.each([
    '',
    ',"labels":{"a":"b"}',
    ',"managedFields":[{"fieldsV1":{"f:a":{"f:b":{}},"f:c":[{"k":1}]}}],"uid":null',
  ])('is not reported where there is none: %s', async (metadata) => {
    const { warnings } = await decode(body(metadata), { fieldValidation: 'Strict' });
    expect(warnings).toEqual([]);
  });
});
