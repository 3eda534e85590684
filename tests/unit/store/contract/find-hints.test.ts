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
  [
    'an event with labels like what is searched',
    {
      metadata: { ...metadata, labels: { F: 'T', V: 'F', resourceVersion: '1', fieldsType: '2' }, managedFields },
      ...base,
      regarding: { ...regarding, name: 'TV' },
    },
  ],
  ['an event without a time', { metadata: { ...metadata, creationTimestamp: undefined, managedFields }, ...base }],
  [
    'an event whose managed fields have no type',
    { metadata: { ...metadata, managedFields: [{ manager: 'a' }] }, ...base, reason: 'fieldsType' },
  ],
  ['an event without managed fields', { metadata, ...base, regarding: { kind: 'Pod', name: 'web-1' } }],
  ['an event with a count', { metadata, ...base, regarding, deprecatedCount: 3 }],
];

it.each(EVENTS)('findHints finds the hints that the encoder gives: %s', (_name, event) => {
  const { hints, ...stored } = encodeEvent(event as Event);
  expect(hints).toBeDefined();
  expect(findHints({ namespace: 'shop', name: metadata.name }, stored)).toEqual(hints);
});

it('findHints finds the hints that the encoder gives, however long the labels are', () => {
  for (let length = 0; length <= 160; length++) {
    const labels = { app: 'x'.repeat(length) };
    const { hints, ...stored } = encodeEvent({ metadata: { ...metadata, labels, managedFields }, ...base } as Event);
    expect(findHints({ namespace: 'shop', name: metadata.name }, stored)).toEqual(hints);
  }
});

it('hints are where the bytes have the value', () => {
  const event = { metadata: { ...metadata, managedFields }, ...base, regarding };
  const { bytes, hints } = encodeEvent(event as unknown as Event);
  const from = (at = -1, end?: number): string => new TextDecoder().decode(bytes.subarray(at, end));
  expect(from(hints?.name)).toMatch(/^web-1\.17a"/);
  expect(from(hints?.namespace)).toMatch(/^shop"/);
  expect(from(hints?.uid)).toMatch(new RegExp(`^${metadata.uid}"`));
  expect(from(hints?.regardingVersion)).toMatch(/^4711"/);
  expect(from(hints?.suffix)).toMatch(/^,"deprecatedSource":/);
  expect(hints?.shared.map(({ start, end }) => from(start, end))).toEqual([
    expect.stringMatching(/^"creationTimestamp":.*\}\]\},$/),
    expect.stringMatching(/^"managedFields":.*\}\]\},$/),
    expect.stringMatching(/^"fieldsType":.*\}\]\},$/),
  ]);
});

it('findHints finds nothing in bytes that have nothing of the event', () => {
  const bytes = new TextEncoder().encode('{"metadata":{},"x":1}');
  const hints = findHints({ namespace: 'a', name: 'b' }, { bytes, cut: 13, uid: '', fields: {}, labels: {} });
  expect(hints).toMatchObject({ uid: -1, regardingVersion: -1, shared: [], suffix: -1 });
});
