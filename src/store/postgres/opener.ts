import type { Clock } from '../../clock/clock.js';

/** Opens in the background, and again after a failure. */
export interface Opener {
  /** It is open. */
  readonly isOpen: boolean;
  /** Resolves when it is open. Fails with the error of the last attempt while the pause after that one lasts. */
  ready(): Promise<void>;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Begins to open at once. After a failure the next call tries again, with growing pauses between attempts. */
export function createOpener(open: () => Promise<void>, timers: Clock): Opener {
  let pause = FIRST_PAUSE_MS;
  let opening = Promise.resolve();
  let retryAt = Infinity;
  let isOpen = false;

  const attempt = (): void => {
    retryAt = Infinity;
    opening = open();
    opening.then(
      () => {
        isOpen = true;
      },
      () => {
        retryAt = timers.monotonic() + pause;
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      },
    );
  };
  attempt();

  return {
    get isOpen() {
      return isOpen;
    },
    ready() {
      if (timers.monotonic() >= retryAt) attempt();
      return opening;
    },
  };
}
