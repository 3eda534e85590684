import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../../../src/clock/clock.js';
import { createHistoryPruner } from '../../../../../src/store/memory/state/history-pruner.js';
import { createMemoryState } from '../../../../../src/store/memory/state/state.js';
import { fakeClock } from '../../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../../src/testing/sample-event.js';

const KEY = { namespace: 'default', name: 'often' };

/** A state with so many changes of the moment 0, and a pruner with a clock that moves on each time it is read. */
function createBench(changes: number, { at = 0, perRead = 0 } = {}) {
  const written = fakeClock();
  const state = createMemoryState(100, written);
  const write = (moment = 0): void => {
    written.advance(moment);
    state.put(state.slotOf(KEY), sampleEvent(KEY), 4_102_444_800_000_000);
  };
  for (let i = 0; i < changes; i++) write();
  const timers: { readonly run: () => void; readonly delayMs: number }[] = [];
  let now = at;
  const clock: Clock = {
    ...fakeClock(),
    monotonic: () => (now += perRead),
    setTimer(run, delayMs) {
      const timer = { run, delayMs };
      timers.push(timer);
      return { cancel: () => void timers.splice(timers.indexOf(timer) >>> 0, 1) };
    },
  };
  const limits = { historyMs: 1000, historyMaxBytes: 1e9, keepUnderLimit: Infinity, unread: Infinity };
  const pruner = createHistoryPruner(state, clock, {
    historyMs: limits.historyMs,
    get historyMaxBytes() {
      return limits.historyMaxBytes;
    },
    overLimit: () => state.log.latest() - state.log.floor() > limits.keepUnderLimit,
    unread: () => limits.unread,
  });
  return { state, limits, pruner, timers, write };
}

describe('the history of a memory store', () => {
  test('drops four old changes with every write, and the others on a timer', () => {
    const { state, pruner, timers } = createBench(100, { at: 1000 });
    pruner.afterWrite();
    expect(state.log.floor()).toBe(4);
    pruner.afterWrite();
    expect(state.log.floor()).toBe(8);
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([0]);
    timers[0]?.run();
    expect(state.log.floor()).toBe(100);
    expect(timers).toEqual([]);
  });

  test('waits for the moment at which its oldest change is too old', () => {
    const { state, pruner, timers, write } = createBench(3, { at: 400 });
    write(300);
    pruner.afterWrite();
    pruner.afterWrite();
    expect(state.log.floor()).toBe(0);
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([600]);
  });

  test('is dropped by the timer for two milliseconds at a time; the clock is read every 16 changes', () => {
    const dropped = (perRead: number): number => {
      const { state, limits, pruner, timers } = createBench(100, { perRead });
      limits.historyMaxBytes = -1;
      pruner.afterWrite();
      const before = state.log.floor();
      timers[0]?.run();
      expect(timers.map(({ delayMs }) => delayMs)).toEqual(state.log.floor() < 100 ? [0] : []);
      return state.log.floor() - before;
    };
    expect([dropped(2), dropped(1.9), dropped(0.9), dropped(0)]).toEqual([16, 32, 48, 96]);
  });

  test('is dropped as far as its cost is above historyMaxBytes', () => {
    const { state, limits, pruner, timers } = createBench(100);
    limits.historyMaxBytes = state.log.cost();
    pruner.afterWrite();
    expect(state.log.floor()).toBe(0);
    limits.historyMaxBytes--;
    pruner.afterWrite();
    // The first change has nothing before it to keep, and costs less than the others.
    expect(state.log.floor()).toBe(1);
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([1000]);
  });

  test('is dropped with the write as far as the store is over its limit, and leaves one timer', () => {
    const { state, limits, pruner, timers } = createBench(100);
    pruner.afterWrite();
    limits.keepUnderLimit = 30;
    pruner.afterWrite();
    expect(state.log.floor()).toBe(70);
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([1000]);
    limits.keepUnderLimit = 0;
    pruner.afterWrite();
    expect(state.log.floor()).toBe(100);
    expect(timers).toEqual([]);
  });

  test('keeps what feeds had no turn to read, without a timer, and drops it after that', () => {
    const { state, limits, pruner, timers } = createBench(100);
    limits.historyMaxBytes = 0;
    limits.keepUnderLimit = 0;
    limits.unread = 41;
    pruner.afterWrite();
    expect(state.log.floor()).toBe(40);
    expect(timers).toEqual([]);
    limits.unread = Infinity;
    pruner.afterRead();
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([0]);
    timers[0]?.run();
    expect(state.log.floor()).toBe(100);
  });

  test('has no timer left when it is closed', () => {
    const { pruner, timers } = createBench(1);
    pruner.afterWrite();
    expect(timers).toHaveLength(1);
    pruner.close();
    pruner.afterRead();
    expect(timers).toEqual([]);
  });
});
