import type { Clock } from '../clock/clock.js';

/** Bytes on their way to a client. */
export interface Outflow {
  /** A number that changes when the client takes some of what waits for it; `undefined` while nothing waits. */
  taken(): number | undefined;
  /** The client takes nothing: ends the answer and lets go of what it holds. Called once, and never after a removal. */
  giveUp(): void;
}

/** Ends answers whose clients have stopped reading. */
export interface StallWatch {
  /** `longestMs` is how long the answer may take although it moves. Default: for ever. */
  add(outflow: Outflow, longestMs?: number): void;
  remove(outflow: Outflow): void;
}

/** Checked often enough that no reader stays much longer than the timeout, and rarely enough to cost nothing. */
const SWEEPS_IN_TIMEOUT = 12;
const LONGEST_SWEEP_MS = 5_000;

interface Entry {
  taken: number | undefined;
  /** Monotonic milliseconds of the last change. */
  since: number;
  readonly until: number;
}

/**
 * Looks at all open answers with one timer, which runs only while there are any. A timer for each write, as `setTimeout` of
 * a socket has, would cost as much as a watch's frame, and cannot tell a client that takes nothing from a watch that
 * has nothing to say.
 */
export function createStallWatch(clock: Clock, stallTimeoutMs: number): StallWatch {
  if (stallTimeoutMs === Infinity) return { add: () => undefined, remove: () => undefined };

  const entries = new Map<Outflow, Entry>();
  const sweepMs = Math.min(stallTimeoutMs / SWEEPS_IN_TIMEOUT, LONGEST_SWEEP_MS);
  let sweeping = false;

  const sweep = (): void => {
    sweeping = false;
    const now = clock.monotonic();
    for (const [outflow, entry] of entries) {
      const taken = outflow.taken();
      if (taken === undefined || taken !== entry.taken) {
        entry.taken = taken;
        entry.since = now;
      }
      if (now - entry.since < stallTimeoutMs && now < entry.until) continue;
      entries.delete(outflow);
      outflow.giveUp();
    }
    arm();
  };
  const arm = (): void => {
    if (sweeping || entries.size === 0) return;
    sweeping = true;
    clock.setTimer(sweep, sweepMs);
  };
  return {
    add(outflow, longestMs = Infinity): void {
      const now = clock.monotonic();
      entries.set(outflow, { taken: outflow.taken(), since: now, until: now + longestMs });
      arm();
    },
    remove: (outflow) => void entries.delete(outflow),
  };
}
