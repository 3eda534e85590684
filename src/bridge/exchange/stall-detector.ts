import type { Clock } from '../../clock/clock.js';

export interface Transfer {
  /** Returns a number that changes whenever the client reads; `undefined` while nothing waits for the client. */
  progress(): number | undefined;
  /** Ends the response of a stalled client and releases its source. Called once, and never after a removal. */
  abandon(): void;
}

/** A stalled client is detected late by at most a twelfth of the timeout. */
const SWEEPS_IN_TIMEOUT = 12;
const MAX_SWEEP_MS = 5_000;

interface Entry {
  progress: number | undefined;
  /** Monotonic milliseconds of the last change. */
  since: number;
  readonly until: number;
}

/**
 * Ends responses whose clients have stopped reading. One timer checks all of them: one for each write would cost as
 * much as a watch's frame, and does not see whether a watch merely has nothing to send.
 */
export function createStallDetector(clock: Clock, stallTimeoutMs: number) {
  const entries = new Map<Transfer, Entry>();
  const sweepMs = Math.min(stallTimeoutMs / SWEEPS_IN_TIMEOUT, MAX_SWEEP_MS);
  let sweeping = false;

  const sweep = (): void => {
    sweeping = false;
    const now = clock.monotonic();
    for (const [transfer, entry] of entries) {
      const progress = transfer.progress();
      if (progress === undefined || progress !== entry.progress) {
        entry.progress = progress;
        entry.since = now;
      }
      if (now - entry.since < stallTimeoutMs && now < entry.until) continue;
      entries.delete(transfer);
      transfer.abandon();
    }
    arm();
  };
  const arm = (): void => {
    if (sweeping || entries.size === 0) return;
    sweeping = true;
    clock.setTimer(sweep, sweepMs);
  };
  return {
    /** Adds a response. `longestMs` is how long it may take even if the client reads. Default: no limit. */
    add(transfer: Transfer, longestMs: number = Infinity): void {
      if (stallTimeoutMs === Infinity) return;
      const now = clock.monotonic();
      entries.set(transfer, { progress: transfer.progress(), since: now, until: now + longestMs });
      arm();
    },
    remove: (transfer: Transfer): void => void entries.delete(transfer),
  };
}
