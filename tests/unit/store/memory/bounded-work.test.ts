import { describe, expect, test } from 'vitest';
import type { EventStore } from '../../../../src/store/contract/event-store.js';
import { createParts } from '../../../../src/store/memory/parts.js';
import { createBounds } from '../../../../src/store/memory/bounds.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import { readJson } from '../../../../src/store/memory/lists/read-json.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

const later = { expiresAt: 4_102_444_800_000_000 };
const sample = sampleEvent();
const nameOf = (i: number) => `event-${String(i).padStart(6, '0')}`;
const create = (store: EventStore, i: number, expiresAt = later.expiresAt) =>
  store.create({ namespace: 'default', name: nameOf(i) }, sample, { expiresAt });

/** How many turns the event loop did until the promise was settled. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let over = false;
  let turns = 0;
  const done = (): void => void (over = true);
  work.then(done, done);
  while (!over) {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    turns += 1;
  }
  return turns;
}

describe('a memory store yields to the event loop', () => {
  test('while a page at an earlier revision skips many younger events, and the page is still full', async () => {
    const store = memoryStore();
    for (const i of [0, 30_000, 30_001]) await create(store, i);
    const at = await store.revision();
    for (let i = 1; i < 20_000; i++) await create(store, i);
    const all = store.list({ at, limit: 5 });
    expect(await turnsOf(all)).toBeGreaterThanOrEqual(4);
    const { records, next, remaining } = await all;
    expect(records.map(({ key }) => key.name)).toEqual([nameOf(0), nameOf(30_000), nameOf(30_001)]);
    expect([next, remaining]).toEqual([undefined, 0]);
    // The page is full before the younger ones, and shows whether something comes after them.
    expect(await store.list({ at, limit: 1 })).toMatchObject({ records: [{ key: { name: nameOf(0) } }], remaining: 2 });
    const last = { namespace: 'default', name: nameOf(0) };
    expect(await store.list({ at, limit: 2, after: last })).toMatchObject({ records: { length: 2 }, remaining: 0 });
    for (const i of [30_000, 30_001]) await store.remove({ namespace: 'default', name: nameOf(i) });
    const empty = await store.revision();
    for (let i = 40_000; i < 50_000; i++) await create(store, i);
    const page = await store.list({ at: empty, limit: 1, after: { namespace: 'default', name: nameOf(19_998) } });
    expect(page).toMatchObject({ records: { length: 1 }, remaining: 0 });
    expect(page.next).toBeUndefined();
  });

  test('while it searches for due events among many removed ones', async () => {
    const clock = fakeClock();
    const store = memoryStore({ clock });
    const soon = clock.now() + 1_000_000;
    for (let i = 0; i < 5000; i++) await create(store, i, soon + i);
    await create(store, 5000, soon + 6000);
    for (let i = 0; i < 5000; i++) await store.remove({ namespace: 'default', name: nameOf(i) });
    let clockReads = 0;
    clock.monotonic = ((monotonic) => () => {
      clockReads += 1;
      return monotonic() + clockReads * 10;
    })(clock.monotonic);
    const work = store.expire({ now: soon + 10_000, limit: 10 });
    expect(await turnsOf(work)).toBeGreaterThan(10);
    expect(await work).toBe(1);
    expect(await store.expire({ now: soon + 10_000, limit: 10 })).toBe(0);
  });
});

test('lists that are cached by long values stay within the limit of the cache', () => {
  const options = { maxBytes: 16 * 1_048_576 };
  const { state, jsonCache } = createParts(fakeClock(), options, createBounds(options));
  const put = (value: string): void => {
    const event = sampleEvent({ name: value.slice(0, 20), regarding: value });
    const target = state.slotOf({ namespace: 'default', name: value.slice(0, 20) });
    state.put(target, event, later.expiresAt);
  };
  const query = (value: string) => ({ terms: [{ field: 'regarding.name', value }], limit: 10 });
  const values = Array.from({ length: 300 }, (_, i) => `${i}-`.padEnd(16_000, 'v'));
  values.forEach(put);
  for (const value of values) for (let turn = 0; turn < 3; turn++) readJson(state, jsonCache, query(value));
  expect(jsonCache.held()).toBeGreaterThan(500_000);
  expect(jsonCache.held()).toBeLessThanOrEqual(1_048_576);
  const before = jsonCache.held();
  for (let i = 0; i < 100; i++) for (let turn = 0; turn < 3; turn++) readJson(state, jsonCache, query(`absent-${i}`));
  expect(jsonCache.held()).toBe(before);
});
