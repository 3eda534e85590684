import { describe, expect, it } from 'vitest';
import { applyManagedFields } from '../../../../src/api/managed-fields/apply-managed-fields.js';
import type { ManagedFieldsEntry } from '../../../../src/model/object-meta.js';
import { coreVersion, failureOf, GV, trackedEvent, version, type Json, type TrackedEvent } from './tracked-event.js';

const event = (metadata: Json = {}, more: Json = {}): Json => ({
  metadata: { name: 'a', ...metadata },
  eventTime: '2024-03-05T06:07:08.123456Z',
  regarding: { kind: 'Pod', namespace: 'n', name: 'p', uid: 'u' },
  note: 'note of a',
  ...more,
});
const OWN = { 'f:eventTime': {}, 'f:note': {}, 'f:regarding': {} };
const name = { metadata: { name: 'a' } };
const labelled = (labels: Json): Json => ({ metadata: { name: 'a', labels } });
const owns = (labels: Json): Json => ({ 'f:metadata': { 'f:labels': labels } });

const metadataOf = (tracked: TrackedEvent): Json => tracked.object()['metadata'] as Json;
const labelsOf = (tracked: TrackedEvent): unknown => ({ ...(metadataOf(tracked)['labels'] as Json | undefined) });

/** An object one manager has applied. */
function applied(intent: Json = event(), manager = 'one'): TrackedEvent {
  const tracked = trackedEvent();
  tracked.apply(manager, intent);
  return tracked;
}

describe('applyManagedFields', () => {
  it('creates an object that owns the fields of the intent, but no structs or maps with members', () => {
    const series = { count: 2, lastObservedTime: '2024-03-05T06:07:08.123456Z' };
    const tracked = applied(event({ labels: { x: '1' }, finalizers: ['f'] }, { series }));
    expect(tracked.owners()['one Apply']).toEqual({
      ...OWN,
      'f:metadata': { 'f:finalizers': { 'v:"f"': {} }, 'f:labels': { 'f:x': {} } },
      'f:series': { 'f:count': {}, 'f:lastObservedTime': {} },
    });
    expect(tracked.object()).toMatchObject({ note: 'note of a', series });
  });

  it('gives a canonical object and an entry with its keys in order', () => {
    const result = applyManagedFields({
      version,
      intent: { kind: 'Event', apiVersion: GV, note: 'n', metadata: { labels: { a: 'b' }, name: 'a' } },
      manager: 'one',
      force: false,
      time: '2026-01-01T00:00:00Z',
    });
    expect(JSON.stringify(result)).toBe(
      '{"object":{"metadata":{"name":"a","labels":{"a":"b"}},"eventTime":null,"regarding":{},"note":"n",' +
        '"deprecatedSource":{},"deprecatedFirstTimestamp":null,"deprecatedLastTimestamp":null},' +
        `"entries":[{"manager":"one","operation":"Apply","apiVersion":"${GV}","time":"2026-01-01T00:00:00Z",` +
        '"fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:a":{}}},"f:note":{}}}]}',
    );
  });

  it('owns empty objects and nulls as such', () => {
    const tracked = applied({ metadata: { name: 'a', labels: {}, annotations: null, finalizers: [] }, note: null });
    expect(tracked.owners()['one Apply']).toEqual({
      'f:metadata': { 'f:annotations': {}, 'f:labels': {} },
      'f:note': {},
    });
  });

  it('leaves fields alone that the intent does not mention', () => {
    const tracked = trackedEvent();
    tracked.create('poster', event({ labels: { p: '1' } }));
    tracked.apply('one', labelled({ r: '1' }));
    expect(labelsOf(tracked)).toEqual({ p: '1', r: '1' });
    expect(tracked.object()['note']).toBe('note of a');
    expect(tracked.owners()).toEqual({
      'one Apply': owns({ 'f:r': {} }),
      'poster Update': { ...OWN, ...owns({ '.': {}, 'f:p': {} }) },
    });
  });

  it('removes what is dropped from the intent unless another manager owns it', () => {
    const tracked = applied(event({ labels: { x: '1', y: '1' } }));
    tracked.apply('two', labelled({ x: '1', z: '1' }));
    tracked.apply('one', event({ labels: { y: '1' } }));
    expect(labelsOf(tracked)).toEqual({ x: '1', y: '1', z: '1' });
    tracked.apply('two', labelled({ z: '1' }));
    expect(labelsOf(tracked)).toEqual({ y: '1', z: '1' });
    tracked.apply('two', name);
    expect(labelsOf(tracked)).toEqual({ y: '1' });
    expect(tracked.owners()).toEqual({ 'one Apply': { ...OWN, ...owns({ 'f:y': {} }) } });
  });

  it('removes structs and maps with their last member', () => {
    const tracked = applied();
    const series = { count: 3, lastObservedTime: '2024-03-05T06:09:09.000009Z' };
    tracked.apply('two', { metadata: { name: 'a', labels: { x: '1' } }, series });
    tracked.apply('two', name);
    expect(tracked.object()).not.toHaveProperty('series');
    expect(metadataOf(tracked)).toEqual({ name: 'a' });
    expect(tracked.owners()).toEqual({ 'one Apply': OWN });
  });

  it('keeps what other managers put into a map that the applier created', () => {
    const tracked = applied(event({ labels: { x: '1' } }));
    tracked.update('editor', event({ labels: { x: '1', e: '1' } }));
    tracked.apply('one', event());
    expect(labelsOf(tracked)).toEqual({ e: '1' });
    expect(tracked.owners()).toEqual({ 'one Apply': OWN, 'editor Update': owns({ 'f:e': {} }) });
  });

  it('shares fields for which both managers want the same value', () => {
    const tracked = applied();
    tracked.apply('two', { ...name, note: 'note of a' });
    tracked.apply('one', { metadata: { name: 'a' }, eventTime: '2024-03-05T06:07:08.123456Z' });
    expect(tracked.object()['note']).toBe('note of a');
    expect(tracked.owners()['two Apply']).toEqual({ 'f:note': {} });
  });

  it('treats atomic objects as one value', () => {
    const tracked = applied();
    const regarding = { kind: 'Pod', namespace: 'n', name: 'p' };
    expect(failureOf(() => tracked.apply('two', { ...name, regarding })).message).toBe(
      'Apply failed with 1 conflict: conflict with "one": .regarding',
    );
    tracked.apply('two', { ...name, regarding }, true);
    expect(tracked.object()['regarding']).toEqual(regarding);
    expect(tracked.owners()).toEqual({
      'two Apply': { 'f:regarding': {} },
      'one Apply': { 'f:eventTime': {}, 'f:note': {} },
    });
  });

  it('merges sets, and removes only its own items', () => {
    const tracked = applied(event({ finalizers: ['a', 'b'] }));
    tracked.apply('two', { metadata: { name: 'a', finalizers: ['c', 'b'] } });
    expect(metadataOf(tracked)['finalizers']).toEqual(['a', 'c', 'b']);
    tracked.apply('one', event());
    expect(metadataOf(tracked)['finalizers']).toEqual(['c', 'b']);
    expect(tracked.owners()['two Apply']).toEqual({ 'f:metadata': { 'f:finalizers': { 'v:"b"': {}, 'v:"c"': {} } } });
  });

  it.each([
    [
      ['a', 'b', 'c'],
      ['c', 'a'],
      ['b', 'c', 'a'],
    ],
    [
      ['a', 'b'],
      ['x', 'a', 'y', 'b', 'z'],
      ['x', 'a', 'y', 'b', 'z'],
    ],
    [
      ['a', 'l', 'b'],
      ['b', 'x'],
      ['a', 'l', 'b', 'x'],
    ],
    [
      ['a', 'a', 'b'],
      ['b', 'a'],
      ['b', 'a'],
    ],
    [[], ['a'], ['a']],
    [['a'], [], ['a']],
  ])('orders the set %j with the intent %j as %j', (stored, intent, merged) => {
    const tracked = trackedEvent();
    tracked.create('poster', event({ finalizers: stored }));
    tracked.apply('one', { metadata: { name: 'a', finalizers: intent } }, true);
    expect(metadataOf(tracked)['finalizers']).toEqual(merged);
  });

  it('merges keyed lists by their keys', () => {
    const owner = (uid: string, of = uid): Json => ({ apiVersion: 'v1', kind: 'Pod', name: of, uid });
    const tracked = applied(event({ ownerReferences: [owner('u1'), owner('u2')] }));
    const intent = { metadata: { name: 'a', ownerReferences: [owner('u2', 'new'), owner('u3')] } };
    expect(failureOf(() => tracked.apply('two', intent)).message).toBe(
      'Apply failed with 1 conflict: conflict with "one": .metadata.ownerReferences[uid="u2"]',
    );
    tracked.apply('two', intent, true);
    expect(metadataOf(tracked)['ownerReferences']).toEqual([owner('u1'), owner('u2', 'new'), owner('u3')]);
    expect(tracked.owners()).toEqual({
      'two Apply': { 'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"u2"}': {}, 'k:{"uid":"u3"}': {} } } },
      'one Apply': { ...OWN, 'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"u1"}': {} } } },
    });
  });

  it('keeps client-chosen keys as data', () => {
    const intent = JSON.parse('{"metadata":{"name":"a","labels":{"__proto__":"x","constructor":"y"}}}') as Json;
    const tracked = applied();
    tracked.apply('two', intent);
    expect(JSON.stringify(metadataOf(tracked)['labels'])).toBe('{"__proto__":"x","constructor":"y"}');
    expect(JSON.stringify(tracked.owners()['two Apply'])).toBe(
      '{"f:metadata":{"f:labels":{"f:__proto__":{},"f:constructor":{}}}}',
    );
    tracked.apply('two', name);
    expect(metadataOf(tracked)).toEqual({ name: 'a' });
    expect(({} as Json)['x']).toBeUndefined();
  });

  it('does not change its arguments', () => {
    const tracked = applied(event({ labels: { x: '1' } }));
    const before = { live: structuredClone(tracked.object()), entries: structuredClone(tracked.entries()) };
    const live = Object.freeze({ ...tracked.object(), metadata: Object.freeze(metadataOf(tracked)) });
    const stored = Object.freeze([...tracked.entries()]);
    const intent = Object.freeze({ apiVersion: GV, kind: 'Event', ...labelled({ y: '1' }) });
    applyManagedFields({ version, live, stored, intent, manager: 'one', force: true, time: '2027-01-01T00:00:00Z' });
    expect({ live, entries: [...stored] }).toEqual(before);
  });

  it('uses the field names of core/v1 there', () => {
    const tracked = trackedEvent(coreVersion);
    tracked.apply('one', { ...name, message: 'm', source: { component: 'c' } });
    expect(tracked.entries()).toMatchObject([
      { apiVersion: 'v1', fieldsV1: { 'f:message': {}, 'f:source': { 'f:component': {} } } },
    ]);
    expect(failureOf(() => tracked.apply('one', { ...name, note: 'm' })).message).toBe(
      'failed to create typed patch object (/a; /v1, Kind=Event): .note: field not declared in schema',
    );
  });
});

describe('an apply that changes nothing', () => {
  it('leaves object, entries and times unchanged', () => {
    const tracked = applied(event({ labels: { x: '1' } }));
    const before = [tracked.object(), tracked.entries()];
    tracked.apply('one', event({ labels: { x: '1' } }));
    expect([tracked.object(), tracked.entries()]).toEqual(before);
  });

  it('leaves values unchanged that are only written differently', () => {
    const tracked = applied();
    const before = [tracked.object(), tracked.entries()];
    tracked.apply('one', event({}, { eventTime: '2024-03-05T08:07:08.123456+02:00' }));
    expect([tracked.object(), tracked.entries()]).toEqual(before);
  });

  it('makes its manager an owner without a time', () => {
    const tracked = applied();
    tracked.apply('two', { ...name, note: 'note of a' });
    expect(tracked.entries()).toMatchObject([{ manager: 'two', fieldsV1: { 'f:note': {} } }, { manager: 'one' }]);
    expect(tracked.entries()[0]).not.toHaveProperty('time');
  });

  it.each([null, '', '0', '00'])('gives its manager a time if the resourceVersion is %j', (resourceVersion) => {
    const tracked = applied();
    tracked.apply('two', { metadata: { name: 'a', resourceVersion }, note: 'note of a' });
    expect(tracked.entries().map((entry) => typeof entry.time)).toEqual(['string', 'string']);
    const before = tracked.entries();
    tracked.apply('two', { metadata: { name: 'a', resourceVersion }, note: 'note of a' });
    expect(tracked.entries()).toEqual(before);
  });

  it('keeps the time at which its manager applied in the other version', () => {
    const tracked = applied();
    const stored = tracked.entries().map((entry) => ({ ...entry, apiVersion: 'v1' }));
    const intent = { apiVersion: GV, kind: 'Event', ...name, note: 'note of a' };
    const live = tracked.object();
    const { entries } = applyManagedFields({ version, live, stored, intent, manager: 'one', force: true, time: 'now' });
    expect(entries).toMatchObject([{ apiVersion: GV, time: stored[0]?.time, fieldsV1: { 'f:note': {} } }]);
  });

  it('does not count a resourceVersion as a change', () => {
    const tracked = applied();
    const before = tracked.entries();
    tracked.apply('one', event({ resourceVersion: '5' }));
    expect(tracked.entries()).toEqual(before);
  });
});

describe('objects without managed fields', () => {
  it('belong to the manager before-first-apply', () => {
    const tracked = trackedEvent();
    tracked.create('poster', event({ labels: { x: '1' } }));
    tracked.update('poster', event({ labels: { x: '1' } }), []);
    expect(failureOf(() => tracked.apply('one', labelled({ x: '2' }))).message).toBe(
      `Apply failed with 1 conflict: conflict with "before-first-apply" using ${GV}: .metadata.labels.x`,
    );
    tracked.apply('one', labelled({ x: '2' }), true);
    expect(tracked.owners()).toEqual({
      'one Apply': owns({ 'f:x': {} }),
      'before-first-apply Update': { ...OWN, 'f:metadata': { 'f:labels': {} } },
    });
    expect(tracked.entries().map((entry) => typeof entry.time)).toEqual(['string', 'string']);
  });
});

describe('conflicts', () => {
  const posted = (): TrackedEvent => {
    const tracked = trackedEvent();
    tracked.create('poster', event({ labels: { p: '1', q: '1' } }));
    tracked.apply('one', labelled({ r: '1', s: '1' }));
    return tracked;
  };

  it('are reported for every manager and field, with one cause each', () => {
    const failure = failureOf(() => posted().apply('two', labelled({ p: '2', q: '2', r: '2', s: '2' })));
    expect(failure.status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'Apply failed with 4 conflicts: conflicts with "one":\n- .metadata.labels.r\n- .metadata.labels.s\n' +
        `conflicts with "poster" using ${GV}:\n- .metadata.labels.p\n- .metadata.labels.q`,
      reason: 'Conflict',
      details: {
        causes: [
          { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.metadata.labels.r' },
          { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.metadata.labels.s' },
          {
            reason: 'FieldManagerConflict',
            message: `conflict with "poster" using ${GV}`,
            field: '.metadata.labels.p',
          },
          {
            reason: 'FieldManagerConflict',
            message: `conflict with "poster" using ${GV}`,
            field: '.metadata.labels.q',
          },
        ],
      },
      code: 409,
    });
  });

  it('do not arise when the values agree', () => {
    const failure = failureOf(() => posted().apply('two', labelled({ p: '2', q: '1', r: '1' })));
    expect(failure.message).toBe(
      `Apply failed with 1 conflict: conflict with "poster" using ${GV}: .metadata.labels.p`,
    );
  });

  it('list fields of a level before those below it', () => {
    const tracked = applied(event({ labels: { x: '1' } }));
    const failure = failureOf(() => tracked.apply('two', { ...labelled({ x: '2' }), note: 'other' }));
    expect(failure.message).toBe('Apply failed with 2 conflicts: conflicts with "one":\n- .note\n- .metadata.labels.x');
  });

  it('leave the object unchanged', () => {
    const tracked = posted();
    const before = [tracked.object(), tracked.entries()];
    failureOf(() => tracked.apply('two', labelled({ p: '2' })));
    expect([tracked.object(), tracked.entries()]).toEqual(before);
  });

  it('arise over empty maps, which are not kept but owned', () => {
    const tracked = applied();
    tracked.apply('one', event({ labels: {} }));
    expect(metadataOf(tracked)).toEqual({ name: 'a' });
    expect(failureOf(() => tracked.apply('two', labelled({}))).message).toBe(
      'Apply failed with 1 conflict: conflict with "one": .metadata.labels',
    );
  });

  it('are overridden by force, which takes the fields', () => {
    const tracked = posted();
    tracked.apply('two', labelled({ p: '2', q: '2', r: '2', s: '2' }), true);
    expect(tracked.owners()).toEqual({
      'two Apply': owns({ 'f:p': {}, 'f:q': {}, 'f:r': {}, 'f:s': {} }),
      'poster Update': { ...OWN, 'f:metadata': { 'f:labels': {} } },
    });
  });

  it('arise with any manager that updated a field since', () => {
    const tracked = applied(event({ labels: { x: '1' } }));
    tracked.update('editor', event({ labels: { x: '2' } }));
    expect(failureOf(() => tracked.apply('one', event({ labels: { x: '1' } }))).message).toBe(
      `Apply failed with 1 conflict: conflict with "editor" using ${GV}: .metadata.labels.x`,
    );
  });

  it('name subresources, and quote names as Go does', () => {
    const tracked = trackedEvent();
    tracked.create('poster', event());
    const entry: ManagedFieldsEntry = {
      manager: 'a"b',
      operation: 'Apply',
      apiVersion: GV,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:note': {} },
      subresource: 'status',
    };
    tracked.update('poster', event(), [entry]);
    expect(failureOf(() => tracked.apply('two', { ...name, note: 'x' })).message).toBe(
      'Apply failed with 1 conflict: conflict with "a\\"b" with subresource "status": .note',
    );
  });

  it('show set items by value', () => {
    const tracked = trackedEvent();
    tracked.create('poster', event({ finalizers: ['a', 'a'] }));
    const failure = failureOf(() => tracked.apply('two', { metadata: { name: 'a', finalizers: ['a'] }, note: 'x' }));
    expect(failure.message).toBe(
      `Apply failed with 2 conflicts: conflicts with "poster" using ${GV}:\n- .note\n- .metadata.finalizers[="a"]`,
    );
  });
});

describe('intents that are refused', () => {
  const refusal = (intent: Json, of = version): string => {
    const { status, message } = failureOf(() =>
      applyManagedFields({ version: of, intent, manager: 'one', force: false, time: '2026-01-01T00:00:00Z' }),
    );
    return `${status.code} ${status.reason} ${message}`;
  };
  const typed = (more: Json): string => refusal({ apiVersion: GV, kind: 'Event', ...name, ...more });
  const start = `400 BadRequest failed to create typed patch object (/a; ${GV}, Kind=Event): `;

  it.each([
    [{}, '/, Kind='],
    [{ kind: 'Event' }, '/, Kind=Event'],
    [{ apiVersion: GV }, `${GV}, Kind=`],
    [{ apiVersion: GV, kind: 'Pod' }, `${GV}, Kind=Pod`],
    [{ apiVersion: 'v1', kind: 'Event' }, '/v1, Kind=Event'],
    [{ apiVersion: 'a/b/c', kind: 'Event' }, '/, Kind='],
    [{ apiVersion: 5, kind: ['Event'] }, '/, Kind='],
  ])('include %j, which is of type %s', (intent, type) => {
    expect(refusal(intent)).toBe(`400 BadRequest invalid object type: ${type}`);
  });

  it('include intents with managed fields, though null is accepted', () => {
    for (const managedFields of [[], [{}]]) {
      expect(typed({ metadata: { name: 'a', managedFields } })).toBe(
        '400 BadRequest metadata.managedFields must be nil',
      );
    }
    const tracked = applied({ metadata: { name: 'a', managedFields: null }, note: 'n' });
    expect(tracked.owners()).toEqual({ 'one Apply': { 'f:note': {} } });
  });

  it.each([
    [{ foo: 1 }, '.foo: field not declared in schema'],
    [{ regarding: { name: 'p', bogus: 1 } }, '.regarding.bogus: field not declared in schema'],
    [{ note: 5 }, '.note: expected string, got &value.valueUnstructured{Value:5}'],
    [{ note: ['a'] }, '.note: expected string, got &value.valueUnstructured{Value:[]interface {}{"a"}}'],
    [{ eventTime: { a: 1 } }, '.eventTime: expected any scalar, got &{map[a:1]}'],
    [{ deprecatedFirstTimestamp: ['x'] }, '.deprecatedFirstTimestamp: expected any scalar, got &{[x]}'],
    [{ deprecatedCount: '1' }, '.deprecatedCount: expected numeric (int or float), got string'],
    [{ series: 'x' }, '.series: expected map, got &{x}'],
    [{ metadata: [] }, 'at the name'],
    [{ metadata: { name: 'a', finalizers: 'f' } }, '.metadata.finalizers: expected list, got &{f}'],
    [
      { metadata: { name: 'a', finalizers: ['example.com/a', 'example.com/a'] } },
      '.metadata.finalizers: duplicate entries for key [="example.com/a"]',
    ],
    [
      { metadata: { name: 'a', finalizers: [null] } },
      `.metadata.finalizers: element 0: associative list without keys has an element that's an explicit null`,
    ],
    [
      { metadata: { name: 'a', finalizers: [{}] } },
      `.metadata.finalizers: element 0: associative list without keys has an element that's a map type`,
    ],
    [
      { metadata: { name: 'a', ownerReferences: [{ name: 'x' }, { name: 'y', uid: '' }] } },
      '.metadata.ownerReferences: duplicate entries for key [uid=""]',
    ],
    [
      { metadata: { name: 'a', ownerReferences: ['x'] } },
      '.metadata.ownerReferences: element 0: associative list with keys may not have non-map elements',
    ],
    [
      { metadata: { name: 'a', ownerReferences: [{ uid: 'u', controller: 1 }] } },
      '.metadata.ownerReferences[uid="u"].controller: expected boolean, got &{1}',
    ],
    [
      { metadata: { name: 'a', labels: { a: 1 } }, note: 2 },
      'errors:\n  .metadata.labels.a: expected string, got &value.valueUnstructured{Value:1}\n' +
        '  .note: expected string, got &value.valueUnstructured{Value:2}',
    ],
  ])('include intents with values of the wrong type: %j: %s', (intent: Json, text) => {
    const expected =
      text === 'at the name'
        ? `400 BadRequest failed to create typed patch object (/; ${GV}, Kind=Event): .metadata: expected map, got &{[]}`
        : start + text;
    expect(typed(intent)).toBe(expected);
  });

  it('are named in the error by namespace and name', () => {
    expect(typed({ metadata: { name: 'x', namespace: 'n' }, foo: 1 })).toBe(
      `400 BadRequest failed to create typed patch object (n/x; ${GV}, Kind=Event): .foo: field not declared in schema`,
    );
  });

  it('include intents with values that cannot be converted to their type', () => {
    const failed = `400 BadRequest failed to convert new object (/a; ${GV}, Kind=Event) to proper version: `;
    const unable = `${failed}unable to convert unstructured object to ${GV}, Kind=Event: `;
    expect(typed({ eventTime: 'yesterday' })).toBe(
      `${unable}parsing time "yesterday" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "yesterday" as "2006"`,
    );
    expect(typed({ eventTime: 5 })).toBe(`${unable}json: cannot unmarshal number into Go value of type string`);
    expect(typed({ series: { count: 2, lastObservedTime: true } })).toBe(
      `${unable}json: cannot unmarshal bool into Go value of type string`,
    );
    expect(typed({ deprecatedCount: 1.5 })).toBe(`${unable}cannot convert float64 to int32`);
    expect(applied({ ...name, deprecatedCount: 2.0 }).object()['deprecatedCount']).toBe(2);
  });

  it('have at most a hundred errors, which quote only the beginnings of values', () => {
    const labels = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, index]));
    expect(typed({ metadata: { name: 'a', labels } }).split('\n')).toHaveLength(101);
    expect(typed({ note: [`x${'y'.repeat(10_000)}`] }).length).toBeLessThan(500);
  });
});

describe('kubectl', () => {
  const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
  const lastApplied = (labels: Json, apiVersion = GV): string =>
    JSON.stringify({ apiVersion, kind: 'Event', metadata: { name: 'a', labels } });
  const clientSide = (labels: Json, last: string): TrackedEvent => {
    const tracked = trackedEvent();
    tracked.create('kubectl-client-side-apply', event({ labels, annotations: { [ANNOTATION]: last } }));
    return tracked;
  };
  const annotation = (tracked: TrackedEvent): unknown => (metadataOf(tracked)['annotations'] as Json)[ANNOTATION];

  it('takes over the fields of its client-side apply, and keeps the annotation up to date', () => {
    const tracked = clientSide({ x: '1', y: '1' }, lastApplied({ x: '1', y: '1' }));
    tracked.apply('kubectl', labelled({ x: '2<', y: '1' }));
    expect(labelsOf(tracked)).toEqual({ x: '2<', y: '1' });
    expect(annotation(tracked)).toBe(
      `{"apiVersion":"${GV}","kind":"Event","metadata":{"labels":{"x":"2\\u003c","y":"1"},"name":"a"}}\n`,
    );
    const before = [tracked.object(), tracked.entries()];
    tracked.apply('kubectl', labelled({ x: '2<', y: '1' }));
    expect([tracked.object(), tracked.entries()]).toEqual(before);
  });

  it('writes keys that look like numbers into the annotation in the order of Go', () => {
    const tracked = clientSide({ '9': '1', '10': '1' }, lastApplied({ '9': '1', '10': '1' }));
    tracked.apply('kubectl', labelled({ '9': '2', '10': '1' }));
    expect(annotation(tracked)).toContain('"labels":{"10":"1","9":"2"}');
  });

  it('still conflicts if another manager changed the field since', () => {
    const tracked = clientSide({ x: '3', y: '1' }, lastApplied({ x: '1', y: '1' }));
    expect(failureOf(() => tracked.apply('kubectl', labelled({ x: '2', y: '2' }))).message).toBe(
      `Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using ${GV}: .metadata.labels.x`,
    );
  });

  it.each([
    ['no annotation', ''],
    ['no JSON', '{'],
    ['another version', lastApplied({ x: '1' }, 'v1')],
    ['unknown fields', JSON.stringify({ apiVersion: GV, kind: 'Event', foo: 1, metadata: { labels: { x: '1' } } })],
  ])('is treated like any applier with %s', (_, last) => {
    const tracked = clientSide({ x: '1' }, last);
    expect(failureOf(() => tracked.apply('kubectl', labelled({ x: '2' }))).status.code).toBe(409);
  });

  it('is the only manager that takes over fields', () => {
    const tracked = clientSide({ x: '1' }, lastApplied({ x: '1' }));
    expect(failureOf(() => tracked.apply('other', labelled({ x: '2' }))).status.code).toBe(409);
    tracked.apply('other', labelled({ z: '2' }));
    expect(annotation(tracked)).toBe(lastApplied({ x: '1' }));
  });

  it('drops an annotation that would be too large', () => {
    const tracked = clientSide({ x: '1' }, lastApplied({ x: '1' }));
    tracked.apply('kubectl', { ...labelled({ x: '1' }), related: { name: 'x'.repeat(263_000) } });
    expect(metadataOf(tracked)['annotations']).not.toHaveProperty([ANNOTATION]);
  });
});
