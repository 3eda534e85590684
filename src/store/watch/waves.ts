import { atNextTurn } from '../next-turn.js';
import type { HubWatcher } from './watcher.js';

/** Watchers that are woken in one turn of the event loop. Each is a write to a socket, 10 to 20 µs. */
const IN_A_TURN = 16;

/** Wakes all watchers, but not all at once: between two groups the event loop does what else there is. */
export interface Waves {
  /** There is something new. While a wave is on its way, another one follows it. */
  wake(): void;
}

/** Waves over the watchers that there are when one begins. */
export function createWaves(watchers: ReadonlySet<HubWatcher>): Waves {
  let wave: Iterator<HubWatcher> | undefined;
  let again = false;

  const goOn = (): void => {
    for (let count = 0; count < IN_A_TURN; count++) {
      const step = (wave as Iterator<HubWatcher>).next();
      if (step.done === true) {
        wave = undefined;
        if (again) begin();
        return;
      }
      step.value.wake();
    }
    atNextTurn(goOn);
  };
  const begin = (): void => {
    again = false;
    wave = watchers.values();
    goOn();
  };
  return {
    wake() {
      if (wave === undefined) begin();
      else again = true;
    },
  };
}
