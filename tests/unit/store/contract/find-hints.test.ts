import { expect, it } from 'vitest';
import { encodeEvent } from '../../../../src/events/stored-form/encode-event.js';
import type { Event } from '../../../../src/model/event.js';
import { findHints } from '../../../../src/store/contract/find-hints.js';

const metadata = {
  name: 'web-1.17a',
  namespace: 'shop',
  uid: '3d6cd9a4-4f43-4ac5-9a17-3f5b0a86a7bd',
  creationTimestamp: '2026-01-01T00:00:00Z',
};
const managedFields = [
  { manager: 'a', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { 'f:type': {} } },
  { manager: 'b', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { 'f:note': {} } },
];
const regarding = { kind: 'Pod', namespace: 'shop', name: 'web-1', resourceVersion: '4711' };
const base = { eventTime: null, reason: 'Started', type: 'Normal' };

const EVENTS: readonly (readonly [name: string, event: object])[] = [
  ['a usual event', { metadata: { ...metadata, managedFields }, ...base, regarding }],
  ['an event with labels', { metadata: { ...metadata, labels: { app: 'web' }, managedFields }, ...base, regarding }],
  ['an event without managed fields', { metadata, ...base, regarding: { kind: 'Pod', name: 'web-1' } }],
  ['an event with a count', { metadata, ...base, regarding, deprecatedCount: 3 }],
];

it.each(EVENTS)('findHints finds the hints that the encoder gives: %s', (_name, event) => {
  const { hints, ...stored } = encodeEvent(event as Event);
  expect(hints).toBeDefined();
  expect(findHints({ namespace: 'shop', name: metadata.name }, stored)).toEqual(hints);
});

it('findHints finds nothing in bytes that have nothing of the event', () => {
  const bytes = new TextEncoder().encode('{"metadata":{},"x":1}');
  const hints = findHints({ namespace: 'a', name: 'b' }, { bytes, cut: 13, uid: '', fields: {}, labels: {} });
  expect(hints).toMatchObject({ uid: -1, regardingVersion: -1, shared: [], suffix: -1 });
});
