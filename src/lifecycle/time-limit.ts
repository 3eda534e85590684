import type { Clock } from '../clock/clock.js';

/** Waits for work, but no longer than `ms` milliseconds. `false` if the time was over first. The work must not reject. */
export function withinTime(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(() => resolve(false), ms);
    void work.then(() => {
      timer.cancel();
      resolve(true);
    });
  });
}

/** Waits for `ms` milliseconds; not at all if it is 0. */
export function pause(ms: number, clock: Clock): Promise<void> {
  return ms === 0 ? Promise.resolve() : new Promise((resolve) => void clock.setTimer(resolve, ms));
}
