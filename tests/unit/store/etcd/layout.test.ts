import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKnownExpiries } from '../../../../src/store/etcd/writes.js';
import { compareBytes } from '../../../../src/store/contract/keys.js';
import { createLayout } from '../../../../src/store/etcd/layout.js';
import type { KeyValue } from '../../../../src/store/etcd/connection.js';
import { createIdleSpan } from '../../../../src/store/etcd/feed.js';
import { readWatchEvents } from '../../../../src/store/etcd/read-watch.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

const layout = createLayout('/events');
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const key = { namespace: 'shop', name: 'a' };

function stored(revision: number, version = 1, note = 'x'): KeyValue {
  const value = layout.value(sampleEvent({ ...key, note }), 5);
  return { key: layout.objectKey(key), value, createRevision: 1, modRevision: revision, version };
}

test('an event has a key and an entry in the expiry index, which is not watched', () => {
  expect(text(layout.objectKey(key))).toBe('/events/shop/a');
  expect(text(layout.indexKey(key, 1234.5))).toBe('/events.expiry/0000000000001235/shop/a');
  expect(text(layout.indexKey(key, Infinity))).toBe('/events.expiry/9007199254740991/shop/a');
  expect(text(layout.indexKey(key, -1))).toBe('/events.expiry/0000000000000000/shop/a');
  const { key: first, rangeEnd } = layout.watched;
  const isWatched = (one: Uint8Array): boolean => compareBytes(one, first) >= 0 && compareBytes(one, rangeEnd) < 0;
  expect(isWatched(layout.objectKey(key))).toBe(true);
  expect(isWatched(layout.tickKey)).toBe(true);
  expect(isWatched(layout.indexKey(key, 5))).toBe(false);
  expect(isWatched(layout.storeKey)).toBe(false);
});

test('the expiry index finds what is due, to the microsecond', () => {
  const isDue = (expiresAt: number, now: number): boolean => {
    const range = layout.dueAt(now);
    const entry = layout.indexKey(key, expiresAt);
    return compareBytes(entry, range.key) >= 0 && compareBytes(entry, range.rangeEnd) < 0;
  };
  expect([isDue(99, 100), isDue(100, 100), isDue(100.5, 100), isDue(101, 100)]).toEqual([true, true, false, false]);
  const entry = layout.dueEntry({ ...stored(7), key: layout.indexKey(key, 5) });
  expect(entry && text(entry.objectKey)).toBe('/events/shop/a');
  expect(entry?.revision).toBe(7);
});

test('a value is the JSON, a newline and one line, and is unchanged after a round trip', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 2, maxLength: 200 }), fc.nat(), fc.string(), (bytes, expiresAt, label) => {
      const event = { ...sampleEvent(key), bytes, cut: 1, labels: { label } };
      const value = layout.value(event, expiresAt);
      const record = layout.record({ ...stored(3), value });
      expect(record).toMatchObject({ key, revision: 3, expiresAt });
      expect(Buffer.from(record?.event.bytes ?? [])).toEqual(Buffer.from(bytes));
      expect(record?.event.labels).toEqual({ label });
    }),
  );
});

test('a value of another program is no record', () => {
  for (const value of ['', 'x', 'x\n', '{}\n5', '{}\nx y', '{}\n5 x []', '{}\n5 99 []']) {
    expect(layout.record({ ...stored(3), value: new TextEncoder().encode(value) })).toBeUndefined();
  }
  expect(layout.record({ ...stored(3), key: new TextEncoder().encode('/events/stray') })).toBeUndefined();
});

test('watch events become changes; a compacted previous state ends them with expired', () => {
  const put = { type: 'put', kv: stored(5) } as const;
  const tick = { type: 'put', kv: { ...stored(6, 9), key: layout.tickKey } } as const;
  const change = { type: 'put', kv: stored(7, 2, 'new'), previous: stored(5) } as const;
  const removal = {
    type: 'delete',
    kv: { ...stored(8, 0), value: new Uint8Array(0) },
    previous: stored(7, 2),
  } as const;
  const all = readWatchEvents(layout, [put, tick, change, removal], 4);
  expect(
    all.changes.map(({ type, revision, record, previous }) => [type, revision, record.revision, previous?.revision]),
  ).toEqual([
    ['put', 5, 5, undefined],
    ['put', 7, 7, 5],
    ['delete', 8, 8, 7],
  ]);
  expect(all.seen).toBe(8);
  expect(readWatchEvents(layout, [put, tick], 5)).toEqual({ changes: [], seen: 6 });
  for (const { previous: _, ...bare } of [change, removal]) {
    const cut = readWatchEvents(layout, [put, bare], 4);
    expect(cut.changes).toHaveLength(1);
    expect(cut.failure).toMatchObject({ code: 'expired' });
  }
});

test('events that another program changed at one revision end a watch with expired, and none of them is shown', () => {
  const put = { type: 'put', kv: stored(5) } as const;
  const removal = (name: string) =>
    ({
      type: 'delete',
      kv: { ...stored(8, 0), key: layout.objectKey({ namespace: 'shop', name }), value: new Uint8Array(0) },
      previous: stored(5),
    }) as const;
  const { changes, seen, failure } = readWatchEvents(layout, [put, removal('a'), removal('b')], 4);
  expect(changes.map(({ revision }) => revision)).toEqual([5]);
  expect(seen).toBe(7);
  expect(failure).toMatchObject({ code: 'expired', current: 8 });
  expect(readWatchEvents(layout, [put, removal('a')], 4).changes).toHaveLength(2);

  const { previous: _, ...compacted } = removal('b');
  const cut = readWatchEvents(layout, [put, removal('a'), compacted], 4);
  expect([cut.changes.length, cut.seen]).toEqual([1, 7]);
});

test('a quiet span moves a reader to its end, and no reader outside of it', () => {
  const span = createIdleSpan();
  expect(span.beyond(5)).toBe(5);
  span.prove(10, 20);
  expect([9, 10, 15, 20, 21].map((after) => span.beyond(after))).toEqual([9, 20, 20, 20, 21]);
  expect(span.start(15)).toBe(10);
  span.prove(15, 30);
  expect(span.beyond(10)).toBe(30);
  span.prove(10, 25);
  expect(span.beyond(10)).toBe(30);
  span.prove(40, 50);
  expect([10, 30, 45].map((after) => span.beyond(after))).toEqual([10, 30, 50]);
});

test('expiries are cached for their revision, in a limited number', () => {
  const known = createKnownExpiries();
  const event = sampleEvent(key);
  known.note({ key, revision: 5, event, expiresAt: 9 });
  expect(known.at(key, 5)).toBe(9);
  expect(known.at(key, 4)).toBeUndefined();
  for (let i = 0; i < 10_000; i++)
    known.note({ key: { namespace: 'b', name: `${i}` }, revision: i, event, expiresAt: 1 });
  expect(known.at(key, 5)).toBeUndefined();
  expect(known.at({ namespace: 'b', name: '9999' }, 9999)).toBe(1);
});
