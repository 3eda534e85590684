import { type Clock, type ClockTimer, atNextTurn } from '../../clock/clock.js';
import { TURN_MS } from './wake-up-queue.js';
import type { Watcher } from './watcher.js';

/** Watchers woken in one turn of the event loop. Each causes a write to a socket, which takes 10 to 20 µs. */
const BATCH_SIZE = 16;
/** Minimum time from the start of one pass to the next, in milliseconds per watcher; decision 34 has measurements. */
const PACE_MS = 0.008;
/** Pauses shorter than this (milliseconds) are skipped: timers are not exact. */
const SHORTEST_PAUSE_MS = 2;

/** Wakes watchers in batches, each with the same chunk and a turn of the event loop; `onTurn` is called before it. */
export function createWakeUpBatches(watchers: ReadonlySet<Watcher>, clock: Clock, onTurn: () => void) {
  let pass: Iterator<Watcher> | undefined;
  let again = false;
  let pause: ClockTimer | undefined;
  /** When the next pass may begin, monotonic milliseconds. */
  let earliest = 0;

  const wakeNextBatch = (): void => {
    onTurn();
    const until = clock.monotonic() + TURN_MS;
    for (let count = 0; count < BATCH_SIZE && clock.monotonic() < until; count++) {
      const step = (pass as Iterator<Watcher>).next();
      if (step.done === true) {
        pass = undefined;
        if (again) beginSoon();
        return;
      }
      step.value.wake();
    }
    atNextTurn(wakeNextBatch);
  };
  const begin = (): void => {
    again = false;
    pause = undefined;
    earliest = clock.monotonic() + watchers.size * PACE_MS;
    pass = watchers.values();
    wakeNextBatch();
  };
  const beginSoon = (): void => {
    const wait = earliest - clock.monotonic();
    if (wait < SHORTEST_PAUSE_MS) begin();
    else pause = clock.setTimer(begin, wait);
  };
  return {
    /** Starts a pass, or another one after the current one. */
    wake(): void {
      if (pause !== undefined) return;
      if (pass === undefined) beginSoon();
      else again = true;
    },
    close(): void {
      again = false;
      pause?.cancel();
      pause = undefined;
    },
  };
}
