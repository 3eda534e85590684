import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFieldSets, fieldsOf } from '../../../../../src/store/memory/bytes/field-sets.js';
import { createRecentFields } from '../../../../../src/store/memory/bytes/recent-fields.js';
import { createShardedMap } from '../../../../../src/store/memory/index/sharded-map.js';
import { createSharedParts } from '../../../../../src/store/memory/bytes/shared-parts.js';
import { each, put, sweep, type SweepList } from '../../../../../src/store/memory/index/sweep-list.js';
import { sampleEvent } from '../../../../../src/testing/sample-event.js';

const bytesOf = (manager: string, note = ''): Uint8Array =>
  new TextEncoder().encode(
    `{"metadata":{"name":"a","managedFields":[{"manager":"${manager}","fieldsV1":{"f:note":{},"f:reason":{},"f:type":{}}}]},"note":"${note}"}`,
  );

describe('shared parts', () => {
  test('are found from the second time on, and are the bytes that were there', () => {
    const parts = createSharedParts();
    const bytes = bytesOf('tester');
    expect(parts.find(bytes, 24)).toBeUndefined();
    expect(parts.find(bytes, 24)?.part.bytes).toEqual(bytes.subarray(24, bytes.length - 11));
    const other = bytesOf('tester', 'another note');
    const found = parts.find(other, 24);
    expect(found?.start).toBe(24);
    expect(found?.part).toBe(parts.find(bytes, 24)?.part);
  });

  test('parts seen once are not stored, and frequent parts are found among them', () => {
    const parts = createSharedParts();
    const often = bytesOf('often');
    let hits = 0;
    for (let i = 0; i < 20_000; i++) {
      expect(parts.find(bytesOf(`client-${i}`), 1)).toBeUndefined();
      if (parts.find(often, 1) !== undefined) hits++;
    }
    expect(hits).toBeGreaterThan(19_000);
  });

  test('parts seen twice replace older ones, so that their number is bounded', () => {
    const parts = createSharedParts();
    const all = Array.from({ length: 5000 }, (_, i) => bytesOf(`client-${i}`));
    for (const bytes of all) for (let times = 0; times < 2; times++) parts.find(bytes, 1);
    const known = all.filter((bytes) => parts.find(bytes, 1) !== undefined);
    expect(known.length).toBeLessThan(3000);
  });

  test('the creation time belongs to the part when other events have it as well', () => {
    const parts = createSharedParts();
    const created = (time: string): Uint8Array =>
      new TextEncoder().encode(
        new TextDecoder().decode(bytesOf('tester')).replace('"managed', `"creationTimestamp":"${time}","managed`),
      );
    const one = created('2024-01-01T00:00:00Z');
    for (let times = 0; times < 2; times++) parts.find(one, 24);
    expect(parts.find(one, 24)?.start).toBe(24);
    expect(parts.find(created('2024-01-01T00:00:01Z'), 24)?.start).toBe(67);
  });

  test('a few labels belong to the part, but many do not', () => {
    const parts = createSharedParts();
    const labelled = (label: string): Uint8Array =>
      new TextEncoder().encode(
        new TextDecoder().decode(bytesOf('tester')).replace('"managed', `"labels":{"app":"${label}"},"managed`),
      );
    for (const [label, start] of [
      ['shop', 24],
      ['x'.repeat(200), 24 + 20 + 200],
    ] as const) {
      for (let times = 0; times < 2; times++) parts.find(labelled(label), 24);
      const found = parts.find(labelled(label), 24);
      expect(found?.start).toBe(start);
      expect(labelled(label).subarray(start, start + (found?.part.bytes.length ?? 0))).toEqual(found?.part.bytes);
    }
  });

  test('a very small or very large part is not shared', () => {
    const parts = createSharedParts();
    for (const manager of ['', 'x'.repeat(10_000)]) {
      const bytes = new TextEncoder().encode(`{"managedFields":[{"m":"${manager}"}]},"note":""}`);
      for (let times = 0; times < 3; times++) expect(parts.find(bytes, 1)).toBeUndefined();
    }
  });
});

describe('field sets', () => {
  test('events that agree in all common fields share one set', () => {
    const sets = createFieldSets();
    const one = sets.of(sampleEvent({ name: 'a', regarding: 'pod-1' }), 'a', false);
    const other = sets.of(sampleEvent({ name: 'b', regarding: 'pod-2' }), 'b', false);
    expect(other).toBe(one);
    expect(fieldsOf(one, 'b', ['pod-2', 'uid-of-pod-2', undefined])).toEqual(
      sampleEvent({ name: 'b', regarding: 'pod-2' }).fields,
    );
    expect(sets.of(sampleEvent({ name: 'a', labels: { app: 'web' } }), 'a', false)).not.toBe(one);
  });

  test('many different sets evict old ones, and every event keeps its own', () => {
    const sets = createFieldSets();
    const of = (reason: string) => {
      const event = sampleEvent({ name: 'a' });
      return sets.of({ ...event, fields: { ...event.fields, reason } }, 'a', false);
    };
    const first = of('first');
    for (let i = 0; i < 5000; i++) expect(of(`reason-${i}`).fields['reason']).toBe(`reason-${i}`);
    expect(of('first')).not.toBe(first);
    expect(of('first')).toEqual(first);
  });

  test('labels named like members of Object.prototype are plain data', () => {
    const labels = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
    const set = createFieldSets().of({ ...sampleEvent({ name: 'a' }), labels }, 'a', false);
    expect(Object.entries(set.labels)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});

test('a slot of recent fields belongs to the last event that took it, and is free after forget', () => {
  const recent = createRecentFields();
  const [one, other] = [{}, {}];
  const slot = recent.nextSlot();
  expect(slot).toBeLessThan(1024);
  recent.set(slot, one, { a: '1' });
  expect(recent.get(slot, one)).toEqual({ a: '1' });
  expect(recent.get(slot, other)).toBeUndefined();
  recent.forget(slot, other);
  expect(recent.get(slot, one)).toEqual({ a: '1' });
  recent.forget(slot, one);
  expect(recent.get(slot, one)).toBeUndefined();
});

test('a sharded map behaves like a Map', () => {
  const operation = fc.tuple(fc.constantFrom('set', 'delete'), fc.string({ maxLength: 12 }), fc.nat());
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 50 }), (operations) => {
      const map = createShardedMap<number>();
      const model = new Map<string, number>();
      for (const [what, key, value] of operations) {
        if (what === 'set') map.set(key, value);
        else map.delete(key);
        if (what === 'set') model.set(key, value);
        else model.delete(key);
      }
      for (const [, key] of operations) expect(map.get(key)).toBe(model.get(key));
    }),
  );
});

test('a sweep list holds all live items, and at most one segment more dead items than live ones', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6000 }), fc.integer({ min: 1, max: 7 }), (count, keep) => {
      const items = Array.from({ length: count }, (_, id) => ({ id, alive: true }));
      const list: SweepList<(typeof items)[number]> = { tail: [], full: undefined, size: 0, dead: 0 };
      for (const item of items) put(list, item);
      for (const item of items) {
        if (item.id % keep === 0) continue;
        item.alive = false;
        list.dead++;
        sweep(list, ({ alive }) => alive);
      }
      const alive: number[] = [];
      let seen = 0;
      each(list, (item) => {
        seen++;
        if (item.alive) alive.push(item.id);
      });
      expect(alive.sort((a, b) => a - b)).toEqual(items.filter((item) => item.alive).map(({ id }) => id));
      expect(seen).toBe(list.size);
      expect(list.size - list.dead).toBe(alive.length);
      expect(list.dead).toBeLessThanOrEqual(alive.length + 1024);
    }),
    { numRuns: 40 },
  );
});
