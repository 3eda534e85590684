import type { Clock } from '../../../src/clock/clock.js';

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  /** Moves time on, calling what is due in order, with room for promises to settle between timers. */
  advance(ms: number): Promise<void>;
  /** Timers that wait. */
  pending(): number;
}

/** Lets promise callbacks that are ready run, and those they lead to. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

export function manualClock(startMicros = Date.UTC(2026, 0, 1) * 1000): ManualClock {
  let now = 0;
  const timers = new Set<{ at: number; callback: () => void }>();
  return {
    now: () => startMicros + now * 1000,
    monotonic: () => now,
    setTimer(callback, delayMs) {
      const timer = { at: now + delayMs, callback };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    pending: () => timers.size,
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        const next = [...timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.callback();
        await settle();
      }
      now = end;
    },
  };
}
