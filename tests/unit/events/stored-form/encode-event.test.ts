import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeObject } from '../../../../src/api/decode/decode-object.js';
import { createFieldTracker } from '../../../../src/api/managed-fields/field-tracker.js';
import { decodeEvent, encodeEvent } from '../../../../src/events/stored-form/encode-event.js';
import { createEventReader } from '../../../../src/events/stored-form/read-event.js';
import { eventShape } from '../../../../src/events/resource/schema.js';
import type { Event } from '../../../../src/model/event.js';
import { recordBytes } from '../../../../src/store/contract/record.js';
import { anyEvent } from '../any-event.js';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const event: Event = {
  kind: 'Event',
  apiVersion: 'events.example.com/v1',
  metadata: {
    name: 'a',
    namespace: 'ns',
    uid: 'u-1',
    resourceVersion: '99',
    creationTimestamp: '2024-03-05T06:07:08Z',
    labels: { app: 'web' },
  },
  eventTime: '2024-03-05T06:07:08.123456Z',
  reportingController: 'example.com/c',
  reason: 'Tested',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'ns', name: 'web', uid: 'p', apiVersion: 'v1', fieldPath: 'spec' },
};

const STORED =
  '{"metadata":{"name":"a","namespace":"ns","uid":"u-1","creationTimestamp":"2024-03-05T06:07:08Z","labels":{"app":"web"}},' +
  '"eventTime":"2024-03-05T06:07:08.123456Z","reportingController":"example.com/c","reason":"Tested",' +
  '"regarding":{"kind":"Pod","namespace":"ns","name":"web","uid":"p","apiVersion":"v1","fieldPath":"spec"},"type":"Normal",' +
  '"deprecatedSource":{},"deprecatedFirstTimestamp":null,"deprecatedLastTimestamp":null}';

describe('the stored form', () => {
  test('excludes kind, apiVersion and resourceVersion, and has the offset of the latter', () => {
    const encoded = encodeEvent(event);
    expect(text(encoded.bytes)).toBe(STORED);
    expect(text(encoded.bytes.subarray(0, encoded.cut))).toMatch(/"uid":"u-1",$/);
    expect(encoded.uid).toBe('u-1');
  });

  test('includes the values that selectors read', () => {
    const { fields, labels } = encodeEvent(event);
    expect(fields).toEqual({
      'metadata.name': 'a',
      'metadata.namespace': 'ns',
      reason: 'Tested',
      type: 'Normal',
      reportingController: 'example.com/c',
      source: 'example.com/c',
      'regarding.kind': 'Pod',
      'regarding.namespace': 'ns',
      'regarding.name': 'web',
      'regarding.uid': 'p',
      'regarding.apiVersion': 'v1',
      'regarding.fieldPath': 'spec',
    });
    expect({ ...labels }).toEqual({ app: 'web' });
    expect(encodeEvent({ ...event, deprecatedSource: { component: 'old' } }).fields['source']).toBe('old');
    const odd = encodeEvent({
      ...event,
      metadata: { ...event.metadata, labels: JSON.parse('{"__proto__":"x"}') as Record<string, string> },
    });
    expect(Object.keys(odd.labels)).toEqual(['__proto__']);
    expect(odd.labels['constructor']).toBeUndefined();
  });

  test('counts offsets in bytes, not characters', () => {
    const { bytes, cut } = encodeEvent({ ...event, metadata: { ...event.metadata, generateName: 'ü😀' } });
    expect(text(bytes.subarray(cut))).toMatch(/^"creationTimestamp"/);
  });

  test('accepts managed fields that are serialized already', () => {
    const entries = [{ manager: 'm', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { 'f:note': {} } }];
    for (const metadata of [event.metadata, {}]) {
      const tracked = { ...event, metadata: { ...metadata, managedFields: entries } };
      const { bytes, cut } = encodeEvent(tracked);
      const given = encodeEvent(tracked, JSON.stringify(entries));
      expect([text(given.bytes), given.cut]).toEqual([text(bytes), cut]);
    }
  });

  test('is valid JSON also for an event that is not stored', () => {
    expect(JSON.parse(text(encodeEvent({ metadata: {} }).bytes))).toMatchObject({ metadata: {}, eventTime: null });
    expect(JSON.parse(text(encodeEvent({ metadata: { name: 'a' } }).bytes))).toMatchObject({ metadata: { name: 'a' } });
  });
});

test('any stored event is unchanged after a round trip, and the revision is inserted at its offset', () => {
  fc.assert(
    fc.property(anyEvent(), fc.uuid(), (input, uid) => {
      const decoded = decodeObject(input, eventShape());
      if ('fault' in decoded) throw new Error(decoded.fault.text);
      const object = decoded.object as unknown as Event;
      object.metadata = { ...object.metadata, uid, creationTimestamp: '2024-03-05T06:07:08Z' };
      delete object.metadata.resourceVersion;
      const encoded = encodeEvent(object);
      expect(decodeEvent(encoded.bytes)).toEqual(object);
      expect(encodeEvent(decodeEvent(encoded.bytes)).bytes).toEqual(encoded.bytes);
      const record = { key: { namespace: 'ns', name: 'a' }, revision: 42, event: encoded, expiresAt: 0 };
      const joined = text(recordBytes(record, new TextEncoder().encode('"kind":"Event",')));
      const back = JSON.parse(joined) as Event;
      expect(back).toEqual({ ...object, kind: 'Event', metadata: { ...object.metadata, resourceVersion: '42' } });
      expect(joined.indexOf(`"uid":"${uid}","resourceVersion":"42",`)).toBeGreaterThan(0);
    }),
  );
});

describe('reading a stored event to write it again', () => {
  const readEvent = createEventReader(createFieldTracker().entriesOf);
  const check = (object: Event): void => {
    const encoded = encodeEvent(object);
    const { bytes } = encoded;
    for (let time = 0; time < 2; time++) {
      const read = readEvent(encoded);
      expect(read.event).toEqual(decodeEvent(bytes));
      expect(read.text).toBe(text(bytes));
      expect(encodeEvent(read.event).bytes).toEqual(bytes);
    }
  };

  test('agrees with the decoder, for any event and any free JSON', () => {
    fc.assert(
      fc.property(anyEvent(), fc.array(fc.jsonValue(), { maxLength: 2 }), (input, free) => {
        const decoded = decodeObject(input, eventShape());
        if ('fault' in decoded) throw new Error(decoded.fault.text);
        const object = decoded.object as unknown as Event;
        check(object);
        const managedFields = free.map((fieldsV1) => ({ manager: 'm', fieldsType: 'FieldsV1', fieldsV1 }));
        check({ ...object, metadata: { ...object.metadata, ...(free.length > 0 && { managedFields }) } });
      }),
    );
  });

  test('is not confused by texts that look like the borders of managed fields', () => {
    const border = ']},"eventTime":';
    const odd = { a: [{ b: [1] }], eventTime: 1, [border]: border, managedFields: [{ x: [] }] };
    const nested = { metadata: { managedFields: [{ y: [{}] }] }, eventTime: null };
    for (const fieldsV1 of [odd, nested, [nested], { z: [[{}], nested] }]) {
      const managedFields = [{ manager: border, fieldsV1 }];
      check({ ...event, note: `"managedFields":[${border}`, metadata: { ...event.metadata, managedFields } });
      check({ metadata: { labels: { managedFields: '[' }, managedFields } });
      check({ metadata: { managedFields } });
    }
    check({ ...event, note: `"managedFields":[${border}`, metadata: { labels: { managedFields: '[' } } });
  });

  test('shares the entries of equal texts', () => {
    const managedFields = [{ manager: 'm', operation: 'Update' }];
    const encoded = encodeEvent({ ...event, metadata: { ...event.metadata, managedFields } });
    const [one, other] = [readEvent(encoded), readEvent(encoded)];
    expect(one.event.metadata.managedFields).toBe(other.event.metadata.managedFields);
    expect(one.event).not.toBe(other.event);
  });
});
