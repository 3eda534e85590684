import type { Clock } from '../../clock/clock.js';

/** Says at regular times that something is due. */
export interface Ticker {
  /** True when a tick came since the last question; many are one. */
  due(): boolean;
  stop(): void;
}

/** A ticker on a clock. `onTick` is called with each tick, for somebody who waits. */
export function createTicker(clock: Clock, intervalMs: number, onTick: () => void): Ticker {
  let ticked = false;
  const tick = (): void => {
    ticked = true;
    timer = clock.setTimer(tick, intervalMs);
    onTick();
  };
  let timer = clock.setTimer(tick, intervalMs);
  return {
    due() {
      const was = ticked;
      ticked = false;
      return was;
    },
    stop: () => timer.cancel(),
  };
}
