import type { Clock } from '../clock/clock.js';

/** Interrupts a wait at regular times. */
export interface Ticker {
  /** The promise's outcome, or undefined when a tick came first; pass the same promise again to go on waiting. */
  orTick<T>(promise: Promise<T>): Promise<T | undefined>;
  stop(): void;
}

/** A ticker on a clock. It puts one reaction on each promise, however many ticks pass while it waits. */
export function createTicker(clock: Clock, intervalMs: number): Ticker {
  let ticked = false;
  let settled = false;
  let watched: Promise<unknown> | undefined;
  let wake: (() => void) | undefined;
  const tick = (): void => {
    ticked = true;
    timer = clock.setTimer(tick, intervalMs);
    wake?.();
  };
  let timer = clock.setTimer(tick, intervalMs);
  return {
    async orTick<T>(promise: Promise<T>) {
      if (watched !== promise) {
        watched = promise;
        settled = false;
        const done = (): void => {
          if (watched !== promise) return;
          settled = true;
          wake?.();
        };
        promise.then(done, done);
      }
      if (!settled && !ticked) await new Promise<void>((resolve) => (wake = resolve));
      if (settled) return promise;
      ticked = false;
      return undefined;
    },
    stop: () => timer.cancel(),
  };
}
