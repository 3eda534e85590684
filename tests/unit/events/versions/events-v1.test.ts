import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../../../src/json/json-source.js';
import { decodeEvent, encodeEvent } from '../../../../src/events/stored-form/encode-event.js';
import { coreV1 } from '../../../../src/events/versions/core-v1.js';
import { eventsV1 } from '../../../../src/events/versions/events-v1.js';
import type { EventVersion } from '../../../../src/events/versions/version.js';
import type { Event } from '../../../../src/model/event.js';

const event: Event = {
  metadata: { name: 'a', namespace: 'shop', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
  eventTime: '2026-03-05T06:07:08.123456Z',
  reportingController: 'example.com/c',
  regarding: { kind: 'Pod', name: 'web' },
  note: 'a note',
};
const record = { key: { namespace: 'shop', name: 'a' }, revision: 7, event: encodeEvent(event), expiresAt: 1 };
const parsed = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

describe.each([
  ['events.example.com/v1', eventsV1('example.com'), 'regarding', 'note'],
  ['v1', coreV1('example.com'), 'involvedObject', 'message'],
] as const satisfies (readonly [string, EventVersion, string, string])[])('%s', (apiVersion, version, about, text) => {
  const head = { kind: 'Event', apiVersion };
  const stored = {
    metadata: { ...event.metadata, resourceVersion: '7' },
    eventTime: event.eventTime,
    [about]: event.regarding,
    [text]: event.note,
  };

  test('writes a stored event with kind, apiVersion and revision, and as an item of a list without the first two', () => {
    expect(parsed(jsonBytes(version.object(record)))).toMatchObject({ ...head, ...stored });
    const item = parsed(jsonBytes(version.listItem(record)));
    expect(item).toMatchObject(stored);
    expect(item).not.toHaveProperty('kind');
    expect(item).not.toHaveProperty('apiVersion');
    expect(version.listsStored).toBe(apiVersion !== 'v1');
  });

  test('writes an event that is not stored with kind and apiVersion, and without a revision', () => {
    const written = parsed(version.unstoredJson(decodeEvent(record.event.bytes)));
    expect(written).toMatchObject({ ...head, metadata: event.metadata, [about]: event.regarding });
    expect(written).not.toHaveProperty('metadata.resourceVersion');
  });

  test('is named the same in what clients see, in managed fields and in its group', () => {
    expect(version.view).toMatchObject({ ...head, listKind: 'EventList' });
    expect([version.group, version.version].filter(Boolean).join('/')).toBe(apiVersion);
  });

  test('is read from its own form and from that of the other version', () => {
    const others = { 'events.example.com/v1': event, v1: coreV1('example.com').toWire(event) };
    expect([...version.otherVersions.keys()]).toEqual(Object.keys(others).filter((name) => name !== apiVersion));
    expect(version.fromWire(others[apiVersion] as Record<string, unknown>)).toEqual(event);
    for (const [from, object] of Object.entries(others)) {
      expect(version.fromWire(object as Record<string, unknown>, from)).toEqual(event);
    }
    expect(version.toWire(event)).toEqual(others[apiVersion]);
  });
});
