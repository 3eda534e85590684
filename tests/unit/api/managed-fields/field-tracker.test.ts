import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeJson } from '../../../../src/api/encode/encode-json.js';
import { createFieldTracker } from '../../../../src/api/managed-fields/field-tracker.js';
import { managerOf } from '../../../../src/api/managed-fields/managers.js';
import {
  updateManagedFields,
  type UpdateManagedFieldsInput,
} from '../../../../src/api/managed-fields/update-managed-fields.js';
import type { StructShape } from '../../../../src/api/schema/shape.js';
import type { ManagedFieldsEntry } from '../../../../src/model/object-meta.js';
import { heapGrowth } from '../../../collect-garbage.js';
import { anyEvent } from '../../events/any-event.js';
import { coreVersion, GV, version, wire, type Json } from './tracked-event.js';

const metaShape = version.shape.byName.get('metadata')?.shape as StructShape;

/** The entries as an object's JSON has them. */
const written = (entries: readonly ManagedFieldsEntry[]): string =>
  encodeJson({ managedFields: entries }, metaShape).slice('{"managedFields":'.length, -1);

const event = (metadata: Json = {}, more: Json = {}): Json =>
  wire({ metadata: { name: 'a', ...metadata }, note: 'n', regarding: { name: 'p' }, ...more });

const series = (count: number): Json => ({ series: { count, lastObservedTime: '2024-03-05T06:07:08.123456Z' } });

/** Tracks twice, so that the second result is a remembered one, and compares both with the uncached computation. */
function check(tracker: ReturnType<typeof createFieldTracker>, input: UpdateManagedFieldsInput): ManagedFieldsEntry[] {
  const expected = updateManagedFields(input);
  for (let time = 0; time < 2; time++) {
    const { entries, json } = tracker.track(input);
    expect(written(entries)).toBe(written(expected));
    if (json !== undefined) expect(json).toBe(written(expected));
  }
  return expected;
}

describe('a field tracker', () => {
  it('has the entries of a new object, with their JSON', () => {
    const tracker = createFieldTracker();
    for (const name of ['a', 'b']) {
      const next = event({ name, labels: { app: name } });
      const { entries, json } = tracker.track({ version, next, manager: name, time: '2026-01-01T00:00:00Z' });
      expect(entries).toEqual([
        {
          manager: name,
          operation: 'Update',
          apiVersion: GV,
          time: '2026-01-01T00:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
            'f:note': {},
            'f:regarding': {},
          },
        },
      ]);
      expect(json).toBe(JSON.stringify(entries));
    }
  });

  it('distinguishes absent, empty and filled fields', () => {
    const tracker = createFieldTracker();
    const forms: Json[] = [
      {},
      { labels: { a: '1' } },
      { labels: { b: '1' } },
      { labels: { a: '1', b: '1' } },
      { annotations: { a: '1' } },
      { labels: { a: '1' }, annotations: { b: '1' } },
      { labels: { a: '' } },
      { generateName: 'g' },
      { finalizers: ['x'] },
      { finalizers: ['y'] },
      { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }] },
    ];
    const contents: Json[] = [
      {},
      { regarding: {} },
      { note: '' },
      series(2),
      series(0),
      { deprecatedSource: { host: 'h' } },
    ];
    for (const metadata of forms) {
      for (const more of contents) {
        check(tracker, { version, next: event(metadata, more), manager: 'm', time: '2026-01-01T00:00:00Z' });
      }
    }
  });

  it('keeps versions apart', () => {
    const tracker = createFieldTracker();
    const core = wire({ metadata: { name: 'a' }, message: 'm', involvedObject: { name: 'p' } }, coreVersion);
    check(tracker, { version, next: event(), manager: 'm', time: '2026-01-01T00:00:00Z' });
    check(tracker, { version: coreVersion, next: core, manager: 'm', time: '2026-01-01T00:00:00Z' });
  });

  it('gives every entry its own time, whatever is cached', () => {
    const tracker = createFieldTracker();
    const live = event();
    const next = event({}, series(2));
    const at = (second: number): string => `2026-01-01T00:00:0${second}Z`;
    for (const [created, updated] of [
      [1, 2],
      [3, 4],
      [6, 5],
    ] as const) {
      const stored = check(tracker, { version, next: live, manager: 'one', time: at(created) });
      const entries = check(tracker, { version, live, next, stored, manager: 'two', time: at(updated) });
      expect(entries.map(({ manager, time }) => `${manager} ${time}`).sort()).toEqual([
        `one ${at(created)}`,
        `two ${at(updated)}`,
      ]);
    }
  });

  it('keeps stored times where nothing changed', () => {
    const tracker = createFieldTracker();
    const live = event({ resourceVersion: '1' });
    const stored = check(tracker, { version, next: live, manager: 'one', time: '2026-01-01T00:00:00Z' });
    const next = event({ resourceVersion: '2' });
    const after = check(tracker, { version, live, next, stored, manager: 'one', time: '2026-01-02T00:00:00Z' });
    expect(after).toEqual(stored);
  });

  it('caches only frozen objects', () => {
    const tracker = createFieldTracker();
    const { entries } = tracker.track({ version, next: event(), manager: 'm', time: '2026-01-01T00:00:00Z' });
    const fields = entries[0]?.fieldsV1 as Record<string, unknown>;
    expect(Object.isFrozen(fields) && Object.values(fields).every((below) => Object.isFrozen(below))).toBe(true);
  });

  it('remains correct with more kinds of objects than it can cache', () => {
    const tracker = createFieldTracker();
    const time = '2026-01-01T00:00:00Z';
    for (let index = 0; index < 1500; index++) {
      const next = event({ labels: { [`k${index}`]: '1' } });
      const stored = tracker.track({ version, next, manager: 'm', time }).entries;
      if (index % 100 > 0) continue;
      expect(written(stored)).toBe(written(updateManagedFields({ version, next, manager: 'm', time })));
      check(tracker, { version, live: next, next: event({ labels: { x: '1' } }), stored, manager: 'o', time });
    }
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, '1']));
    check(tracker, { version, next: event({ labels: many }), manager: 'm', time });
  });

  it('keeps nothing of the header that the name of a manager was cut from', async () => {
    const tracker = createFieldTracker();
    const grown = await heapGrowth(() => {
      for (let i = 0; i < 9; i++) {
        const manager = managerOf(undefined, `manager-with-a-name-${i}/${'x'.repeat(2_000_000)}`);
        check(tracker, { version, next: event(), manager, time: '2026-01-01T00:00:00Z' });
      }
    });
    expect(grown).toBeLessThan(9_000_000);
  });

  it('agrees with the uncached computation, for any objects', () => {
    const tracker = createFieldTracker();
    const entry = fc.record({
      manager: fc.constantFrom('a', 'b', 'ü'),
      operation: fc.constantFrom('Update', 'Update', 'Apply', 'Odd'),
      apiVersion: fc.constantFrom(GV, GV, 'v1'),
      fieldsType: fc.constantFrom('FieldsV1', 'FieldsV1', ''),
      fieldsV1: fc.constantFrom(
        { 'f:note': {} },
        { 'f:regarding': { 'f:name': {} } },
        { 'f:series': { '.': {} } },
        { odd: {} },
      ),
    });
    const sent = fc.option(fc.array(fc.oneof(entry, fc.constant({})), { maxLength: 3 }), { nil: undefined });
    const managers = fc.constantFrom('a', 'b');
    fc.assert(
      fc.property(anyEvent(), anyEvent(), sent, managers, fc.boolean(), (one, other, list, manager, same) => {
        const live = wire(one);
        const next = wire(same ? { ...one, note: 'changed' } : other);
        const stored = check(tracker, { version, next: live, sent: list, manager: 'a', time: '2026-01-01T00:00:00Z' });
        check(tracker, { version, live, next, stored, sent: list, manager, time: '2026-01-01T00:00:01Z' });
        check(tracker, { version, live, next, stored, manager, time: '2026-01-01T00:00:01Z' });
      }),
      { numRuns: 150 },
    );
  });
});
