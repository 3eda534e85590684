import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSharedFields, joinFields } from '../../../../../src/store/memory/bytes/shared-fields.js';
import { createSharedParts, type FoundPart } from '../../../../../src/store/memory/bytes/shared-parts.js';
import { each, put, sweep, type SweepList } from '../../../../../src/store/memory/index/sweep-list.js';
import type { ByteRange } from '../../../../../src/store/contract/byte-hints.js';
import { sampleEvent } from '../../../../../src/testing/sample-event.js';

const FROM = 24;
const bytesOf = (shared: string, note = ''): Uint8Array =>
  new TextEncoder().encode(`${'x'.repeat(FROM)}${shared.padEnd(100, '-')}${note}`);
const rangeOf = (bytes: Uint8Array, note = ''): ByteRange => ({ start: FROM, end: bytes.length - note.length });
type Parts = ReturnType<typeof createSharedParts>;

const findIn = (parts: Parts, bytes: Uint8Array, ...ranges: ByteRange[]): FoundPart | undefined =>
  parts.find(bytes, ranges.length === 0 ? [rangeOf(bytes)] : ranges, 0, bytes.length, undefined, true);

/** Stores a part: it takes five events. */
function learn(...given: Parameters<typeof findIn>): void {
  for (let times = 0; times < 5; times++) findIn(...given);
}

describe('shared parts', () => {
  test('are found from the fifth time on, and are the bytes that were there', () => {
    const parts = createSharedParts();
    const bytes = bytesOf('tester');
    for (let times = 1; times < 5; times++) expect(findIn(parts, bytes)).toBeUndefined();
    expect(findIn(parts, bytes)?.part.bytes).toEqual(bytes.subarray(FROM));
    const other = bytesOf('tester', 'another note');
    const found = findIn(parts, other, rangeOf(other, 'another note'));
    expect(found?.start).toBe(FROM);
    expect(found?.part).toBe(findIn(parts, bytes)?.part);
  });

  test('are not counted as seen when they are only looked for, and the part of a replaced event is found', () => {
    const parts = createSharedParts();
    const [bytes, other] = [bytesOf('tester'), bytesOf('other')];
    const find = (shared: FoundPart['part'] | undefined, counts: boolean, by = bytes) =>
      parts.find(by, [rangeOf(by)], 0, by.length, { shared }, counts);
    for (let times = 0; times < 9; times++) expect(find(undefined, false)).toBeUndefined();
    for (let times = 1; times < 5; times++) expect(find(undefined, true)).toBeUndefined();
    expect(find(undefined, false)).toBeUndefined();
    const part = find(undefined, true)?.part;
    expect(part).toBeDefined();
    learn(parts, other);
    expect(findIn(parts, other)).toBeDefined();
    expect(find(part, false)?.part).toBe(part);
    expect(find(part, false, other)?.part).toBe(findIn(parts, other)?.part);
  });

  test('are not stored when they are rare, and frequent ones are found among such parts', () => {
    const parts = createSharedParts();
    const often = bytesOf('often');
    let hits = 0;
    for (let i = 0; i < 20_000; i++) {
      expect(findIn(parts, bytesOf(`client-${i}`))).toBeUndefined();
      if (findIn(parts, often) !== undefined) hits++;
    }
    expect(hits).toBeGreaterThan(19_000);
  });

  test('are found again in whatever order the events of an hour are stored', () => {
    const parts = createSharedParts();
    const seconds = Array.from({ length: 3600 }, (_, second) => bytesOf(`${second}`.padStart(4, '0')));
    for (const bytes of seconds) learn(parts, bytes);
    // 7 and 3,600 have no common factor.
    const found = seconds.filter((_, index) => findIn(parts, seconds[(index * 7) % 3600] as Uint8Array) !== undefined);
    expect(found.length).toBeGreaterThan(3000);
  });

  test('take no more than 8 MiB', () => {
    const parts = createSharedParts();
    const all = Array.from({ length: 2500 }, (_, index) =>
      new Uint8Array(8192).fill(7).fill(index % 251, index, index + 9),
    );
    const whole = { start: 0, end: 8192 };
    for (const bytes of all) learn(parts, bytes, whole);
    const known = all.filter((bytes) => parts.find(bytes, [whole], 0, 8192, undefined, false) !== undefined);
    expect(known.length).toBeGreaterThan(0);
    expect(known.length).toBeLessThanOrEqual(1024);
    expect(known).toContain(all.at(-1));
  });

  test('are taken from the first range that other events have, and else from a later one', () => {
    const parts = createSharedParts();
    const timed = (time: string): Uint8Array => bytesOf(`${time}${'m'.repeat(80)}`);
    const long = { start: FROM, end: FROM + 100 };
    const short = { start: FROM + 10, end: FROM + 100 };
    const one = timed('2024-01-01');
    learn(parts, one, long, short);
    expect(findIn(parts, one, long, short)).toMatchObject({ start: FROM });
    // The short one was seen four times before the long one was stored.
    const other = timed('2024-01-02');
    for (let times = 1; times < 5; times++) expect(findIn(parts, other, long, short)?.start).toBe(FROM + 10);
    expect(findIn(parts, timed('2024-01-03'), long, short)?.part.bytes).toEqual(other.subarray(FROM + 10));
    expect(findIn(parts, other, long, short)?.start).toBe(FROM);
  });

  test.each([100, 101, 102, 103])('of %i bytes that differ in one byte are two parts', (length) => {
    const bytes = new Uint8Array(length).fill(7);
    for (let place = 0; place < length; place++) {
      const parts = createSharedParts();
      const other = bytes.slice();
      other[place] = 8;
      const range = { start: 0, end: length };
      learn(parts, bytes, range);
      for (let times = 1; times < 5; times++) expect(findIn(parts, other, range)).toBeUndefined();
      expect(findIn(parts, other, range)?.part.bytes).toEqual(other);
      expect(findIn(parts, bytes, range)?.part.bytes).toEqual(bytes);
    }
  });

  test('are neither very small nor very large, nor beyond the bounds', () => {
    const parts = createSharedParts();
    const bytes = new Uint8Array(20_000).fill(7);
    for (const [start, end, found] of [
      [0, 63, false],
      [0, 64, true],
      [100, 100 + 8192, true],
      [100, 100 + 8193, false],
      [10, 210, false],
      [11, 211, true],
    ] as const) {
      const from = start === 10 ? 11 : 0;
      for (let times = 0; times < 5; times++) parts.find(bytes, [{ start, end }], from, bytes.length, undefined, true);
      expect(parts.find(bytes, [{ start, end }], from, bytes.length, undefined, true) !== undefined).toBe(found);
      // A part that is known is not taken beyond the bounds either.
      expect(parts.find(bytes, [{ start, end }], start + 1, bytes.length, undefined, true)).toBeUndefined();
      expect(parts.find(bytes, [{ start, end }], 0, end - 1, undefined, true)).toBeUndefined();
    }
  });
});

const createSets = (): ReturnType<typeof createSharedFields> => createSharedFields([]);

describe('field sets', () => {
  test('are shared by events that agree in all common fields', () => {
    const sets = createSets();
    const one = sets.of(sampleEvent({ name: 'a', regarding: 'pod-1' }), 'a', false);
    const other = sets.of(sampleEvent({ name: 'b', regarding: 'pod-2' }), 'b', false);
    expect(other).toBe(one);
    expect(joinFields(one, 'b', ['pod-2', 'uid-of-pod-2', undefined])).toEqual(
      sampleEvent({ name: 'b', regarding: 'pod-2' }).fields,
    );
    expect(sets.of(sampleEvent({ name: 'a', labels: { app: 'web' } }), 'a', false)).not.toBe(one);
  });

  test('evict old ones when there are many, and every event keeps its own', () => {
    const sets = createSets();
    const of = (reason: string) => {
      const event = sampleEvent({ name: 'a' });
      return sets.of({ ...event, fields: { ...event.fields, reason } }, 'a', false);
    };
    const first = of('first');
    for (let i = 0; i < 5000; i++) expect(of(`reason-${i}`).fields['reason']).toBe(`reason-${i}`);
    expect(of('first')).not.toBe(first);
    expect(of('first')).toEqual(first);
  });

  test('have labels named like members of Object.prototype as plain data', () => {
    const labels = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
    const set = createSets().of({ ...sampleEvent({ name: 'a' }), labels }, 'a', false);
    expect(Object.entries(set.labels)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
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
