import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBody, type DecodedBody } from '../../../../src/api/decode/decode-body.js';
import { plainWithoutEntries } from '../../../../src/api/decode/known-managed-fields.js';
import { createFieldTracker } from '../../../../src/api/managed-fields/field-tracker.js';
import { createBodyLimits } from '../../../../src/api/body/parse-body.js';
import { decodeCommonEvent } from '../../../../src/events/codec/decode-event.js';
import { eventShape } from '../../../../src/events/resource/schema.js';

type Json = Record<string, unknown>;

const ENTRIES = [
  {
    manager: 'web',
    operation: 'Update',
    apiVersion: 'events.example.com/v1',
    time: '2026-03-05T06:07:08Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:note': {}, 'f:series': { '.': {}, 'f:count': {} } },
  },
];
const LIST = JSON.stringify(ENTRIES);

const tracker = createFieldTracker();
tracker.entriesOf(LIST);
const { knownEntries } = tracker;

const decode = (text: string, managed: typeof knownEntries | undefined, members = 4_000): unknown => {
  try {
    const options = {
      kind: 'Event',
      apiVersion: 'events.example.com/v1',
      shape: eventShape(),
      mediaType: 'application/json',
      fieldValidation: 'Warn',
      quick: managed && decodeCommonEvent,
      limits: createBodyLimits(members),
      managed,
    } as const;
    const { object, warnings } = decodeBody(new TextEncoder().encode(text), options) as DecodedBody;
    return { object, warnings };
  } catch (error) {
    return String(error);
  }
};

const whole = (metadata: Json = {}, more: Json = {}): Json => ({
  kind: 'Event',
  apiVersion: 'events.example.com/v1',
  metadata: {
    name: 'a',
    namespace: 'default',
    uid: '5f2b1c3d-0000-4000-8000-000000000000',
    resourceVersion: '17',
    creationTimestamp: '2026-03-05T06:07:08Z',
    labels: { app: 'web' },
    annotations: { note: 'é "quoted"' },
    ...metadata,
    managedFields: ENTRIES,
  },
  eventTime: '2026-03-05T06:07:08.123456Z',
  series: { count: 2, lastObservedTime: '2026-03-05T06:07:09.000000Z' },
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  regarding: { kind: 'Pod', namespace: 'default', name: 'web-1' },
  note: 'a note',
  type: 'Normal',
  deprecatedSource: {},
  deprecatedFirstTimestamp: null,
  deprecatedLastTimestamp: null,
  ...more,
});

describe('an object with managed fields that are known', () => {
  test('is parsed without them', () => {
    const found = plainWithoutEntries(JSON.stringify(whole()), knownEntries, 4_000);
    expect(found?.entries).toBe(knownEntries(LIST));
    expect((found?.plain.value as { metadata: Json }).metadata['managedFields']).toBe(0);
    expect(decodeCommonEvent(found?.plain.value as object, found?.entries)?.keys).toBe(found?.plain.keys);
  });

  test('is decoded as it is without known managed fields', () => {
    const text = JSON.stringify(whole());
    expect(decode(text, knownEntries)).toEqual(decode(text, undefined));
    expect(decode(text, knownEntries)).toMatchObject({ object: { metadata: { managedFields: ENTRIES } } });
  });

  test('counts their fields towards the limit of a body', () => {
    const text = JSON.stringify(whole());
    for (let members = 20; members < 80; members++) {
      expect(decode(text, knownEntries, members)).toEqual(decode(text, undefined, members));
    }
  });

  test.each([
    ['in labels', whole({ labels: { managedFields: ENTRIES } })],
    ['in a field that is not known', whole({}, { other: { managedFields: ENTRIES } })],
    ['below the object it is about', whole({}, { regarding: { managedFields: ENTRIES } })],
    ['in the series', whole({}, { series: { managedFields: ENTRIES } })],
  ])('is read completely where they also stand %s', (_, body) => {
    const text = JSON.stringify(body);
    expect(decode(text, knownEntries)).toEqual(decode(text, undefined));
    const placed = text.replace(`,"managedFields":${LIST}}`, ',"managedFields":0}');
    expect(decode(placed, knownEntries)).toEqual(decode(placed, undefined));
  });

  test.each([
    ['the number 0 in their place', `"managedFields":0`],
    ['an empty list', `"managedFields":[]`],
    ['them twice', `"managedFields":${LIST},"managedFields":${LIST}`],
    ['another list after them', `"managedFields":${LIST},"managedFields":[]`],
    ['a key that ends in "managedFields"', `"x\\"managedFields":${LIST}`],
    ['a text that looks like them', `"generateName":"\\"managedFields\\":${LIST.replaceAll('"', '\\"')}"`],
    ['a list that does not end', `"managedFields":${LIST.slice(0, -1)}`],
    ['a comma after their end', `"managedFields":${LIST},`],
    ['spaces', `"managedFields": ${LIST}`],
  ])('is decoded like any other with %s', (_, instead) => {
    const text = JSON.stringify(whole()).replace(`"managedFields":${LIST}`, instead);
    expect(decode(text, knownEntries)).toEqual(decode(text, undefined));
  });

  test('is decoded like any other, whatever else it has', () => {
    const key = fc.constantFrom(...Object.keys(whole()), ...Object.keys(whole()['metadata'] as Json), '__proto__', 'x');
    const value = fc.constantFrom<unknown>(
      ...[null, '', 'x', 0, -1, 2, 2 ** 31, 1.5, true, {}, { a: 'b' }, { count: 2 }, [], ENTRIES],
      '2026-03-05T06:07:08Z',
      '2026-03-05T07:07:08+01:00',
      '0001-01-01T00:00:00Z',
    );
    const part = fc.array(fc.tuple(key, value), { maxLength: 2 }).map((pairs) => Object.fromEntries(pairs) as Json);
    fc.assert(
      fc.property(part, part, fc.option(key), (metadata, more, without) => {
        const body = whole(metadata, more);
        if (without !== null) delete body[without];
        const text = JSON.stringify(body);
        expect(decode(text, knownEntries)).toEqual(decode(text, undefined));
      }),
      { numRuns: 1000 },
    );
  });
});

test('managed fields that are not known are not kept', () => {
  const { knownEntries: none } = createFieldTracker();
  expect(plainWithoutEntries(JSON.stringify(whole()), none, 4_000)).toBeUndefined();
  expect(none(LIST)).toBeUndefined();
});
