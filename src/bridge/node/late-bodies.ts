import type { Clock } from '../../clock/clock.js';
import type { Reading } from '../reading.js';

/** A body that has not come after about this long begins to follow the signal of its reader. */
const LATE_MS = 100;

/** Lets bodies follow the signals of their readers where it matters. */
export interface LateBodies {
  add(reading: Reading): void;
}

/**
 * A signal and a listener cost a tenth of a create, and nearly every body is there in the next turn of the event loop. So
 * bodies are gathered without a look at their signal, and one timer for all looks after those that are still to come. It
 * runs only while there are any.
 */
export function createLateBodies(clock: Clock): LateBodies {
  let gathered: Reading[] = [];

  const look = (): void => {
    const late = gathered;
    gathered = [];
    for (const reading of late) reading.follow();
  };
  return {
    add(reading): void {
      if (gathered.push(reading) === 1) clock.setTimer(look, LATE_MS);
    },
  };
}
