import { atNextTurn, systemClock, type Clock } from './clock.js';

/** Milliseconds of all steps in one turn: others wait for it. */
const TURN_MS = 5;

/**
 * A function that waits between two long steps of work for a later turn of the event loop. Many requests may wait, so
 * the steps that follow are divided: those of one turn take 5 ms, and the rest of one.
 */
export function createSharedTurn(clock: Clock): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let turn = 0;
  let until = 0;
  /** One step for each callback, so that its microtasks are measured as well. */
  const plan = (planned: number): void =>
    atNextTurn(() => {
      if (planned === turn) {
        turn += 1;
        until = clock.monotonic() + TURN_MS;
      } else if (clock.monotonic() >= until) {
        return plan(turn);
      }
      waiting.shift()?.();
    });
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      plan(turn);
    });
}

/** For all requests of this copy of the package, because a thread has one event loop. */
export const sharedTurn: () => Promise<void> = /* @__PURE__ */ createSharedTurn(systemClock);
