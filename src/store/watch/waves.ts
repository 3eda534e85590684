import type { Clock, ClockTimer } from '../../clock/clock.js';
import { atNextTurn } from '../../clock/next-turn.js';
import type { HubWatcher } from './watcher.js';

/** Watchers that are woken in one turn of the event loop. Each is a write to a socket, 10 to 20 µs. */
const IN_A_TURN = 16;
/**
 * From the beginning of a wave to that of the next it takes at least so many milliseconds for each watcher. A write costs
 * nearly the same whatever it carries, and a process with a thousand watchers would do nothing else: half as much costs 10 %
 * more of the CPU, half as much again saves 5 % and adds 5 ms to their p50.
 */
const PACE_MS = 0.02;
/** A shorter pause is none: timers are not exact, and a hundred watchers do without. */
const SHORTEST_PAUSE_MS = 2;

/**
 * Wakes all watchers, but not all at once: between two groups the event loop does what else there is. The watchers of a
 * group are given everything up to their turn, and are sent the same chunk: nobody waits longer than from one wave to the
 * next, the last no longer than the first.
 */
export interface Waves {
  /** There is something new. While a wave is on its way, another one follows it. */
  wake(): void;
  /** Begins no more waves that somebody waits for. */
  close(): void;
}

/** Waves over watchers. Before each group `onTurn` is told. */
export function createWaves(watchers: ReadonlySet<HubWatcher>, clock: Clock, onTurn: () => void): Waves {
  let wave: Iterator<HubWatcher> | undefined;
  let again = false;
  let pause: ClockTimer | undefined;
  /** When the next wave may begin, monotonic milliseconds. */
  let earliest = 0;

  const goOn = (): void => {
    onTurn();
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
