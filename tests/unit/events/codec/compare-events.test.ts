import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeObject } from '../../../../src/api/decode/decode-object.js';
import { createFieldTracker } from '../../../../src/api/managed-fields/field-tracker.js';
import { updateManagedFields } from '../../../../src/api/managed-fields/update-managed-fields.js';
import type { FieldShape, StructShape } from '../../../../src/api/schema/shape.js';
import {
  fieldsPresent,
  shareEqualParts,
  sharesFields,
  withRevision,
} from '../../../../src/events/codec/compare-events.js';
import { eventShape } from '../../../../src/events/resource/schema.js';
import type { Event } from '../../../../src/model/event.js';
import type { ObjectMeta } from '../../../../src/model/object-meta.js';
import { anyEvent } from '../any-event.js';

const event = (): Event => ({
  metadata: {
    name: 'a',
    namespace: 'ns',
    uid: 'u-1',
    creationTimestamp: '2024-03-05T06:07:08Z',
    labels: { app: 'web', tier: 'front' },
  },
  eventTime: '2024-03-05T06:07:08.123456Z',
  series: { count: 2, lastObservedTime: '2024-03-05T06:07:09.000000Z' },
  reason: 'Tested',
  regarding: { kind: 'Pod', namespace: 'ns', name: 'web' },
  related: { kind: 'Node', name: 'n' },
  deprecatedSource: { component: 'c' },
});

const decoded = (input: unknown): Event => {
  const result = decodeObject(input, eventShape());
  if ('fault' in result) throw new Error(result.fault.text);
  return result.object as unknown as Event;
};

describe('equal parts', () => {
  test('are shared, and unequal parts are not', () => {
    const [to, from] = [event(), event()];
    expect(sharesFields(to, from)).toBe(false);
    shareEqualParts(to, from);
    expect(sharesFields(to, from)).toBe(true);
    expect(to.metadata.labels).toBe(from.metadata.labels);
    const other = { ...event(), regarding: { kind: 'Pod' }, deprecatedSource: { host: 'h' } };
    other.metadata.labels = { app: 'web', role: 'front' };
    shareEqualParts(to, other);
    expect(to).toEqual(event());
    expect(to.regarding).not.toBe(other.regarding);
    expect(to.metadata.labels).not.toBe(other.metadata.labels);
    const bare: Event = { metadata: {} };
    shareEqualParts(bare, event());
    shareEqualParts(bare, { metadata: {} });
    expect(bare).toStrictEqual({ metadata: {} });
  });
});

test('sharesFields is false for events that differ in a field which updates cannot change, and only for those', () => {
  for (const { name, mutable, protobuf } of eventShape().fields) {
    if (protobuf === 0) continue;
    const one = event();
    expect(sharesFields(one, { ...one, [name]: { other: true } }), name).toBe(mutable);
  }
});

test('metadata with its revision has all fields in wire order, for any event', () => {
  const order = ((eventShape().byName.get('metadata') as FieldShape).shape as StructShape).fields.map(
    ({ name }) => name,
  );
  fc.assert(
    fc.property(anyEvent(), fc.boolean(), (input, common) => {
      const { resourceVersion: _, ...stored } = decoded(input).metadata as ObjectMeta;
      const from = common ? { ...event().metadata, ...(stored.managedFields && { managedFields: [] }) } : stored;
      const metadata = withRevision(from, '7');
      expect(metadata).toEqual({ ...from, resourceVersion: '7' });
      expect(Object.keys(metadata)).toEqual(order.filter((name) => name in metadata));
    }),
  );
});

describe('fieldsPresent', () => {
  /** The paths of all fields but those of lists, and an event with no other field. Maps have one key. */
  const fieldsIn = (shape: StructShape, path: readonly string[] = []): (readonly string[])[] =>
    shape.fields.flatMap((field) => {
      const own = [...path, field.name];
      if (
        field.protobuf === 0 ||
        field.discarded ||
        field.shape.kind === 'list' ||
        own.join('.') === 'metadata.resourceVersion'
      )
        return [];
      if (field.shape.kind === 'struct')
        return [...(own[0] === 'metadata' ? [] : [own]), ...fieldsIn(field.shape, own)];
      return [own];
    });
  const withOnly = (path: readonly string[], value: unknown): Event => {
    const object = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    return { metadata: {}, ...(object as object) };
  };
  const paths = fieldsIn(eventShape());
  const valueAt = (path: readonly string[], text: string): unknown => {
    const shape = path.reduce<FieldShape['shape']>(
      (found, name) => (found as StructShape).byName.get(name)?.shape as FieldShape['shape'],
      eventShape(),
    );
    if (shape.kind === 'struct') return {};
    if (shape.kind === 'map') return { key: text };
    return shape.kind === 'scalar' && /^int/.test(shape.type) ? text.length : text;
  };

  test('gives another text for each field, whatever its value', () => {
    const none = fieldsPresent({ metadata: {} });
    expect(none).toBe('=\0\0\0');
    const texts = paths.map((path) => fieldsPresent(withOnly(path, valueAt(path, 'one'))));
    expect(paths.length).toBeGreaterThan(35);
    expect(new Set([none, ...texts]).size).toBe(paths.length + 1);
    expect(paths.map((path) => fieldsPresent(withOnly(path, valueAt(path, 'other'))))).toEqual(texts);
  });

  test('gives another text where one of many is missing', () => {
    const merged = (one: object, other: object): object =>
      Object.entries(other).reduce<Record<string, unknown>>(
        (all, [name, value]) => {
          const known = all[name];
          const both = known !== undefined && typeof value === 'object';
          return { ...all, [name]: both ? merged(known as object, value as object) : value };
        },
        { ...one },
      );
    const except = (left: readonly string[]): Event =>
      paths
        .filter((path) => left.length === 0 || path.join('.') !== left.join('.'))
        .filter((path) => left.length === 0 || !path.join('.').startsWith(`${left.join('.')}.`))
        .reduce<object>((all, path) => merged(all, withOnly(path, valueAt(path, 'one'))), { metadata: {} }) as Event;
    const leaves = paths.filter((path) => !paths.some((other) => other.join('.').startsWith(`${path.join('.')}.`)));
    const texts = leaves.map((path) => fieldsPresent(except(path)));
    expect(new Set([fieldsPresent(except([])), ...texts]).size).toBe(leaves.length + 1);
  });

  test('does not include times that are null and a count of 0, but the keys of labels and annotations', () => {
    const text = (more: object, metadata: ObjectMeta = {}): string | undefined => fieldsPresent({ metadata, ...more });
    expect(text({ eventTime: null, deprecatedFirstTimestamp: null, deprecatedLastTimestamp: null })).toBe(text({}));
    expect(text({ series: { count: 0, lastObservedTime: null } })).toBe(text({ series: {} }));
    const labelled = [{ a: '1' }, { b: '1' }, { a: '1', b: '1' }].flatMap((keys) => [
      text({}, { labels: keys }),
      text({}, { annotations: keys }),
    ]);
    expect(new Set(labelled).size).toBe(6);
  });

  test.each([{ ownerReferences: [] }, { finalizers: ['a'] }, { ownerReferences: [], finalizers: ['a'] }])(
    'is undefined for an event with lists: %j',
    (metadata) => {
      expect(fieldsPresent({ metadata: { name: 'a', ...metadata } })).toBeUndefined();
    },
  );
});

test('the owners tracked by fieldsPresent are those of the uncached computation, for any event', () => {
  const shape = eventShape();
  const version = { apiVersion: 'events.example.com/v1', kind: 'Event', shape };
  const tracker = createFieldTracker();
  const quick = { ...version, fieldsPresent: (object: object) => fieldsPresent(object as Event) };
  fc.assert(
    fc.property(anyEvent(), fc.boolean(), (input, short) => {
      const { metadata, ...rest } = decoded(input);
      const { managedFields: _, ...kept } = metadata;
      const next = { metadata: short ? { name: 'a' } : kept, ...rest };
      const tracked = { next: next as unknown as Record<string, unknown>, manager: 'm', time: '2026-03-05T06:07:08Z' };
      for (let time = 0; time < 2; time++) {
        expect(tracker.track({ ...tracked, version: quick }).entries).toEqual(
          updateManagedFields({ ...tracked, version }),
        );
      }
    }),
    { numRuns: 500 },
  );
});
