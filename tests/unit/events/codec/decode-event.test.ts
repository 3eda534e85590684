import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBodyLimits } from '../../../../src/api/body/parse-body.js';
import { decodeBody, type DecodedBody } from '../../../../src/api/decode/decode-body.js';
import { eventShape } from '../../../../src/events/resource/schema.js';
import { decodeCommonEvent } from '../../../../src/events/codec/decode-event.js';

type Json = Record<string, unknown>;

const VERSION = { kind: 'Event', apiVersion: 'events.example.com/v1', shape: eventShape() };

const decode = (text: string, quick?: typeof decodeCommonEvent): DecodedBody =>
  decodeBody(new TextEncoder().encode(text), {
    ...VERSION,
    mediaType: 'application/json',
    fieldValidation: 'Warn',
    quick,
    limits: createBodyLimits(),
  }) as DecodedBody;

/** Compares the outcome of a body with that without the fast path. */
function checkAlike(text: string): void {
  const outcome = (quick?: typeof decodeCommonEvent): unknown => {
    try {
      const { object, warnings } = decode(text, quick);
      return { object, warnings, labels: Object.getPrototypeOf(labelsOf(object) ?? null) as unknown };
    } catch (error) {
      return String(error);
    }
  };
  // Strictly: a field that is absent must not be there as undefined.
  expect(outcome(decodeCommonEvent)).toStrictEqual(outcome());
}

/** The decoded body, and whether it took the fast path. */
function decoded(body: Json | string): DecodedBody & { readonly known: boolean } {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  checkAlike(text);
  let known = false;
  const read = decode(text, (value) => {
    const object = decodeCommonEvent(value);
    known = object !== undefined;
    return object;
  });
  return { ...read, known };
}

const labelsOf = (object: Json): object | null => ((object['metadata'] as Json)['labels'] as object | undefined) ?? {};

const commonEvent = (more: Json = {}, metadata: Json = {}, regarding: Json = {}): Json => ({
  kind: 'Event',
  apiVersion: 'events.example.com/v1',
  metadata: { name: 'a', namespace: 'default', ...metadata },
  eventTime: '2026-03-05T06:07:08.123456Z',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  regarding: { kind: 'Pod', namespace: 'default', name: 'web-1', ...regarding },
  note: 'a note',
  type: 'Normal',
  ...more,
});

const EMPTY = { deprecatedSource: {}, deprecatedFirstTimestamp: null, deprecatedLastTimestamp: null };

test.each([
  ['an event with a value in every usual field', commonEvent()],
  ['an event with labels', commonEvent({}, { labels: { app: 'web', tier: '' } })],
  ['an event with the empty fields of Go', commonEvent(EMPTY, { creationTimestamp: null })],
  [
    'an event about a container',
    commonEvent({}, {}, { uid: 'u', resourceVersion: '1', apiVersion: 'v1', fieldPath: 'spec' }),
  ],
  ['an event with annotations', commonEvent({}, { annotations: { 'example.com/a': 'b' } })],
  ['an event with a series', commonEvent({ series: { count: 2, lastObservedTime: '2026-03-05T06:07:08.123456Z' } })],
  ['an event with a second object', commonEvent({ related: { kind: 'Node', name: 'node-1' } })],
  [
    'an event with what the server has set',
    commonEvent({}, { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-03-05T06:07:08Z' }),
  ],
  ['an event with a time that is not canonical', commonEvent({ eventTime: '2026-03-05T06:07:08+01:00' })],
])('%s takes the fast path', (_, body) => {
  expect(decoded(body).known).toBe(true);
});

test('an event with known managed fields takes the fast path, and gets them', () => {
  const managed = [{ manager: 'tester', operation: 'Update' }];
  const body = commonEvent({}, { managedFields: 0 });
  expect(decodeCommonEvent(structuredClone(body), managed)?.object['metadata']).toEqual({
    name: 'a',
    namespace: 'default',
    managedFields: managed,
  });
  expect(decodeCommonEvent(body)).toBeUndefined();
});

test.each([{ other: 'x' }, { deprecatedCount: 1 }])('an event that also has %j takes the slow path', (more) => {
  expect(decodeCommonEvent(commonEvent(more))).toBeUndefined();
  expect(decodeCommonEvent(commonEvent({}, more))).toBeUndefined();
});

test.each([
  { count: '2', lastObservedTime: '2026-03-05T06:07:08.123456Z' },
  { count: 2, lastObservedTime: '2026-03-05' },
  { count: 2, lastObservedTime: '2026-03-05T06:07:08Z' },
  { count: 2 },
  { count: 2, lastObservedTime: '2026-03-05T06:07:08.123456Z', state: 'Ongoing' },
])('an event with the series %j takes the slow path', (series) => {
  expect(decodeCommonEvent(commonEvent({ series }))).toBeUndefined();
  checkAlike(JSON.stringify(commonEvent({ series })));
});

const name = (): fc.Arbitrary<string> =>
  fc.constantFrom(
    ...Object.keys(commonEvent(EMPTY)),
    'series',
    'related',
    'labels',
    'annotations',
    'uid',
    'resourceVersion',
    'creationTimestamp',
    'managedFields',
    'fieldPath',
    '__proto__',
    'other',
  );
const value = (): fc.Arbitrary<unknown> =>
  fc.constantFrom(
    null,
    '',
    'x',
    '"',
    'é',
    0,
    7,
    true,
    {},
    { a: 'b' },
    { a: null },
    [],
    ['a'],
    { kind: 'Pod' },
    { count: 2, lastObservedTime: '2026-03-05T06:07:08.123456Z' },
    { count: 2, lastObservedTime: '2026-03-05T06:07:08Z' },
    { count: 2 ** 31, lastObservedTime: '2026-03-05T06:07:08.123456Z' },
    '2026-03-05T06:07:08Z',
  );

test('any body is decoded as by the generic decoder', () => {
  const part = (): fc.Arbitrary<Json> =>
    fc.array(fc.tuple(name(), value()), { maxLength: 2 }).map((entries) => Object.fromEntries(entries) as Json);
  fc.assert(
    fc.property(
      part(),
      part(),
      part(),
      fc.boolean(),
      fc.option(name()),
      (more, metadata, regarding, empty, without) => {
        const body = commonEvent({ ...(empty && EMPTY), ...more });
        for (const [key, added] of [
          ['metadata', metadata],
          ['regarding', regarding],
        ] as const) {
          if (typeof body[key] === 'object') body[key] = { ...body[key], ...added };
        }
        if (without !== null) delete body[without];
        checkAlike(JSON.stringify(body));
      },
    ),
    { numRuns: 1000 },
  );
});

test('the keys of all objects are counted', () => {
  const count = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? Object.values(value).reduce<number>((sum, inner) => sum + 1 + count(inner), 0)
      : 0;
  for (const body of [
    commonEvent(),
    commonEvent(EMPTY, { creationTimestamp: null }),
    commonEvent({}, { labels: { app: 'web', tier: 'front' } }, { uid: 'u' }),
  ]) {
    const keys = count(body);
    expect(decodeCommonEvent(structuredClone(body))?.keys).toBe(keys);
  }
});

test('duplicate keys are reported at every level', () => {
  const text = JSON.stringify(commonEvent({}, { labels: { a: 'b' } }));
  for (const [from, to] of [
    ['"a":"b"', '"a":"c","a":"b"'],
    ['"kind":"Pod"', '"kind":"Pod","kind":"Pod"'],
    ['"name":"a"', '"name":"a","name":"a"'],
    ['"type":"Normal"', '"type":"Normal","type":"Normal"'],
  ] as const) {
    expect(decoded(text.replace(from, to)).warnings).toHaveLength(1);
  }
});
