import { getEventListeners } from 'node:events';
import { expect, test, vi, onTestFinished } from 'vitest';
import { createBackoff } from '../../../src/clock/backoff.js';
import type { Clock } from '../../../src/clock/clock.js';

/** Timers that only the test fires, and for how long they were set. */
function manualClock(): { readonly clock: Clock; readonly waits: number[]; fire(): void; pending(): number } {
  const waits: number[] = [];
  let timers: (() => void)[] = [];
  return {
    waits,
    pending: () => timers.length,
    fire() {
      for (const timer of timers.splice(0)) timer();
    },
    clock: {
      now: () => 0,
      monotonic: () => 0,
      setTimer(callback, delayMs) {
        waits.push(delayMs);
        timers.push(callback);
        return { cancel: () => void (timers = timers.filter((each) => each !== callback)) };
      },
    },
  };
}

function withRandom(value: number): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(value);
  onTestFinished(() => random.mockRestore());
}

test('pauses double from 100 ms to 5 s, and start again after a success', async () => {
  withRandom(0);
  const { clock, waits, fire } = manualClock();
  const backoff = createBackoff(clock);
  const pause = async (): Promise<void> => {
    const over = backoff.pause(new AbortController().signal);
    fire();
    await over;
  };
  for (let round = 0; round < 8; round++) await pause();
  expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  backoff.reset();
  await pause();
  expect(waits.at(-1)).toBe(100);
});

test('a pause is shortened by up to half, at random', () => {
  const { clock, waits } = manualClock();
  withRandom(0.999_999);
  void createBackoff(clock).pause(new AbortController().signal);
  withRandom(0.5);
  void createBackoff(clock).pause(new AbortController().signal);
  expect(waits[0]).toBeCloseTo(50, 3);
  expect(waits[1]).toBe(75);
});

test('a pause ends with its signal, and leaves neither timer nor listener behind', async () => {
  const { clock, fire, pending } = manualClock();
  const backoff = createBackoff(clock);
  const stopping = new AbortController();
  const over = backoff.pause(stopping.signal);
  expect(getEventListeners(stopping.signal, 'abort')).toHaveLength(1);
  fire();
  await over;
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
  const cut = backoff.pause(stopping.signal);
  expect(pending()).toBe(1);
  stopping.abort();
  await cut;
  expect([pending(), getEventListeners(stopping.signal, 'abort').length]).toEqual([0, 0]);
  await backoff.pause(stopping.signal);
  expect([pending(), getEventListeners(stopping.signal, 'abort').length]).toEqual([0, 0]);
});
