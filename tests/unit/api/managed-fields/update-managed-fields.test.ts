import { describe, expect, it } from 'vitest';
import { updateManagedFields } from '../../../../src/api/managed-fields/update-managed-fields.js';
import type { ManagedFieldsEntry } from '../../../../src/model/object-meta.js';
import { coreVersion, GV, trackedEvent, version, wire, type Json } from './tracked-event.js';

const event = (metadata: Json = {}, more: Json = {}): Json => ({
  metadata: { name: 'a', namespace: 'n', ...metadata },
  eventTime: '2024-03-05T06:07:08.123456Z',
  reportingController: 'example.com/tester',
  regarding: { kind: 'Pod', namespace: 'n', name: 'p' },
  note: 'note of a',
  type: 'Normal',
  ...more,
});

const OWN = {
  'f:eventTime': {},
  'f:note': {},
  'f:regarding': {},
  'f:reportingController': {},
  'f:type': {},
};

const entry = (manager: string, fieldsV1: unknown, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager,
  operation: 'Update',
  apiVersion: GV,
  time: '2025-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
});

describe('updateManagedFields on create', () => {
  it('creates one entry, its keys in wire order, its fields sorted', () => {
    const tracked = trackedEvent();
    tracked.create('one', event());
    expect(JSON.stringify(tracked.entries())).toBe(
      JSON.stringify([entry('one', OWN, { time: '2026-01-01T00:00:01Z' })]),
    );
  });

  it('owns what the object contains beyond an empty one, and maps and structs with a dot', () => {
    const tracked = trackedEvent();
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u1' };
    const series = { count: 2, lastObservedTime: '2024-03-05T06:07:08.123456Z' };
    tracked.create(
      'one',
      event(
        { labels: { app: 'x' }, annotations: { b: '1' }, finalizers: ['example.com/f'], ownerReferences: [owner] },
        { series, deprecatedSource: { component: 'c' }, deprecatedCount: 3 },
      ),
    );
    expect(tracked.owners()['one Update']).toEqual({
      ...OWN,
      'f:deprecatedCount': {},
      'f:deprecatedSource': { 'f:component': {} },
      'f:metadata': {
        'f:annotations': { '.': {}, 'f:b': {} },
        'f:finalizers': { '.': {}, 'v:"example.com/f"': {} },
        'f:labels': { '.': {}, 'f:app': {} },
        'f:ownerReferences': { '.': {}, 'k:{"uid":"u1"}': {} },
      },
      'f:series': { '.': {}, 'f:count': {}, 'f:lastObservedTime': {} },
    });
  });

  it('excludes what identifies the object or is set by the server', () => {
    const next = wire(
      event({ uid: 'u', resourceVersion: '5', generation: 3, creationTimestamp: '2024-03-05T06:07:08Z' }),
    );
    const [one] = updateManagedFields({ version, next, manager: 'm', time: '2026-01-01T00:00:00Z' });
    expect(one?.fieldsV1).toEqual(OWN);
  });

  it('keeps client-chosen keys as data', () => {
    const labels = JSON.parse('{"__proto__":"a","constructor":"b",".":"c"}') as Json;
    const tracked = trackedEvent();
    tracked.create('one', event({ labels }));
    expect(JSON.stringify(tracked.owners()['one Update'])).toContain(
      '"f:labels":{".":{},"f:.":{},"f:__proto__":{},"f:constructor":{}}',
    );
  });

  it('ignores a list sent by the client', () => {
    for (const sent of [[], [{}], [entry('x', { 'f:note': {} }, { operation: 'Apply' })]]) {
      const tracked = trackedEvent();
      tracked.create('one', event(), sent);
      expect(tracked.owners()).toEqual({ 'one Update': OWN });
    }
  });

  it('uses the version in which the object came', () => {
    const tracked = trackedEvent(coreVersion);
    const source = { component: 'c', host: 'h' };
    tracked.create('one', { metadata: { name: 'a' }, message: 'm', source, involvedObject: { name: 'p' }, count: 1 });
    expect(tracked.entries()).toMatchObject([{ apiVersion: 'v1' }]);
    expect(tracked.owners()['one Update']).toEqual({
      'f:count': {},
      'f:involvedObject': {},
      'f:message': {},
      'f:source': { 'f:component': {}, 'f:host': {} },
    });
  });
});

describe('updateManagedFields on update and patch', () => {
  it('assigns changed fields to the manager that changed them', () => {
    const tracked = trackedEvent();
    tracked.create('one', event());
    tracked.update('two', event({ labels: { x: '1' } }));
    tracked.update('three', event({ labels: { x: '2', y: '1' } }));
    expect(tracked.owners()).toEqual({
      'one Update': OWN,
      'three Update': { 'f:metadata': { 'f:labels': { 'f:x': {}, 'f:y': {} } } },
      'two Update': { 'f:metadata': { 'f:labels': {} } },
    });
  });

  it('drops removed fields, and managers without fields', () => {
    const tracked = trackedEvent();
    tracked.create('one', event());
    tracked.update('two', event({ labels: { x: '1' } }));
    tracked.update('three', event());
    expect(tracked.owners()).toEqual({ 'one Update': OWN });
  });

  it("extends the manager's existing entry", () => {
    const tracked = trackedEvent();
    tracked.create('one', event());
    tracked.update('one', event({}, { note: 'other', action: 'A' }));
    expect(tracked.owners()).toEqual({ 'one Update': { 'f:action': {}, ...OWN } });
    expect(tracked.entries()).toMatchObject([{ time: '2026-01-01T00:00:02Z' }]);
  });

  it('changes nothing when nothing changes', () => {
    const tracked = trackedEvent();
    tracked.create('one', event({ labels: { x: '1' } }));
    const before = tracked.entries();
    tracked.update('two', event({ labels: { x: '1' } }));
    expect(tracked.entries()).toEqual(before);
  });

  it('sorts older entries before newer ones, and by name within a second', () => {
    const fields = (label: string): unknown => ({ 'f:metadata': { 'f:labels': { [`f:${label}`]: {} } } });
    const stored = [
      entry('b', fields('b')),
      entry('c', fields('c'), { operation: 'Apply' }),
      entry('a', fields('a')),
      entry('old', fields('o'), { time: '2020-01-01T00:00:00Z' }),
    ];
    const labels = { a: '1', b: '1', c: '1', o: '1' };
    const live = wire(event({ labels }));
    const next = wire(event({ labels: { ...labels, n: '1' } }));
    const entries = updateManagedFields({ version, live, next, stored, manager: 'new', time: '2026-01-01T00:00:00Z' });
    expect(entries.map((one) => one.manager)).toEqual(['c', 'old', 'a', 'b', 'new']);
  });

  it('owns items of sets and keyed lists one by one, and atomic objects whole', () => {
    const owner = (uid: string, name = uid): Json => ({ apiVersion: 'v1', kind: 'Pod', name, uid });
    const tracked = trackedEvent();
    tracked.create('one', event({ finalizers: ['a', 'b'], ownerReferences: [owner('u1'), owner('u2')] }));
    tracked.update(
      'two',
      event(
        { finalizers: ['b', 'c'], ownerReferences: [owner('u2', 'renamed')] },
        { regarding: { kind: 'Pod', namespace: 'n', name: 'p', fieldPath: 'x' } },
      ),
    );
    const { 'f:regarding': _, ...rest } = OWN;
    expect(tracked.owners()).toEqual({
      'one Update': {
        ...rest,
        'f:metadata': { 'f:finalizers': { '.': {}, 'v:"b"': {} }, 'f:ownerReferences': {} },
      },
      'two Update': {
        'f:metadata': { 'f:finalizers': { 'v:"c"': {} }, 'f:ownerReferences': { 'k:{"uid":"u2"}': {} } },
        'f:regarding': {},
      },
    });
  });

  it('owns items that come more than once together', () => {
    const tracked = trackedEvent();
    const two = (finalizers: string[]): unknown => {
      tracked.create('one', event({ finalizers: ['a'] }));
      tracked.update('two', event({ finalizers }));
      return tracked.owners()['two Update'];
    };
    expect(two(['a', 'a'])).toEqual({ 'f:metadata': { 'f:finalizers': { 'v:"a"': {} } } });
    tracked.update('three', event({ finalizers: ['a', 'a', 'a'] }));
    expect(tracked.owners()['three Update']).toEqual({ 'f:metadata': { 'f:finalizers': { 'v:"a"': {} } } });
    tracked.update('four', event({ finalizers: ['a'] }));
    expect(tracked.owners()['three Update']).toBeUndefined();
  });

  it('drops entries of versions that are not the request’s', () => {
    const core = trackedEvent(coreVersion);
    core.create('recorder', { metadata: { name: 'a' }, message: 'm' });
    const live = wire({ metadata: { name: 'a' }, note: 'm' });
    const next = wire({ metadata: { name: 'a', labels: { x: '1' } }, note: 'm' });
    const entries = updateManagedFields({
      version,
      live,
      next,
      stored: core.entries(),
      manager: 'm',
      time: '2026-01-01T00:00:00Z',
    });
    expect(entries).toEqual([
      entry('m', { 'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } } }, { time: '2026-01-01T00:00:00Z' }),
    ]);
  });

  it('folds the oldest of more than ten updaters into one entry', () => {
    const tracked = trackedEvent();
    tracked.create('root', event());
    const labels: Json = {};
    for (let n = 1; n <= 12; n++) {
      labels[`k${n}`] = '1';
      tracked.update(`m${n}`, event({ labels: { ...labels } }));
    }
    const entries = tracked.entries();
    expect(entries.map((one) => one.manager)).toEqual([
      'ancient-changes',
      ...['m4', 'm5', 'm6', 'm7', 'm8', 'm9', 'm10', 'm11', 'm12'],
    ]);
    expect(entries[0]).toMatchObject({
      operation: 'Update',
      apiVersion: GV,
      time: '2026-01-01T00:00:04Z',
      fieldsV1: { ...OWN, 'f:metadata': { 'f:labels': { '.': {}, 'f:k1': {}, 'f:k2': {}, 'f:k3': {} } } },
    });
  });
});

describe('updateManagedFields with a list from the client', () => {
  const stored = (): ReturnType<typeof trackedEvent> => {
    const tracked = trackedEvent();
    tracked.create('one', event());
    return tracked;
  };
  const two = { 'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } } };

  it.each([[[]], [[{}]]])('removes all entries for %j, until the first apply', (sent: ManagedFieldsEntry[]) => {
    const tracked = stored();
    tracked.update('two', event({ labels: { x: '1' } }), sent);
    expect(tracked.entries()).toEqual([]);
    tracked.update('two', event({ labels: { x: '2' } }));
    expect(tracked.entries()).toEqual([]);
    tracked.apply('three', { metadata: { name: 'a', labels: { y: '1' } } });
    expect(Object.keys(tracked.owners())).toEqual(['three Apply', 'before-first-apply Update']);
  });

  it('replaces the stored list with a readable one', () => {
    const tracked = stored();
    const sent = [entry('x', { 'f:note': {} }, { operation: 'Apply' })];
    tracked.update('two', event({ labels: { x: '1' } }), sent);
    expect(tracked.owners()).toEqual({ 'x Apply': { 'f:note': {} }, 'two Update': two });
    expect(tracked.entries()[0]?.time).toBe('2025-01-01T00:00:00Z');
  });

  it('keeps subresources and entries without names separate', () => {
    const tracked = stored();
    const sent = [
      entry('x', { 'f:note': {} }, { subresource: 'status' }),
      entry('x', { 'f:type': {} }),
      { ...entry('', { 'f:eventTime': {} }), manager: '' },
    ];
    tracked.update('two', event(), sent);
    expect(tracked.entries()).toEqual([
      {
        operation: 'Update',
        apiVersion: GV,
        time: sent[0]?.time,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:eventTime': {} },
      },
      sent[1],
      sent[0],
    ]);
  });

  it.each([
    ['an unknown operation', { operation: 'Bogus' }],
    ['no apiVersion', { apiVersion: '' }],
    ['no fieldsType', { fieldsType: '' }],
    ['another fieldsType', { fieldsType: 'FieldsV2' }],
    ['malformed fields', { fieldsV1: { bogus: {} } }],
  ])('ignores a list with %s', (_, wrong: Partial<ManagedFieldsEntry>) => {
    const tracked = stored();
    tracked.update('two', event({ labels: { x: '1' } }), [entry('x', { 'f:note': {} }, wrong)]);
    expect(tracked.owners()).toEqual({ 'one Update': OWN, 'two Update': two });
  });

  it('drops entries without fields and of versions that are not served', () => {
    for (const sent of [entry('x', { 'f:note': {} }, { apiVersion: 'other/v1' }), entry('x', {})]) {
      const tracked = stored();
      tracked.update('two', event({ labels: { x: '1' } }), [sent]);
      expect(tracked.owners()).toEqual({ 'two Update': two });
    }
  });

  it('extends ownership of a part of an atomic value to the whole value', () => {
    const tracked = stored();
    tracked.update('two', event(), [entry('x', { 'f:regarding': { 'f:name': {} }, 'f:unknown': { 'f:a': {} } })]);
    expect(tracked.owners()).toEqual({ 'x Update': { 'f:regarding': {}, 'f:unknown': { 'f:a': {} } } });
  });

  it('keeps the stored times if nothing but times differs', () => {
    const tracked = stored();
    const before = tracked.entries();
    tracked.update('two', event(), [{ ...(before[0] as ManagedFieldsEntry), time: '2030-01-01T00:00:00Z' }]);
    expect(tracked.entries()).toEqual(before);
  });
});
