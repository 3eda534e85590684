import type { Clock } from '../../clock/clock.js';

/** What is not over after about this long begins to follow its signal. */
const LATE_MS = 100;

/** Something that may be ended by a signal. */
export interface Follower {
  /** Reads the signal, which may make one, and heeds it from here on. Does nothing when all is over. */
  follow(): void;
}

/** Lets bodies and streaming answers follow their signals where it matters. */
export interface LateSignals {
  add(follower: Follower): void;
}

/**
 * A signal and its listeners cost a tenth of a create, and as much of a list. Nearly every body is there in the next turn of
 * the event loop, and most lists are sent as soon. So they are gathered without a look at their signals, and one timer for
 * all looks after those that are not over. It runs only while there are any.
 */
export function createLateSignals(clock: Clock): LateSignals {
  let gathered: Follower[] = [];

  const look = (): void => {
    const late = gathered;
    gathered = [];
    for (const follower of late) follower.follow();
  };
  return {
    add(follower): void {
      if (gathered.push(follower) === 1) clock.setTimer(look, LATE_MS);
    },
  };
}
