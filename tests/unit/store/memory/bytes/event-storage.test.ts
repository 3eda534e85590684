import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEventStorage } from '../../../../../src/store/memory/bytes/event-storage.js';
import { namespaceOf, nameOf, sortKey } from '../../../../../src/store/memory/bytes/sort-key.js';
import { StoredEvent } from '../../../../../src/store/memory/bytes/stored-event.js';
import type { Slot } from '../../../../../src/store/memory/bytes/version.js';
import type { ByteHints } from '../../../../../src/store/contract/byte-hints.js';
import { recordBytes, type EncodedEvent } from '../../../../../src/store/contract/record.js';
import { sampleEvent } from '../../../../../src/testing/sample-event.js';

const ARENA = 1_048_576;
const HOUR = 3_600_000;
/** The slot of a key that has no version yet. */
const slotOf = (key: string): Slot => ({ sortKey: key, head: undefined, queuedFor: undefined }) as unknown as Slot;
const keyOf = (name: string) => slotOf(sortKey({ namespace: 'default', name }));
const asGiven = (_field: string, value: string | undefined): string | undefined => value;

/** An event with managed fields, written the way the library writes it. */
function managed(name: string, second: number, note = 'a sample', manager = 'tester'): EncodedEvent {
  const event = sampleEvent({ name, note });
  const text = new TextDecoder().decode(event.bytes);
  const entry = {
    manager,
    operation: 'Update',
    apiVersion: 'events.example.com/v1',
    time: new Date(second * 1000).toISOString(),
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:note': {}, 'f:reason': {}, 'f:regarding': { 'f:kind': {}, 'f:name': {} } },
  };
  const part = `,"managedFields":[${JSON.stringify(entry)}]`;
  const start = text.indexOf('},"eventTime"');
  const written = text.slice(0, start) + part + text.slice(start);
  const bytes = new TextEncoder().encode(written);
  const suffix = bytes.length - ',"type":"Normal"}'.length;
  return {
    ...event,
    bytes,
    hints: { ...(event.hints as ByteHints), shared: [{ start, end: start + part.length }], suffix },
  };
}

function plain({ bytes, cut, uid, fields, labels }: EncodedEvent): unknown {
  return { bytes: [...bytes], cut, uid, fields: { ...fields }, labels: { ...labels } };
}

describe('an event in an arena', () => {
  test('reads, compares and clones like the given object, and cannot be changed', () => {
    const storage = createEventStorage();
    const given = sampleEvent({ name: 'a', labels: { app: 'web' } });
    const stored = storage.keep(keyOf('a'), 1, given, 5, HOUR, asGiven);
    expect(plain(stored)).toEqual(plain(given));
    expect(Object.keys(stored)).toEqual(Object.keys(given).filter((key) => key !== 'hints'));
    expect(plain(structuredClone(stored) as EncodedEvent)).toEqual(plain(given));
    expect(Object.isFrozen(stored)).toBe(true);
    expect(StoredEvent.expiresAt(stored)).toBe(5);
    stored.bytes.fill(0);
    expect(plain(stored)).toEqual(plain(given));
  });

  test('returns its bytes and fields unchanged, whatever they are', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('"managedFields":[', ']},"', '"resourceVersion":"7', 'constructor', '', 'a'),
    );
    const part = text.map((value) => value.replaceAll('/', '-'));
    const strings = fc.array(fc.tuple(text, text), { maxLength: 4 }).map((pairs) => {
      const bare = Object.create(null) as Record<string, string>;
      for (const [name, value] of pairs) bare[name] = value;
      return bare;
    });
    const known = fc.record(
      {
        'metadata.name': text,
        'metadata.namespace': text,
        reason: text,
        'regarding.name': text,
        'regarding.uid': text,
        'regarding.resourceVersion': fc.constantFrom('7', '', 'x"y'),
      },
      { requiredKeys: [] },
    );
    const place = fc.integer({ min: -1, max: 120 });
    const event = fc.record({
      namespace: part,
      name: part,
      usual: fc.boolean(),
      places: fc.record({
        name: place,
        namespace: place,
        uid: place,
        regardingVersion: place,
        shared: fc.array(fc.record({ start: place, end: place }), { maxLength: 3 }),
        suffix: place,
      }),
      pieces: fc.array(text, { maxLength: 6 }),
      uid: text,
      cut: fc.nat(200),
      fields: fc.oneof(strings, known) as fc.Arbitrary<Record<string, string>>,
      labels: strings,
    });
    const storage = createEventStorage();
    const lengthOf = (value: string): number => new TextEncoder().encode(value).length;
    fc.assert(
      fc.property(event, ({ namespace, name, usual, places, pieces, uid, cut, fields, labels }) => {
        const names = `{"metadata":{"name":"${name}","namespace":"`;
        const head = usual ? `${names}${namespace}","uid":"${uid}",` : '{';
        const opening = lengthOf(head);
        const text = head + pieces.join('"resourceVersion":"');
        const bytes = new TextEncoder().encode(text);
        const version = fields['regarding.resourceVersion'] ?? '';
        // Correct hints, or any: whatever they are, the event is returned as it was given.
        const hints: ByteHints = usual
          ? {
              name: 21,
              namespace: lengthOf(names),
              uid: opening - 2 - lengthOf(uid),
              regardingVersion: version === '' ? -1 : text.indexOf(version, opening),
              shared: [
                { start: opening, end: bytes.length },
                { start: opening + (cut >> 2), end: bytes.length },
              ],
              suffix: Math.max(opening, bytes.length - (cut % 16)),
            }
          : places;
        const given = { bytes, cut: usual ? opening : Math.min(1 + cut, bytes.length), uid, fields, labels, hints };
        const key = sortKey({ namespace, name });
        expect([namespaceOf(key), nameOf(key)]).toEqual([namespace, name]);
        for (let times = 0; times < 3; times++) {
          const stored = storage.keep(slotOf(key), 1, given, 1, HOUR, asGiven);
          expect(plain(stored)).toEqual(plain(given));
          expect(stored.size).toBe(bytes.length);
          for (const field of [...Object.keys(fields), 'metadata.name', 'regarding.resourceVersion', 'constructor']) {
            const value = Object.hasOwn(fields, field) ? fields[field] : '';
            expect(StoredEvent.field(stored, field)).toBe(value);
            expect(stored.field(field)).toBe(value);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['at the last offset that a header can tell', 65_535, 255],
    ['at a later offset', 65_536, 255],
    ['and are longer than a header can tell', 500, 256],
  ])('returns its uid and the version of its regarding object where they, or the key, stand %s', (_, at, length) => {
    const texts = {
      name: 'n'.repeat(length),
      namespace: 's'.repeat(length),
      uid: 'u'.repeat(length),
      regardingVersion: '7'.repeat(length),
    };
    const places = Object.keys(texts) as (keyof typeof texts)[];
    for (const place of places) {
      const bytes = new Uint8Array(at + 2 * length).fill(45);
      const hints = { name: -1, namespace: -1, uid: -1, regardingVersion: -1, shared: [], suffix: -1, [place]: at };
      if (place === 'namespace') hints.name = at - length;
      if (place === 'name') hints.namespace = at + length;
      for (const other of places) {
        if (hints[other] >= 0) bytes.set(new TextEncoder().encode(texts[other]), hints[other]);
      }
      const fields = { reason: 'Tested', 'regarding.resourceVersion': texts.regardingVersion };
      const given: EncodedEvent = { bytes, cut: 1, uid: texts.uid, fields, labels: {}, hints };
      const key = sortKey({ namespace: texts.namespace, name: texts.name });
      const stored = createEventStorage().keep(slotOf(key), 1, given, 1, HOUR, asGiven);
      expect(stored.uid, place).toBe(texts.uid);
      expect(stored.fields, place).toEqual(fields);
      expect(StoredEvent.field(stored, 'regarding.resourceVersion'), place).toBe(texts.regardingVersion);
      expect(Buffer.compare(stored.bytes, bytes), place).toBe(0);
    }
  });

  test('has the same bytes in a record with a revision as the plain object', () => {
    const storage = createEventStorage();
    const prefix = new TextEncoder().encode('"kind":"Event",');
    for (let i = 0; i < 5; i++) {
      const given = managed('a', 1, `note ${i}`);
      const stored = storage.keep(keyOf('a'), 1, given, 1, HOUR, asGiven);
      const rest = { key: { namespace: 'default', name: 'a' }, revision: 12345678901, expiresAt: 1 };
      const joined = recordBytes({ ...rest, event: stored }, prefix);
      expect(joined).toEqual(recordBytes({ ...rest, event: given }, prefix));
      expect(JSON.parse(new TextDecoder().decode(joined))).toMatchObject({
        metadata: { resourceVersion: '12345678901' },
      });
    }
  });

  test('is copied by copyApart with gaps after the brace and at the cut', () => {
    const storage = createEventStorage();
    const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
    for (let i = 0; i < 3; i++) {
      const managedOne = managed('a', 1, `note ${i}`);
      fc.assert(
        fc.property(fc.nat(60), fc.nat(60), fc.nat(5), fc.integer({ min: 1, max: 200 }), (first, second, at, any) => {
          for (const given of [managedOne, { ...managedOne, cut: any }]) {
            const stored = storage.keep(keyOf('a'), 1, given, 1, HOUR, asGiven);
            const length = given.bytes.length + first + second;
            const target = new Uint8Array(at + length + 3).fill(7);
            stored.copyApart(target, at, first, second);
            const after = at + first + given.cut;
            expect(target.subarray(0, at).every((byte) => byte === 7)).toBe(true);
            expect(target[at]).toBe(given.bytes[0]);
            expect(text(target.subarray(at + 1 + first, after))).toBe(text(given.bytes.subarray(1, given.cut)));
            expect(text(target.subarray(after + second, at + length))).toBe(text(given.bytes.subarray(given.cut)));
            expect(target.subarray(at + length).every((byte) => byte === 7)).toBe(true);
          }
        }),
      );
    }
  });

  test('shares its managed fields with other events that have them', () => {
    const storage = createEventStorage();
    const size = (event: EncodedEvent): number => {
      const before = storage.usage().used;
      storage.keep(keyOf('a'), 1, event, 1, HOUR, asGiven);
      return storage.usage().used - before;
    };
    const first = size(managed('a', 1));
    for (let times = 0; times < 3; times++) size(managed('a', 1));
    expect(first - size(managed('a', 1))).toBeGreaterThan(200);
    expect(size(managed('a', 2))).toBe(first);
  });

  test('shares managed fields that updates give to many events, however often their size is read before', () => {
    const storage = createEventStorage();
    const sizes = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => {
      const slot = keyOf(name);
      slot.head = storage.keep(slot, 1, managed(name, 1), 1, HOUR, asGiven);
      const changed = managed(name, 9);
      const { sortKey: key, head } = slot;
      const asked = [1, 2, 3].map(() => storage.sizeFor(key, changed, head.event as StoredEvent));
      const before = storage.usage().used;
      storage.keep(slot, 2, changed, 1, HOUR, asGiven);
      const taken = storage.usage().used - before;
      expect(new Set(asked).size).toBe(1);
      expect(taken).toBeLessThanOrEqual(asked[0] as number);
      return taken;
    });
    const [first = 0, , , , , sixth = 0] = sizes;
    expect(sizes.slice(0, 4)).toEqual([first, first, first, first]);
    expect(first).toBeGreaterThan(sixth + 200);
    expect(sizes.slice(5)).toEqual([sixth, sixth]);
  });
});

describe('arenas', () => {
  const sequence = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ keep: fc.integer({ min: 1, max: 150_000 }), minutes: fc.constantFrom(1, 60) }),
    },
    { weight: 4, arbitrary: fc.record({ release: fc.nat() }) },
  );

  test('keep live and released events readable, and are freed, after any sequence of writes and releases', () => {
    fc.assert(
      fc.property(fc.array(sequence, { maxLength: 200, size: 'max' }), (sequences) => {
        const storage = createEventStorage();
        const live: { event: StoredEvent; given: EncodedEvent }[] = [];
        const gone: { event: StoredEvent; given: EncodedEvent }[] = [];
        sequences.forEach((what, i) => {
          if ('keep' in what) {
            const given = managed('a', i >> 3, String(i % 10).repeat(what.keep));
            const event = storage.keep(keyOf('a'), 1, given, i, what.minutes * 60_000, asGiven);
            live.push({ event, given });
          } else if (live.length > 0) {
            const [released] = live.splice(what.release % live.length, 1);
            if (released === undefined) return;
            storage.release(released.event);
            gone.push(released);
          }
        });
        const { live: bytes, used, allocated, arenas } = storage.usage();
        const sizes = live.reduce((sum, { event }) => sum + StoredEvent.access.sizeOf(event), 0);
        expect(bytes).toBe(sizes);
        expect(used).toBeGreaterThanOrEqual(bytes);
        expect(allocated).toBeGreaterThanOrEqual(used);
        for (const { event, given } of [...live, ...gone]) {
          expect(event.size).toBe(given.bytes.length);
          expect(Buffer.compare(event.bytes, given.bytes)).toBe(0);
        }
        for (const { event } of live) storage.release(event);
        // One open arena for each of the two classes and for moved events; one more may wait to be compacted.
        const rest = storage.usage();
        expect(rest.live).toBe(0);
        expect(rest.arenas).toBeLessThanOrEqual(Math.min(arenas + 1, 4));
      }),
      { numRuns: 25 },
    );
  });

  test('are compacted by releases when less than half of them is live, and records stay readable', () => {
    const storage = createEventStorage();
    const note = 'x'.repeat(4000);
    const given = Array.from({ length: 4000 }, (_, i) => managed(`event-${i}`, 1, `${i} ${note}`));
    const events = given.map((event, i) => storage.keep(keyOf(`event-${i}`), 1, event, i, HOUR, asGiven));
    const full = storage.usage();
    expect(full.arenas).toBeGreaterThan(10);
    // Every fifth event stays, a few in every arena.
    events.forEach((event, i) => void (i % 5 !== 0 && storage.release(event)));
    const { live, allocated } = storage.usage();
    expect(live).toBeLessThan(full.live / 4);
    expect(allocated).toBeLessThan(2 * live + 3 * ARENA);
    events.forEach((event, i) => expect(Buffer.compare(event.bytes, (given[i] as EncodedEvent).bytes)).toBe(0));
    events.forEach((event, i) => expect(StoredEvent.expiresAt(event)).toBe(i));
  });

  test.each([
    ['one arena for up to a minute', [0, 1, 1000, 20_000, 60_000], 1],
    ['an arena each for up to one, two and four minutes', [60_000, 60_001, 120_000, 120_001, 240_000], 3],
    ['one arena for many days', [1e10, 1e12, Infinity], 1],
  ])('separate events by their retention: %s', (_, retentions, arenas) => {
    const storage = createEventStorage();
    for (const retentionMs of retentions)
      storage.keep(keyOf('a'), 1, sampleEvent({ name: 'a' }), 1, retentionMs, asGiven);
    expect(storage.usage().arenas).toBe(arenas);
  });

  test('are not shared by events with different retention times', () => {
    const storage = createEventStorage();
    const note = 'x'.repeat(4000);
    const short: StoredEvent[] = [];
    for (let i = 0; i < 4000; i++) {
      const event = storage.keep(
        keyOf(`event-${i}`),
        1,
        managed(`event-${i}`, 1, note),
        1,
        i % 20 === 0 ? 10 * HOUR : HOUR,
        asGiven,
      );
      if (i % 20 !== 0) short.push(event);
    }
    for (const event of short) storage.release(event);
    const { live, allocated } = storage.usage();
    expect(allocated).toBeLessThan(live + 3 * ARENA);
  });
});
