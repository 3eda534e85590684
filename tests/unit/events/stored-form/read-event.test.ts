import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeObject } from '../../../../src/api/decode/decode-object.js';
import { createFieldTracker } from '../../../../src/api/managed-fields/field-tracker.js';
import { decodeEvent, encodeEvent, writeEvent } from '../../../../src/events/stored-form/encode-event.js';
import { shareEqualParts } from '../../../../src/events/codec/compare-events.js';
import { createEventReader, rewriteEvent } from '../../../../src/events/stored-form/read-event.js';
import { eventShape } from '../../../../src/events/resource/schema.js';
import type { Event } from '../../../../src/model/event.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import { anyEvent } from '../any-event.js';

const read = createEventReader(createFieldTracker().entriesOf);

const commonEvent = (): Event => ({
  metadata: {
    name: 'a',
    namespace: 'ns',
    uid: 'u-1',
    creationTimestamp: '2024-03-05T06:07:08Z',
    labels: { app: 'web', tier: 'front' },
    managedFields: [{ manager: 'm', operation: 'Update' }],
  },
  eventTime: '2024-03-05T06:07:08.123456Z',
  series: { count: 2, lastObservedTime: '2024-03-05T06:07:09.000000Z' },
  reportingController: 'example.com/c',
  reportingInstance: 'i',
  action: 'Testing',
  reason: 'Tested',
  regarding: {
    kind: 'Pod',
    namespace: 'ns',
    name: 'web',
    uid: 'p',
    apiVersion: 'v1',
    resourceVersion: '7',
    fieldPath: 'spec',
  },
  note: 'a text',
  type: 'Normal',
  deprecatedSource: {},
  deprecatedFirstTimestamp: null,
  deprecatedLastTimestamp: null,
});

const without = (event: Event, key: keyof Event): Event =>
  Object.fromEntries(Object.entries(event).filter(([name]) => name !== key)) as unknown as Event;

const variants: readonly Event[] = [
  commonEvent(),
  ...(['series', 'reportingController', 'reportingInstance', 'action', 'reason', 'note', 'type'] as const).map((key) =>
    without(commonEvent(), key),
  ),
  { ...commonEvent(), regarding: {} },
  { ...commonEvent(), regarding: { name: 'web' } },
  { ...commonEvent(), regarding: { kind: 'Pod', fieldPath: '}' } },
  { ...commonEvent(), note: 'a "quoted" one,\\ "series":{"count":' },
  { ...commonEvent(), note: ',"type":Warning' },
  { ...commonEvent(), note: 'ü😀' },
  { ...commonEvent(), eventTime: null },
  { ...commonEvent(), series: { count: -1, lastObservedTime: null } },
  { ...commonEvent(), related: { kind: 'Node' } },
  { ...commonEvent(), deprecatedCount: 3 },
  { ...commonEvent(), deprecatedSource: { component: 'c' } },
  ...[{}, { app: 'a},"x' }, { app: '"' }, JSON.parse('{"__proto__":"x"}') as Record<string, string>].map((labels) => ({
    ...commonEvent(),
    metadata: { ...commonEvent().metadata, labels },
  })),
  { ...commonEvent(), metadata: { ...commonEvent().metadata, annotations: { a: 'b' } } },
  { ...commonEvent(), metadata: { ...commonEvent().metadata, name: 'a"b' } },
  { ...commonEvent(), metadata: { ...commonEvent().metadata, finalizers: ['example.com/f'] } },
];

describe('a stored event that is read to be written again', () => {
  test('equals the decoded event, keys in the same order', () => {
    for (const event of variants) {
      const encoded = encodeEvent(event);
      const got = read(encoded);
      expect(got.text).toBe(new TextDecoder().decode(encoded.bytes));
      expect(JSON.stringify(got.event)).toBe(JSON.stringify(decodeEvent(encoded.bytes)));
      expect(JSON.stringify(read(encoded).event)).toBe(JSON.stringify(got.event));
    }
  });

  test('is the same from a store that keeps it in pieces, small or large', async () => {
    const store = memoryStore();
    for (const [index, event] of [commonEvent(), { ...commonEvent(), note: 'n'.repeat(20_000) }].entries()) {
      const key = { namespace: 'ns', name: `a${index}` };
      const named = { ...event, metadata: { ...event.metadata, name: key.name } };
      const record = await store.create(key, encodeEvent(named), { expiresAt: Number.MAX_SAFE_INTEGER });
      expect(read(record.event).event).toEqual(named);
    }
    await store.close();
  });

  test('is written like any other, whatever was changed', () => {
    const changes: readonly ((event: Event) => void)[] = [
      (event) => void event,
      (event) => (event.series = { count: 9, lastObservedTime: '2024-03-05T06:07:10.000000Z' }),
      (event) => delete event.series,
      (event) => (event.note = 'another'),
      (event) => (event.regarding = { ...event.regarding, name: 'b' }),
      (event) => (event.metadata.labels = { app: 'other' }),
      (event) => delete event.metadata.labels,
      (event) => (event.metadata.annotations = { a: 'b' }),
      (event) => (event.metadata.generation = 1),
      (event) => (event.metadata.finalizers = ['example.com/f']),
      (event) => (event.eventTime = null),
    ];
    for (const event of variants) {
      const stored = read(encodeEvent(event));
      for (const change of changes) {
        const next: Event = { ...stored.event, metadata: { ...stored.event.metadata } };
        change(next);
        for (const managedFields of [undefined, '[{"manager":"n"}]']) {
          expect(rewriteEvent(next, managedFields, stored)).toEqual(writeEvent(next, managedFields));
        }
      }
    }
  });

  test('is written like any other, for any two events', () => {
    const decoded = (input: unknown): Event => {
      const result = decodeObject(input, eventShape());
      if ('fault' in result) throw new Error(result.fault.text);
      return result.object as unknown as Event;
    };
    fc.assert(
      fc.property(anyEvent(), anyEvent(), fc.boolean(), (one, other, same) => {
        const stored = read(encodeEvent(decoded(one)));
        const next = decoded(same ? one : other);
        shareEqualParts(stored.event, next);
        expect(rewriteEvent(next, '[]', stored)).toEqual(writeEvent(next, '[]'));
      }),
    );
  });
});
