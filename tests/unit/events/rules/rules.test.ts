import { describe, expect, it } from 'vitest';
import { createErrors, updateErrors } from '../../../../src/events/rules/event-rules.js';
import { eventsV1 } from '../../../../src/events/versions/events-v1.js';
import type { EventVersion } from '../../../../src/events/versions/version.js';
import type { Event } from '../../../../src/model/event.js';

const version = eventsV1('example.com');
const TYPES = new Set(['Normal', 'Warning']);

/** Only the rules both versions share, under the older names: what core/v1 is checked with. */
const older: EventVersion = {
  ...version,
  strict: false,
  fieldName: (stored) =>
    ({ regarding: 'involvedObject', note: 'message', reportingController: 'reportingComponent' })[stored] ?? stored,
};

const event = (more: Partial<Event> = {}): Event => ({
  metadata: { name: 'a', namespace: 'shop', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
  eventTime: '2026-03-05T06:07:08.123456Z',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'shop', name: 'web-1' },
  ...more,
});

const texts = (errors: readonly { field: string; text: string }[]): string[] =>
  errors.map(({ field, text }) => `${field}: ${text}`);
const onCreate = (more: Partial<Event>, rules = version): string[] => texts(createErrors(event(more), rules, TYPES));
const onUpdate = (more: Partial<Event>, stored: Partial<Event> = {}, rules = version): string[] =>
  texts(updateErrors(event(more), event(stored), rules));

describe('an event without regarding', () => {
  it('is valid in the namespaces of objects that have none', () => {
    const { regarding: _, ...without } = event();
    const errorsIn = (namespace: string): string[] =>
      texts(createErrors({ ...without, metadata: { ...without.metadata, namespace } }, version, TYPES));
    expect(errorsIn('default')).toEqual([]);
    expect(errorsIn('shop')).toEqual(['regarding.namespace: Invalid value: "": does not match event.namespace']);
  });
});

describe('a new event', () => {
  it('is valid with a reporter, action, reason and time', () => {
    expect(onCreate({})).toEqual([]);
  });

  it('must have a controller that is a qualified name', () => {
    expect(onCreate({ reportingController: '' }).slice(0, 2)).toEqual([
      'reportingController: Required value',
      'reportingController: Invalid value: "": name part must be non-empty',
    ]);
    expect(onCreate({ reportingController: 'a b' })[0]).toContain(
      'reportingController: Invalid value: "a b": name part',
    );
  });

  it.each(['reportingInstance', 'action', 'reason'] as const)('must have %s, of at most 128 bytes', (field) => {
    expect(onCreate({ [field]: '' })).toEqual([`${field}: Required value`]);
    expect(onCreate({ [field]: 'é'.repeat(65) })).toEqual([
      `${field}: Invalid value: "": can have at most 128 characters`,
    ]);
    expect(onCreate({ [field]: 'é'.repeat(64) })).toEqual([]);
  });

  it.each(['a/b', 'a/-', 'a%-'])('may not have the prefix %j for its name', (generateName) => {
    const metadata = { ...event().metadata, generateName };
    for (const rules of [version, older]) {
      const texts = onCreate({ metadata }, rules);
      expect(texts).toEqual([expect.stringContaining(`metadata.generateName: Invalid value: "${generateName}": `)]);
    }
  });

  it('may have finalizers without a domain only through the older version', () => {
    const metadata = { ...event().metadata, finalizers: ['cleanup'] };
    expect(onCreate({ metadata }, older)).toEqual([]);
    expect(onCreate({ metadata })).toEqual([expect.stringMatching(/^metadata\.finalizers\[0\]: .*"cleanup"/)]);
    expect(onCreate({ metadata: { ...metadata, finalizers: ['example.com/cleanup', 'orphan'] } })).toEqual([]);
  });

  it('may have a note of at most 1,024 bytes', () => {
    expect(onCreate({ note: 'n'.repeat(1024) })).toEqual([]);
    expect(onCreate({ note: '€'.repeat(342) })).toEqual(['note: Invalid value: "": can have at most 1024 characters']);
  });

  it('must have an eventTime and an allowed type', () => {
    expect(onCreate({ eventTime: null })).toEqual(['eventTime: Required value']);
    expect(onCreate({ type: 'Odd' })).toEqual(['type: Invalid value: "": has invalid value: Odd']);
    expect(createErrors(event({ type: 'Odd' }), version, new Set(['Odd']))).toEqual([]);
  });

  it('must have a series of at least two, with its last time, or none', () => {
    expect(onCreate({ series: { count: 1, lastObservedTime: null } })).toEqual([
      'series.count: Invalid value: "": should be at least 2',
      'series.lastObservedTime: Required value',
    ]);
  });

  it('must not set the deprecated fields', () => {
    const errors = onCreate({
      deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
      deprecatedLastTimestamp: '2026-01-01T00:00:00Z',
      deprecatedCount: 1,
      deprecatedSource: { host: 'n' },
    });
    const fields = ['deprecatedFirstTimestamp', 'deprecatedLastTimestamp', 'deprecatedCount', 'deprecatedSource'];
    expect(errors).toEqual(fields.map((field) => `${field}: Invalid value: "": needs to be unset`));
    for (const deprecatedSource of [{ host: 'n' }, { component: 'c' }]) {
      expect(onCreate({ deprecatedSource })).toEqual(['deprecatedSource: Invalid value: "": needs to be unset']);
    }
  });

  it('may refer to another namespace, and to none only in default and kube-system', () => {
    expect(onCreate({ regarding: { kind: 'Pod', namespace: 'other' } })).toEqual([]);
    expect(onCreate({ regarding: { kind: 'Node' } })).toEqual([
      'regarding.namespace: Invalid value: "": does not match event.namespace',
    ]);
    for (const namespace of ['default', 'kube-system']) {
      expect(onCreate({ regarding: { kind: 'Node' }, metadata: { name: 'a', namespace } })).toEqual([]);
    }
  });

  it('must have a name and a namespace that are DNS names', () => {
    expect(onCreate({ metadata: { name: 'Bad_Name', namespace: 'shop' } })[0]).toContain(
      'metadata.name: Invalid value',
    );
    expect(onCreate({ metadata: { name: 'a', namespace: 'UPPER' } }).map((text) => text.split(': ')[0])).toEqual([
      'namespace',
      'metadata.namespace',
    ]);
    expect(onCreate({ metadata: { namespace: 'shop' } })).toContain(
      'metadata.name: Required value: name or generateName is required',
    );
  });

  it('is checked less strictly through the older version, under its names', () => {
    const early = { eventTime: null, type: 'Odd', action: '', reportingController: '', deprecatedCount: 3 };
    expect(onCreate(early, older)).toEqual([]);
    expect(onCreate({ ...early, regarding: { namespace: 'other' } }, older)).toEqual([
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ]);
    expect(onCreate({ reportingController: '' }, older)[0]).toBe('reportingComponent: Required value');
  });
});

describe('an update', () => {
  it('may add finalizers without a domain only through the older version', () => {
    const metadata = { ...event().metadata, finalizers: ['example.com/cleanup', 'orphan', 'cleanup'] };
    expect(onUpdate({ metadata }, {}, older)).toEqual([]);
    expect(onUpdate({ metadata })).toEqual([
      'metadata.finalizers[2]: Invalid value: "cleanup": name is neither a standard finalizer name nor is it fully qualified',
    ]);
    expect(onUpdate({ metadata: { ...metadata, finalizers: ['example.com/cleanup', 'orphan'] } })).toEqual([]);
    expect(onUpdate({}, { metadata })).toEqual([]);
  });

  it('may change series and metadata', () => {
    const series = { count: 2, lastObservedTime: '2026-03-05T06:07:09.000000Z' };
    expect(onUpdate({ series, metadata: { ...event().metadata, labels: { a: '1' } } })).toEqual([]);
  });

  it.each([
    ['note', 'x', '"x"'],
    ['type', 'Warning', '"Warning"'],
    ['action', 'x', '"x"'],
    ['eventTime', '2025-03-05T06:07:08.123456Z', '"2025-03-05T06:07:08.123456Z"'],
    ['reportingInstance', 'x', '"x"'],
    ['deprecatedCount', 5, '5'],
  ] as const)('may not change %s', (field, value, shown) => {
    expect(onUpdate({ [field]: value })).toEqual([`${field}: Invalid value: ${shown}: field is immutable`]);
  });

  it.each([
    ['regarding', { kind: 'Pod', namespace: 'shop', name: 'web-1' }, 'fieldPath', 'spec'],
    ['related', { kind: 'Node', name: 'n' }, 'namespace', 'shop'],
    ['deprecatedSource', { component: 'c' }, 'host', 'h'],
  ] as const)('may not change, add or remove a member of %s', (field, stored, member, value) => {
    const [first = ''] = Object.keys(stored);
    const { [first]: _, ...without } = stored as Record<string, string>;
    for (const changed of [{ ...stored, [first]: 'other' }, { ...stored, [member]: value }, without]) {
      const texts = onUpdate({ [field]: changed }, { [field]: stored });
      expect(texts).toEqual([expect.stringMatching(new RegExp(`^${field}: .*: field is immutable$`, 's'))]);
    }
    const unset = ['', null, undefined].map((empty) => ({ ...stored, [member]: empty as string }));
    for (const same of [{ ...stored }, ...unset]) {
      expect(onUpdate({ [field]: same }, { [field]: stored })).toEqual([]);
      expect(onUpdate({ [field]: stored }, { [field]: same })).toEqual([]);
    }
  });

  it('may contain kind and apiVersion, which stored events do not have', () => {
    expect(onUpdate({ kind: 'Event', apiVersion: 'v1', note: 'x' } as Partial<Event>, { note: 'x' })).toEqual([]);
    expect(onUpdate({ kind: 'Event', apiVersion: 'v1', note: 'x' } as Partial<Event>)).toEqual([
      'note: Invalid value: "x": field is immutable',
    ]);
  });

  it('reports reason twice, as kube-apiserver checks it twice', () => {
    expect(onUpdate({ reason: 'y' })).toEqual(Array(2).fill('reason: Invalid value: "y": field is immutable'));
  });

  it('reports the fields that it may not change in the order of core/v1', () => {
    const changed = {
      eventTime: '2025-03-05T06:07:08.123456Z',
      reportingInstance: 'x',
      action: 'x',
      reason: 'y',
      note: 'x',
      type: 'Warning',
      deprecatedCount: 5,
    };
    const fields = onUpdate(changed).map((text) => text.split(':')[0]);
    const order = ['reason', 'note', 'deprecatedCount', 'reason', 'type', 'eventTime', 'action', 'reportingInstance'];
    expect(fields).toEqual(order);
  });

  it('treats unset, null and empty as the same value', () => {
    expect(onUpdate({ deprecatedSource: {}, deprecatedFirstTimestamp: null, note: '' })).toEqual([]);
    expect(onUpdate({ related: null } as unknown as Partial<Event>)).toEqual([]);
  });

  it('does not treat an empty second object as none, because clients can distinguish them', () => {
    const refused = (shown: string): string[] => [`related: Invalid value: ${shown}: field is immutable`];
    expect(onUpdate({ related: {} })).toEqual(refused('{}'));
    expect(onUpdate({ related: { name: '' } })).toEqual(refused('{"name":""}'));
    expect(onUpdate({}, { related: {} })).toEqual(refused('null'));
    expect(onUpdate({ related: {} }, { related: {} })).toEqual([]);
    expect(onUpdate({ related: {} }, { related: { kind: 'Node' } })).toEqual(refused('{}'));
    expect(onUpdate({ related: {} }, {}, older)).toEqual([]);
  });

  it('checks a series only if it changed', () => {
    const broken = { count: 1, lastObservedTime: null };
    expect(onUpdate({ series: broken }, { series: broken })).toEqual([]);
    expect(onUpdate({ series: broken })).toHaveLength(2);
  });

  it('reports one invalid label three times', () => {
    const metadata = { ...event().metadata, labels: { 'a b': '1' } };
    expect(onUpdate({ metadata }).filter((text) => text.startsWith('metadata.labels'))).toHaveLength(3);
  });

  it('may change everything through the older version', () => {
    expect(onUpdate({ note: 'x', type: 'Odd' }, {}, older)).toEqual([]);
  });
});
