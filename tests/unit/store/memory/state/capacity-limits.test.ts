import { describe, expect, test } from 'vitest';
import { HEAP_COST } from '../../../../../src/store/memory/accounting/heap-cost.js';
import { StoredEvent } from '../../../../../src/store/memory/bytes/stored-event.js';
import type { Version } from '../../../../../src/store/memory/bytes/version.js';
import { createCapacity } from '../../../../../src/store/memory/state/capacity.js';
import { createMemoryState } from '../../../../../src/store/memory/state/state.js';
import { fakeClock } from '../../../../../src/testing/fake-clock.js';
import { sampleEvent, type SampleEventOptions } from '../../../../../src/testing/sample-event.js';

const ARENA = 65_536;
const NEW_EVENT = HEAP_COST.slot + 2 * HEAP_COST.valueEntry;
const NEW_KEY = 'default/new';
const IN_AN_HOUR = fakeClock().now() + 3_600_000_000;

const keyOf = (name: string) => ({ namespace: 'default', name });
const full = expect.objectContaining({ name: 'StoreError', code: 'full' });

/** A state and its capacity, with limits that the test sets. */
function createBench({ clock = fakeClock(), evict = false, arenaBytes = ARENA } = {}) {
  const state = createMemoryState(100, fakeClock(), arenaBytes);
  const limits = {
    most: Infinity,
    historyMaxBytes: 0,
    arenaBytes,
    maxEvents: Infinity,
    evict,
    held: 0,
    evictions: 0,
    maxBytes: (): number => limits.most,
    others: (): number => limits.held,
    evicted: (): void => void limits.evictions++,
  };
  const put = (name: string, options: SampleEventOptions = {}): Version =>
    state.put(state.slotOf(keyOf(name)), sampleEvent({ name, ...options }), IN_AN_HOUR);
  return { state, limits, capacity: createCapacity(state, clock, limits), put };
}

/** A clock that moves on by so many milliseconds each time it is read. */
function movingClock(ms: number) {
  let at = 0;
  return { ...fakeClock(), monotonic: () => (at += ms) };
}

const ofLength = (length: number): SampleEventOptions => ({ note: 'x'.repeat(length) });

describe('a new event', () => {
  test('is admitted up to the last byte that leaves room for another arena', () => {
    const { state, limits, capacity, put } = createBench();
    put('a', ofLength(1000));
    limits.held = 5000;
    limits.most = state.held().current + 5000 + 2000 + NEW_EVENT + ARENA;
    expect(capacity.admit(NEW_KEY, 2000)).toBe(true);
    expect(() => capacity.admit(NEW_KEY, 2001)).toThrow(full);
    limits.most--;
    expect(() => capacity.admit(NEW_KEY, 2000)).toThrow(full);
    expect(() => capacity.admit(NEW_KEY, 2000)).toThrow(`is limited to ${limits.most} bytes`);
  });

  test('leaves an eighth of maxBytes to history, or historyMaxBytes if that is less', () => {
    const { state, limits, capacity, put } = createBench();
    put('a', ofLength(1000));
    const sevenEighths = 700_000;
    const size = sevenEighths - state.held().current - NEW_EVENT - ARENA;
    limits.most = 800_000;
    limits.historyMaxBytes = 100_001;
    expect(capacity.admit(NEW_KEY, size)).toBe(true);
    expect(() => capacity.admit(NEW_KEY, size + 1)).toThrow(full);
    limits.historyMaxBytes = 99_000;
    expect(capacity.admit(NEW_KEY, size + 1000)).toBe(true);
    expect(() => capacity.admit(NEW_KEY, size + 1001)).toThrow(full);
  });

  test('that is one too many is refused, and changes neither history nor where events are stored', () => {
    const { state, limits, capacity, put } = createBench();
    for (let i = 0; i < 256; i++) put(`event-${i}`, ofLength(3500));
    for (let i = 0; i < 256; i += 4) state.remove(state.find(keyOf(`event-${i}`))!);
    while (state.log.oldest() !== undefined) state.pruneOldest();
    const removed = put('removed');
    state.remove(removed);
    const before = { ...state.events.usage(), floor: state.log.floor() };
    limits.maxEvents = state.keys.live.size();
    for (const place of [NEW_KEY, removed.slot]) {
      expect(() => capacity.admit(place, 100)).toThrow(full);
      expect(() => capacity.admit(place, 100)).toThrow(`is limited to ${limits.maxEvents} events`);
    }
    expect({ ...state.events.usage(), floor: state.log.floor() }).toEqual(before);
    limits.maxEvents++;
    expect(capacity.admit(NEW_KEY, 100)).toBe(true);
  });

  test('evicts no other while room can be made by moving events together', () => {
    const { state, limits, capacity, put } = createBench({ evict: true });
    for (let i = 0; i < 256; i++) put(`event-${i}`, ofLength(3500));
    for (let i = 0; i < 256; i += 4) state.remove(state.find(keyOf(`event-${i}`))!);
    while (state.log.oldest() !== undefined) state.pruneOldest();
    limits.most = state.held().current + 100 + NEW_EVENT;
    expect(capacity.admit(NEW_KEY, 100)).toBe(false);
    expect(limits.evictions).toBe(0);
    expect(state.keys.live.size()).toBe(192);
    limits.most = 10 * ARENA;
    expect(capacity.admit(NEW_KEY, 100)).toBe(false);
    expect(limits.evictions).toBeGreaterThan(0);
    expect(state.keys.live.size()).toBe(192 - limits.evictions);
  });

  test('is admitted into half of the reserve of history when four milliseconds do not evict enough for it', () => {
    const { state, limits, capacity, put } = createBench({ clock: movingClock(4), evict: true });
    for (let i = 0; i < 300; i++) put(`event-${i}`);
    limits.held = 1_000_000;
    limits.historyMaxBytes = Infinity;
    limits.most = limits.held;
    expect(() => capacity.admit(NEW_KEY, 100)).toThrow(full);
    expect(limits.evictions).toBe(64);
    // An eighth is reserved.
    limits.most = (16 / 15) * (limits.held + state.held().current + 100 + NEW_EVENT + ARENA);
    expect(capacity.admit(NEW_KEY, 100)).toBe(false);
    expect(limits.evictions).toBe(128);
    limits.maxEvents = 1;
    expect(() => capacity.admit(NEW_KEY, 100)).toThrow(full);
  });
});

describe('an event that replaces another', () => {
  test('is admitted however full the store is, unless it is larger than that one', () => {
    const { state, limits, capacity, put } = createBench();
    const { slot, event } = put('a', ofLength(1000));
    const size = StoredEvent.access.sizeOf(event as StoredEvent);
    limits.most = 1;
    limits.maxEvents = 1;
    expect(capacity.admit(slot, size - 1)).toBe(true);
    expect(capacity.admit(slot, size)).toBe(true);
    expect(state.log.floor()).toBe(0);
    expect(() => capacity.admit(slot, size + 1)).toThrow(full);
    limits.most = state.held().current + 1 + ARENA;
    expect(capacity.admit(slot, size + 1)).toBe(true);
    expect(() => capacity.admit(slot, size + 2)).toThrow(full);
  });

  test('is refused if its labels need more heap, however few bytes it has; fewer or the same labels do not', () => {
    const { state, limits, capacity, put } = createBench();
    const labels = { app: 'shop', tier: 'web' };
    const { slot } = put('a', { ...ofLength(20_000), labels });
    const admit = (next: Readonly<Record<string, string>>, length = 100): boolean => {
      const event = sampleEvent({ name: 'a', ...ofLength(length), labels: next });
      return capacity.admit(slot, event.bytes.length, event);
    };
    limits.most = 1;
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`l${i}`, '']));
    expect(() => admit(many)).toThrow(full);
    expect(() => admit({ app: 'shop', tier: 'website' })).toThrow(full);
    expect(admit({ tier: 'web', app: 'shop' }, 20_000)).toBe(true);
    expect(admit({})).toBe(true);
    // While another event has the same labels, it keeps them in memory.
    put('b', { labels });
    expect(() => admit({ app: 'shop' })).toThrow(full);
    expect(admit(labels)).toBe(true);
    expect(state.log.latest()).toBe(2);
  });

  test('may use half of the reserve of history for its labels', () => {
    const { state, limits, capacity, put } = createBench();
    const { slot, event: replaced } = put('a', ofLength(2000));
    const event = sampleEvent({ name: 'a', labels: Object.fromEntries([...'abcdefghij'].map((name) => [name, 'x'])) });
    const heap = state.events.moreHeapFor(event, replaced as StoredEvent);
    expect(heap).toBeGreaterThan(10 * HEAP_COST.property);
    limits.historyMaxBytes = 10_000;
    limits.held = 100_000;
    limits.most = state.held().current + 100_000 + heap + 5000 + ARENA;
    expect(capacity.admit(slot, event.bytes.length, event)).toBe(true);
    limits.most--;
    expect(() => capacity.admit(slot, event.bytes.length, event)).toThrow(full);
  });

  test('is refused where there is none besides it that could be evicted', () => {
    const { state, limits, capacity, put } = createBench({ evict: true });
    const { slot } = put('a');
    put('b');
    limits.most = 1;
    expect(() => capacity.admit(slot, 50_000)).toThrow(full);
    expect(state.find(keyOf('a'))).toBe(slot.head);
    expect(state.find(keyOf('b'))).toBeUndefined();
    expect(limits.evictions).toBe(1);
  });
});

describe('freeing memory for a write', () => {
  /** A removed event with two long values, which history keeps in memory: its tombstone is the change `steps`. */
  const withLongValues = (steps: number, clock = fakeClock()) => {
    // All but the long event is in one arena, so that no step can compact any.
    const bench = createBench({ clock, arenaBytes: 8 * ARENA });
    const { slot } = bench.put('long', { regarding: 'v'.repeat(50_000) });
    for (let i = 2; i < steps; i++) bench.put('often', ofLength(i % 10));
    bench.state.remove(slot.head);
    for (let i = 0; i < 200; i++) bench.put('often', ofLength(i % 10));
    bench.limits.most = bench.state.held().current + 100 + NEW_EVENT + 8 * ARENA - 50_000;
    return { ...bench, slot };
  };

  test('drops no more of history than necessary, and reports that the slot must be looked up again', () => {
    const { state, capacity, slot } = withLongValues(80);
    expect(state.slotOf(keyOf('long'))).toBe(slot);
    expect(capacity.admit(slot, 100)).toBe(false);
    expect(state.log.floor()).toBe(80);
    expect(state.slotOf(keyOf('long'))).toBe('default/long');
    expect(capacity.admit('default/long', 100)).toBe(true);
  });

  test('ends after four milliseconds; the clock is read every 64 steps', () => {
    const dropped = (ms: number): number => {
      const { state, limits, capacity } = withLongValues(2, movingClock(ms));
      limits.most = 1;
      expect(() => capacity.admit(NEW_KEY, 100)).toThrow(full);
      return state.log.floor();
    };
    expect([dropped(4), dropped(3.9), dropped(1.9), dropped(0)]).toEqual([64, 128, 192, 202]);
  });

  test('succeeds when its last step in time frees enough', () => {
    const { state, capacity } = withLongValues(64, movingClock(4));
    expect(capacity.admit(NEW_KEY, 100)).toBe(false);
    expect(state.log.floor()).toBe(64);
    expect(() => withLongValues(65, movingClock(4)).capacity.admit(NEW_KEY, 100)).toThrow(full);
  });
});

describe('history must be dropped', () => {
  test('when everything together is over maxBytes, as far as history is over its reserve', () => {
    const { state, limits, capacity, put } = createBench();
    put('a', ofLength(1000));
    put('a', ofLength(1000));
    const { current, history } = state.held();
    limits.held = 5000;
    limits.most = current + history + 5000;
    limits.historyMaxBytes = history - 1;
    expect(capacity.overLimit()).toBe(false);
    limits.most--;
    expect(capacity.overLimit()).toBe(true);
    limits.historyMaxBytes = history;
    expect(capacity.overLimit()).toBe(false);
    limits.historyMaxBytes = Infinity;
    limits.most = history * 8;
    expect(capacity.overLimit()).toBe(false);
    limits.most--;
    expect(capacity.overLimit()).toBe(true);
  });
});
