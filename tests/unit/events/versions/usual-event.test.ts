import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBody, type DecodedBody } from '../../../../src/api/decode/decode-body.js';
import { createFieldTracker } from '../../../../src/api/managed-fields/field-tracker.js';
import { updateManagedFields } from '../../../../src/api/managed-fields/update-managed-fields.js';
import { writeEvent } from '../../../../src/events/stored-form/encode-event.js';
import { eventShape } from '../../../../src/events/schema.js';
import { decodeUsualEvent } from '../../../../src/events/versions/usual-event.js';
import type { Event } from '../../../../src/model/event.js';

type Json = Record<string, unknown>;

const VERSION = { kind: 'Event', apiVersion: 'events.example.com/v1', shape: eventShape() };

const decode = (text: string, usual?: typeof decodeUsualEvent): DecodedBody =>
  decodeBody(new TextEncoder().encode(text), {
    ...VERSION,
    mediaType: 'application/json',
    fieldValidation: 'Warn',
    usual,
  }) as DecodedBody;

/** What a body becomes with the decoder for usual ones, and whether that was what decoded it; held to what it becomes without. */
function decoded(body: Json | string): DecodedBody {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const outcome = (usual?: typeof decodeUsualEvent): unknown => {
    try {
      const { object, warnings } = decode(text, usual);
      return { object, warnings, labels: Object.getPrototypeOf(labelsOf(object) ?? null) as unknown };
    } catch (error) {
      return String(error);
    }
  };
  expect(outcome(decodeUsualEvent)).toEqual(outcome());
  return decode(text, decodeUsualEvent);
}

const labelsOf = (object: Json): object | null => ((object['metadata'] as Json)['labels'] as object | undefined) ?? {};

const usual = (more: Json = {}, metadata: Json = {}, regarding: Json = {}): Json => ({
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
  ['what every field has a value in', usual()],
  ['one with labels', usual({}, { labels: { app: 'web', tier: '' } })],
  ['one with the empty fields of Go', usual(EMPTY, { creationTimestamp: null })],
  ['one about a container', usual({}, {}, { uid: 'u', resourceVersion: '1', apiVersion: 'v1', fieldPath: 'spec' })],
  ['a time that is not canonical', usual({ eventTime: '2026-03-05T06:07:08+01:00' })],
])('%s is usual', (_, body) => {
  expect(decoded(body).usual).toBe(true);
});

const name = (): fc.Arbitrary<string> =>
  fc.constantFrom(
    ...Object.keys(usual(EMPTY)),
    'series',
    'related',
    'labels',
    'uid',
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
    '2026-03-05T06:07:08Z',
  );

test('whatever a body has, it is decoded as ever, and a usual one owns what others like it own', () => {
  const part = (): fc.Arbitrary<Json> =>
    fc.array(fc.tuple(name(), value()), { maxLength: 2 }).map((entries) => Object.fromEntries(entries) as Json);
  const tracker = createFieldTracker();
  fc.assert(
    fc.property(
      part(),
      part(),
      part(),
      fc.boolean(),
      fc.option(name()),
      (more, metadata, regarding, empty, without) => {
        const body = usual({ ...(empty && EMPTY), ...more });
        for (const [key, added] of [
          ['metadata', metadata],
          ['regarding', regarding],
        ] as const) {
          if (typeof body[key] === 'object') body[key] = { ...body[key], ...added };
        }
        if (without !== null) delete body[without];
        let read: DecodedBody;
        try {
          read = decoded(body);
        } catch {
          return;
        }
        const event = read.object as unknown as Event;
        if (read.plain) expect(writeEvent(event, undefined, true)).toEqual(writeEvent(event));
        if (!read.usual) return;
        const input = { version: VERSION, next: read.object, manager: 'm', time: '2026-03-05T06:07:08Z' };
        expect(tracker.track({ ...input, usual: true }).entries).toEqual(updateManagedFields(input));
      },
    ),
    { numRuns: 1000 },
  );
});

test('keys that come twice are told of, at every level', () => {
  const text = JSON.stringify(usual({}, { labels: { a: 'b' } }));
  for (const [from, to] of [
    ['"a":"b"', '"a":"c","a":"b"'],
    ['"kind":"Pod"', '"kind":"Pod","kind":"Pod"'],
    ['"name":"a"', '"name":"a","name":"a"'],
    ['"type":"Normal"', '"type":"Normal","type":"Normal"'],
  ] as const) {
    expect(decoded(text.replace(from, to)).warnings).toHaveLength(1);
  }
});

test.each([
  ['plain', 'a note <&> \u007f', true],
  ['an escape', 'a \\"note\\"', false],
  ['a letter beyond ASCII', 'é', false],
])('texts with %s', (_, note, plain) => {
  expect(decoded(JSON.stringify(usual()).replace('a note', note)).plain).toBe(plain);
});
