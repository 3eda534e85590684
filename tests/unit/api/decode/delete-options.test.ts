import { expect, test } from 'vitest';
import { createBodyLimits } from '../../../../src/api/body/parse-body.js';
import { decodeDeleteOptions } from '../../../../src/api/decode/delete-options.js';
import { isStatusFailure } from '../../../../src/api/status/status-failure.js';

const decode = async (text: string, yaml = false) =>
  decodeDeleteOptions(
    new TextEncoder().encode(text),
    yaml ? 'application/yaml' : 'application/json',
    createBodyLimits(),
  );
const refusal = async (text: string, yaml = false): Promise<string | undefined> => {
  try {
    await decode(text, yaml);
  } catch (error) {
    if (isStatusFailure(error)) return `${error.status.code} ${error.status.message}`;
  }
  return undefined;
};

test('any apiVersion is accepted, including an empty one', async () => {
  for (const apiVersion of ['v1', 'meta.k8s.io/v1', 'events.example.com/v1', 'other/v1', '']) {
    expect(await decode(JSON.stringify({ kind: 'DeleteOptions', apiVersion, dryRun: ['All'] }))).toEqual({
      dryRun: ['All'],
    });
  }
  expect(await decode('{"apiVersion":"v1","propagationPolicy":"Orphan"}')).toEqual({ propagationPolicy: 'Orphan' });
});

test('given options are kept, also empty ones', async () => {
  expect(await decode('{"preconditions":{"uid":""},"gracePeriodSeconds":0,"orphanDependents":false}')).toEqual({
    gracePeriodSeconds: 0,
    preconditions: { uid: '' },
    orphanDependents: false,
  });
  expect(await decode('{"preconditions":{},"bogus":1}')).toEqual({ preconditions: {} });
  expect(await decode('null')).toEqual({});
  expect(await decode('dryRun: [All]', true)).toEqual({ dryRun: ['All'] });
});

test.each([
  [
    '{"apiVersion":"g/v1","kind":"Event"}',
    'no kind "Event" is registered for version "g/v1" in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"',
  ],
  [
    '{"kind":"Bogus"}',
    'no kind "Bogus" is registered for version "meta.k8s.io/v1" in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"',
  ],
  [
    '{"apiVersion":"v1","kind":"Bogus"}',
    'no kind "Bogus" is registered for version "v1" in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"',
  ],
  ['{"dryRun":"All"}', 'json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string'],
  [
    '{"gracePeriodSeconds":"x"}',
    'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
  ],
  [' ', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
])("a body is refused with the decoder's words: %s", async (text, message) =>
  expect(await refusal(text)).toBe(`400 ${message}`),
);

test('a body that is not an object is refused', async () => {
  const message = (type: string): string =>
    `400 couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
  expect(await refusal('[]')).toBe(message('array'));
  expect(await refusal('x', true)).toBe(message('string'));
});
