import type { Clock } from '../clock/clock.js';

/** Waits for work, but no longer than `ms` milliseconds. `false` when the time was up first. The work must not reject. */
export function withinTime(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(() => resolve(false), ms);
    void work.then(() => {
      timer.cancel();
      resolve(true);
    });
  });
}

/** Lets `ms` milliseconds pass; none at all when it is 0. */
export function pause(ms: number, clock: Clock): Promise<void> {
  return ms === 0 ? Promise.resolve() : new Promise((resolve) => void clock.setTimer(resolve, ms));
}
