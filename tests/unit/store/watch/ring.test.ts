import { expect, test } from 'vitest';
import type { Change, Revision } from '../../../../src/store/contract/event-store.js';
import { batchAt } from '../../../../src/store/watch/batch.js';
import { createRing, type Ring } from '../../../../src/store/watch/ring.js';
import { HubEntry } from '../../../../src/store/watch/hub-entry.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

const change = (revision: Revision): Change => {
  const key = { namespace: 'default', name: 'a' };
  return { type: 'put', key, revision, record: { key, revision, event: sampleEvent(key), expiresAt: 0 } };
};
/** The cost of a change, which is the same for all of them. */
const COST = new HubEntry(change(1)).cost();
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

function ringOf(bytes: number, ...revisions: Revision[]): Ring {
  const ring = createRing(bytes);
  ring.restart(0);
  for (const revision of revisions) ring.append([change(revision)]);
  return ring;
}

const read = (ring: Ring, after: Revision, to: Revision): Revision[] | undefined =>
  ring.read(after, to)?.entries.map((entry) => entry.change.revision);

test('a ring keeps as many of the latest changes as fit, to the byte, also after many have left', () => {
  const ring = createRing(10 * COST);
  ring.restart(0);
  for (const revision of range(1, 5_000)) {
    ring.append([change(revision)]);
    const floor = Math.max(0, revision - 10);
    if (ring.floor() !== floor) expect(ring.floor()).toBe(floor);
  }
  expect([ring.floor(), ring.head(), read(ring, 4_990, 5_000)]).toEqual([4_990, 5_000, range(4_991, 5_000)]);
  expect(ringOf(10 * COST - 1, ...range(1, 10)).floor()).toBe(1);
});

test('a ring knows how many changes and bytes it has, and how many it may have', () => {
  const ring = ringOf(3 * COST, 1, 2, 3, 4, 5);
  expect(ring.size()).toEqual({ changes: 3, bytes: 3 * COST, maxBytes: 3 * COST });
});

test('a batch has at most 128 changes, and ends with the one that reaches 32 KiB', () => {
  const sized = (length: number): HubEntry => {
    const { record, ...more } = change(1);
    return new HubEntry({ ...more, record: { ...record, event: { ...record.event, bytes: new Uint8Array(length) } } });
  };
  const batchOf = (length: number): number =>
    batchAt(
      Array.from({ length: 200 }, () => sized(length)),
      0,
    ).entries.length;
  expect([batchOf(1), batchOf(1_024), batchOf(1_023), batchOf(100_000)]).toEqual([128, 32, 33, 1]);
});

test('a ring that holds nothing has its head as its floor', () => {
  const ring = ringOf(0, 1, 2, 3);
  expect([ring.floor(), ring.head(), read(ring, 3, 3)]).toEqual([3, 3, undefined]);
  ring.append([change(7)]);
  expect([ring.floor(), ring.head()]).toEqual([7, 7]);
});

test('frames count while their change is in the ring, and no longer when it has left', () => {
  const ring = ringOf(3 * COST, 1, 2, 3);
  const entries = ring.read(0, 3)?.entries ?? [];
  const frame = (index: number, form: string): void =>
    void entries[index]?.frame(form, 'ADDED', () => new Uint8Array(COST));
  frame(2, 'json');
  expect(ring.floor()).toBe(2);
  for (const form of range(1, 50)) frame(0, `form ${form}`);
  frame(1, 'json');
  expect([ring.floor(), read(ring, 2, 3)]).toEqual([2, [3]]);
  ring.append([change(4)]);
  expect(ring.floor()).toBe(3);
});

test('a ring is read from one revision up to another, and nothing lies between a revision and an earlier one', () => {
  const ring = ringOf(100 * COST, 10, 20, 30, 40);
  expect(read(ring, 0, 40)).toEqual([10, 20, 30, 40]);
  expect(read(ring, 10, 30)).toEqual([20, 30]);
  expect(read(ring, 15, 35)).toEqual([20, 30]);
  expect(read(ring, 20, 29)).toBeUndefined();
  for (const to of [30, 20, 10, 0]) expect(read(ring, 30, to)).toBeUndefined();
  expect(ring.read(10, 30)).toBe(ring.read(10, 30));
  expect(ring.read(10, 40)).not.toBe(ring.read(10, 30));
});

test('progress moves the head of a ring forward only, and a restart drops everything', () => {
  const ring = ringOf(100 * COST, 10, 20);
  ring.advance(50);
  ring.advance(30);
  expect([ring.head(), ring.floor()]).toEqual([50, 0]);
  ring.append([change(40), change(60)]);
  expect(read(ring, 0, 100)).toEqual([10, 20, 60]);
  ring.restart(70);
  expect([ring.head(), ring.floor(), read(ring, 0, 100)]).toEqual([70, 70, undefined]);
});
