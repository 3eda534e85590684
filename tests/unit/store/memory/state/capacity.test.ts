import { getHeapStatistics } from 'node:v8';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Change, EventStore } from '../../../../../src/store/contract/event-store.js';
import type { EncodedEvent } from '../../../../../src/store/contract/record.js';
import { createBounds } from '../../../../../src/store/memory/bounds.js';
import { createParts, type MemoryParts } from '../../../../../src/store/memory/parts.js';
import { memoryStore } from '../../../../../src/store/memory/memory-store.js';
import type { MemoryStoreOptions } from '../../../../../src/store/memory/options.js';
import { nextTurn } from '../../../../../src/clock/clock.js';
import { fakeClock } from '../../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../../src/testing/sample-event.js';

const MIB = 1_048_576;
const later = { expiresAt: 4_102_444_800_000_000 };
const keyOf = (name: string) => ({ namespace: 'default', name });
const note = (bytes: number) => ({ note: 'x'.repeat(bytes) });
const create = (store: EventStore, name: string, bytes = 10_000) =>
  store.create(keyOf(name), sampleEvent({ name, ...note(bytes) }), later);

/** Creates events until one is refused. Returns how many were created. */
async function fill(store: EventStore, prefix = 'event', bytes = 10_000): Promise<number> {
  for (let count = 0; ; count++) {
    try {
      await create(store, `${prefix}-${count}`, bytes);
    } catch (error) {
      expect(error).toMatchObject({ name: 'StoreError', code: 'full' });
      return count;
    }
  }
}

async function namesIn(store: EventStore): Promise<string[]> {
  return (await store.list({ limit: 100_000 })).records.map(({ key }) => key.name);
}

interface TestEngine extends Omit<MemoryParts, 'put'> {
  put(name: string, bytes: number): boolean;
  putEvent(name: string, event: EncodedEvent): boolean;
}

/** The parts of a store, whose writes return false when it is full. */
function engineWith(options: MemoryStoreOptions): TestEngine {
  const parts = createParts(fakeClock(), options, createBounds(options));
  const putEvent = (name: string, event: EncodedEvent): boolean => {
    const key = keyOf(name);
    try {
      parts.put(parts.state.slotOf(key), key, event, later.expiresAt);
    } catch (error) {
      expect(error).toMatchObject({ code: 'full' });
      return false;
    }
    return true;
  };
  const put = (name: string, bytes: number): boolean =>
    putEvent(name, sampleEvent({ name, regarding: `about-${name}`, labels: { name }, ...note(bytes) }));
  return { ...parts, put, putEvent };
}

describe('a full memory store', () => {
  test('refuses new events with full, and accepts them again after others were removed', async () => {
    const store = memoryStore({ clock: fakeClock(), maxBytes: 4 * MIB });
    const count = await fill(store);
    expect(count).toBeGreaterThan(300);
    expect(count).toBeLessThan(420);
    expect(await namesIn(store)).toHaveLength(count);
    await expect(create(store, 'more')).rejects.toMatchObject({ code: 'full' });
    expect(await store.get(keyOf('more'))).toBeUndefined();
    for (let i = 0; i < 10; i++) await store.remove(keyOf(`event-${i}`));
    await create(store, 'more');
    expect(await fill(store, 'again')).toBeGreaterThanOrEqual(7);
  });

  test('still accepts updates that make an event no larger, deletions and expiry', async () => {
    const store = memoryStore({ clock: fakeClock(), maxBytes: 4 * MIB });
    await fill(store);
    let expected = (await store.get(keyOf('event-7')))?.revision ?? 0;
    for (let i = 0; i < 2000; i++) {
      const event = sampleEvent({ name: 'event-7', ...note(10_000 - (i % 2)) });
      ({ revision: expected } = await store.replace(keyOf('event-7'), event, { ...later, expected }));
    }
    const larger = sampleEvent({ name: 'event-7', ...note(200_000) });
    await expect(store.replace(keyOf('event-7'), larger, { ...later, expected })).rejects.toMatchObject({
      code: 'full',
    });
    expect((await store.get(keyOf('event-7')))?.revision).toBe(expected);
    await store.remove(keyOf('event-3'));
    const living = (await namesIn(store)).length;
    let expired = 0;
    for (let done = -1; done !== 0; expired += done) {
      done = await store.expire({ now: later.expiresAt, limit: 500 });
    }
    expect(expired).toBe(living);
    expect(await fill(store, 'next')).toBeGreaterThan(300);
  });

  test('finds an event created again in the room that its own history had taken', async () => {
    // More than is reserved for history, of which only the values count as memory of events.
    const longValues = sampleEvent({ name: 'again', regarding: 'v'.repeat(50_000), ...note(40_000) });
    const withHistory = async () => {
      const store = memoryStore({ clock: fakeClock(), maxBytes: MIB });
      const { revision: first } = await store.create(keyOf('again'), longValues, later);
      await store.remove(keyOf('again'));
      return {
        store,
        remembers: () =>
          store.list({ at: first, limit: 1 }).then(
            () => true,
            () => false,
          ),
      };
    };
    const sample = await withHistory();
    let count = 0;
    for (; await sample.remembers(); count++) await create(sample.store, `event-${count}`);
    const { store, remembers } = await withHistory();
    for (let i = 0; i < count - 1; i++) await create(store, `event-${i}`);
    expect(await remembers()).toBe(true);
    const { revision } = await create(store, 'again', 20_000);
    expect(await remembers()).toBe(false);
    expect((await store.get(keyOf('again')))?.revision).toBe(revision);
    expect((await namesIn(store)).filter((name) => name === 'again')).toHaveLength(1);
    await store.remove(keyOf('again'));
    expect(await namesIn(store)).toHaveLength(count - 1);
  });

  test('drops history before it refuses a write', async () => {
    const store = memoryStore({ clock: fakeClock(), maxBytes: 4 * MIB });
    const { revision: first } = await create(store, 'first', 100);
    let expected = (await create(store, 'often')).revision;
    const update = async () => {
      const event = sampleEvent({ name: 'often', ...note(10_000) });
      ({ revision: expected } = await store.replace(keyOf('often'), event, { ...later, expected }));
    };
    for (let i = 0; i < 250; i++) await update();
    expect((await store.list({ at: first, limit: 9 })).records).toHaveLength(1);
    expect(await fill(store)).toBeGreaterThan(300);
    await expect(store.list({ at: first, limit: 9 })).rejects.toMatchObject({ code: 'expired' });
  });

  test('keeps an eighth of its memory for history, whatever it refuses', async () => {
    const store = memoryStore({ clock: fakeClock(), maxBytes: 4 * MIB });
    await fill(store);
    const { revision: first } = (await store.get(keyOf('event-0')))!;
    let expected = first;
    for (let i = 0; i < 20; i++) {
      const event = sampleEvent({ name: 'event-0', ...note(9000) });
      ({ revision: expected } = await store.replace(keyOf('event-0'), event, { ...later, expected }));
    }
    for (let i = 0; i < 20; i++) await expect(create(store, 'more')).rejects.toMatchObject({ code: 'full' });
    expect((await store.list({ at: first, limit: 9 })).records).toHaveLength(1);
  });

  test('enforces maxEvents, and still accepts updates', async () => {
    const store = memoryStore({ maxEvents: 3 });
    expect(await fill(store)).toBe(3);
    const { revision: expected } = await store.remove(keyOf('event-0')).then(() => create(store, 'other'));
    await store.replace(keyOf('other'), sampleEvent({ name: 'other' }), { ...later, expected });
    await expect(create(store, 'more')).rejects.toMatchObject({ code: 'full' });
  });

  test('refuses an event larger than a quarter of maxBytes', async () => {
    const store = memoryStore({ maxBytes: 2 * MIB });
    expect(store.capabilities.maxEventBytes).toBe(MIB / 2);
    await expect(create(store, 'large', MIB / 2)).rejects.toMatchObject({ code: 'too-large' });
    await create(store, 'fits', MIB / 2 - 1000);
  });
});

describe('a memory store that evicts the oldest', () => {
  test('always accepts new events, and every eviction has its own revision and is in the feed', async () => {
    const store = memoryStore({ clock: fakeClock(), maxBytes: 4 * MIB, whenFull: 'evict-oldest' });
    const changes: Change[] = [];
    const start = await store.revision();
    const feed = (async () => {
      for await (const batch of store.changes({ after: start })) changes.push(...batch);
    })();
    for (let i = 0; i < 900; i++) {
      await create(store, `event-${String(i).padStart(4, '0')}`);
      await nextTurn();
    }
    const names = await namesIn(store);
    expect(names.length).toBeGreaterThan(300);
    expect(names).toEqual(
      Array.from({ length: names.length }, (_, i) => `event-${String(900 - names.length + i).padStart(4, '0')}`),
    );
    await nextTurn();
    await store.close();
    await feed;
    expect(changes.map(({ revision }) => revision)).toEqual(changes.map((_, i) => start + 1 + i));
    const gone = changes.filter(({ type }) => type === 'delete').map(({ key }) => key.name);
    expect(gone).toEqual(gone.map((_, i) => `event-${String(i).padStart(4, '0')}`));
    expect(gone).toHaveLength(900 - names.length);
  });

  test('evicts the event written longest ago, never the one being written', async () => {
    const store = memoryStore({ maxEvents: 2, whenFull: 'evict-oldest' });
    const { revision: expected } = await create(store, 'a');
    await create(store, 'b');
    await store.replace(keyOf('a'), sampleEvent({ name: 'a' }), { ...later, expected });
    await create(store, 'c');
    expect(await namesIn(store)).toEqual(['a', 'c']);
    const bytes = memoryStore({ clock: fakeClock(), maxBytes: MIB, whenFull: 'evict-oldest' });
    const { revision } = await create(bytes, 'a', 100);
    await create(bytes, 'b', 250_000);
    await create(bytes, 'c', 250_000);
    await create(bytes, 'd', 250_000);
    const before = await bytes.revision();
    await bytes.replace(keyOf('a'), sampleEvent({ name: 'a', ...note(250_000) }), { ...later, expected: revision });
    expect(await namesIn(bytes)).toEqual(['a', 'c', 'd']);
    // One event was removed, and one was written.
    expect((await bytes.revision()) - before).toBe(2);
  });

  test('finds an event created again when the evictions for it have dropped its tombstone', async () => {
    let dropped = 0;
    for (let past = 120_000; past <= 240_000; past += 10_000) {
      const store = memoryStore({ clock: fakeClock(), maxBytes: MIB, whenFull: 'evict-oldest' });
      const { revision: first } = await create(store, 'again', 100);
      await store.remove(keyOf('again'));
      await create(store, 'past', past);
      await store.remove(keyOf('past'));
      const remembers = () =>
        store.list({ at: first, limit: 1 }).then(
          () => true,
          () => false,
        );
      // Small events in front, until one is evicted: a large event evicts many of them, and each adds to history.
      for (let i = 0, evicted = false; !evicted; i++) {
        const before = await store.revision();
        evicted = (await create(store, `event-${i}`, 300)).revision > before + 1;
      }
      const remembered = await remembers();
      const { revision } = await create(store, 'again', 200_000);
      if (remembered && !(await remembers())) dropped++;
      expect((await store.get(keyOf('again')))?.revision).toBe(revision);
      expect((await namesIn(store)).filter((name) => name === 'again')).toHaveLength(1);
    }
    expect(dropped).toBeGreaterThan(0);
  });

  test('gets every event that it lists, whatever was written, removed and evicted before', async () => {
    const store = memoryStore({ clock: fakeClock(), maxBytes: MIB, whenFull: 'evict-oldest' });
    for (let round = 0; round < 200; round++) {
      const name = `event-${round % 9}`;
      await create(store, name, 50_000 + (round % 7) * 5000);
      if (round % 2 === 0) await store.remove(keyOf(name));
      else if (round % 3 === 0) await fillOne(store, round);
      for (const left of await namesIn(store)) expect((await store.get(keyOf(left)))?.key.name).toBe(left);
      if ((await store.get(keyOf(`event-${(round + 1) % 9}`))) !== undefined) {
        await store.remove(keyOf(`event-${(round + 1) % 9}`));
      }
    }
  });
});

async function fillOne(store: EventStore, round: number): Promise<void> {
  await create(store, `filler-${round}`, 200_000);
}

describe('the memory of a memory store', () => {
  test.each(['refuse', 'evict-oldest'] as const)('stays below maxBytes whatever is written (%s)', (whenFull) => {
    const action = fc.record({
      name: fc.integer({ min: 0, max: 60 }).map(String),
      bytes: fc.oneof(fc.integer({ max: 2000, min: 0 }), fc.integer({ min: 0, max: 150_000 })),
      removes: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    });
    fc.assert(
      fc.property(fc.array(action, { minLength: 80, maxLength: 150, size: 'max' }), (actions) => {
        const { state, capacity, remove, put } = engineWith({ maxBytes: MIB, whenFull });
        let written = 0;
        for (const { name, bytes, removes } of actions) {
          const found = state.find(keyOf(name));
          if (!removes) written += put(name, bytes) ? 1 : 0;
          else if (found !== undefined) remove(found);
          expect(capacity.held()).toBeLessThanOrEqual(MIB);
        }
        expect(written).toBeGreaterThan(0);
      }),
      { numRuns: 8, endOnFailure: true },
    );
  });

  test('stays below maxBytes when a full store takes updates that make no event larger', () => {
    const { capacity, put } = engineWith({ maxBytes: MIB });
    let count = 0;
    while (put(`event-${count}`, 3000)) count++;
    for (let i = 0; i < 4000; i++) {
      // Every eleventh event stays, so that no arena is ever without a live entry.
      const n = (i * 7919) % count;
      if (n % 11 !== 0) expect(put(`event-${n}`, 3000)).toBe(true);
      expect(capacity.held()).toBeLessThanOrEqual(MIB);
    }
  });

  test('stays below maxBytes when a full store takes updates with fewer bytes and more labels', () => {
    const { state, capacity, put, putEvent } = engineWith({ maxBytes: MIB });
    let count = 0;
    while (put(`event-${count}`, 10_000)) count++;
    for (let i = 0; i < count; i++) {
      const name = `event-${i}`;
      const labels = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${i}.${n}`, '']));
      const event = sampleEvent({ name, regarding: `about-${name}`, labels });
      expect(state.find(keyOf(name))).toBeDefined();
      putEvent(name, event);
      expect(capacity.held()).toBeLessThanOrEqual(MIB);
    }
    expect(count).toBeGreaterThan(50);
  });

  test('returns to its initial size when every event was removed and its history dropped', () => {
    const { state, capacity, remove, put } = engineWith({ maxBytes: 64 * MIB });
    put('first', 100);
    const before = capacity.held();
    for (let i = 0; i < 5000; i++) put(`event-${i}`, 100);
    expect(capacity.held()).toBeGreaterThan(before + 5000 * 1000);
    for (const slot of state.keys.live.between(undefined, undefined, 10_000)) {
      if (slot.sortKey !== 'default/first') remove(slot.head);
    }
    while (state.log.oldest() !== undefined) state.pruneOldest();
    // One arena is open, and one more has the entries moved out of compacted ones.
    expect(capacity.held() - before).toBeLessThanOrEqual(2 * MIB);
    expect(state.held()).toMatchObject({ history: 0 });
    expect(state.valueIndex.held()).toBeLessThan(1000);
    expect(state.expiry.take(Infinity)).toMatchObject({ sortKey: 'default/first' });
    expect(state.expiry.take(Infinity)).toBeUndefined();
  });

  test('is at most half of the heap limit by default, and 256 MiB while that is not known', async () => {
    const bounds = createBounds({});
    expect(bounds.maxBytes()).toBe(256 * MIB);
    await expect.poll(() => bounds.maxBytes()).toBe(Math.floor(getHeapStatistics().heap_size_limit / 2));
    expect(bounds).toMatchObject({ maxEventBytes: 1.5 * MIB, arenaBytes: MIB });
    expect(createBounds({ maxBytes: MIB })).toMatchObject({ maxEventBytes: MIB / 4, arenaBytes: 65_536 });
    expect(createBounds({ maxBytes: 16 * MIB }).listCacheMaxBytes()).toBe(MIB);
  });
});
