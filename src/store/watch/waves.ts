import type { Clock, ClockTimer } from '../../clock/clock.js';
import { atNextTurn } from '../next-turn.js';
import type { HubWatcher } from './watcher.js';

/** Watchers that are woken in one turn of the event loop. Each is a write to a socket, 10 to 20 µs. */
const IN_A_TURN = 16;
/**
 * From the beginning of a wave to that of the next it takes at least so many milliseconds for each watcher. A write costs
 * nearly the same whatever it carries, and a process with many watchers would do nothing else: with a hundred or a thousand
 * of them and 500 events a second, 5 to 10 % of the CPU. Where that is all there is, it is the p99 of everybody as well.
 */
const PACE_MS = 0.03;
/** A shorter pause is none: timers are not exact, and a few dozen watchers need none. */
const SHORTEST_PAUSE_MS = 2;

/**
 * Wakes all watchers, but not all at once: between two groups the event loop does what else there is. What comes while a
 * wave is on its way is for the next one, so that watchers stay in step: they are sent the same chunks, made once.
 */
export interface Waves {
  /** There is something new. While a wave is on its way, another one follows it. */
  wake(): void;
  /** Begins no more waves that somebody waits for. */
  close(): void;
}

/** Waves over the watchers that there are when one begins, which is told first. */
export function createWaves(watchers: ReadonlySet<HubWatcher>, clock: Clock, onBegin: () => void): Waves {
  let wave: Iterator<HubWatcher> | undefined;
  let again = false;
  let pause: ClockTimer | undefined;
  /** When the next wave may begin, monotonic milliseconds. */
  let earliest = 0;

  const goOn = (): void => {
    for (let count = 0; count < IN_A_TURN; count++) {
      const step = (wave as Iterator<HubWatcher>).next();
      if (step.done === true) {
        wave = undefined;
        if (again) beginSoon();
        return;
      }
      step.value.wake();
    }
    atNextTurn(goOn);
  };
  const begin = (): void => {
    again = false;
    pause = undefined;
    earliest = clock.monotonic() + watchers.size * PACE_MS;
    onBegin();
    wave = watchers.values();
    goOn();
  };
  const beginSoon = (): void => {
    const wait = earliest - clock.monotonic();
    if (wait < SHORTEST_PAUSE_MS) begin();
    else pause = clock.setTimer(begin, wait);
  };
  return {
    wake() {
      if (pause !== undefined) return;
      if (wave === undefined) beginSoon();
      else again = true;
    },
    close() {
      again = false;
      pause?.cancel();
      pause = undefined;
    },
  };
}
