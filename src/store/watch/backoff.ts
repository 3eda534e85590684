import type { Clock } from '../../clock/clock.js';

const FIRST_MS = 100;
const LONGEST_MS = 5_000;

/** Growing pauses between attempts. */
export interface Backoff {
  /** Waits: 100 ms at first, twice as long each time, at most 5 s, each shortened by up to half at random. */
  pause(signal: AbortSignal): Promise<void>;
  /** It worked: the next pause is short again. */
  reset(): void;
}

/** Makes a {@link Backoff} that waits on `clock`. A pause ends early when its signal is aborted. */
export function createBackoff(clock: Clock): Backoff {
  let delay = FIRST_MS;
  return {
    pause(signal) {
      // Replicas that lost the same database should not all come back in the same moment.
      const wait = delay * (1 - Math.random() / 2);
      delay = Math.min(delay * 2, LONGEST_MS);
      return new Promise((resolve) => {
        const done = (): void => {
          timer.cancel();
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = clock.setTimer(done, wait);
        if (signal.aborted) done();
        else signal.addEventListener('abort', done);
      });
    },
    reset() {
      delay = FIRST_MS;
    },
  };
}
