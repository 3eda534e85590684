import type { createBackoff } from '../../clock/backoff.js';
import type { FailureSeries } from '../../observe/failure-series.js';
import { isExpired, isStatusError } from '../contract/status-error.js';
import { isSilentConnection } from './one-connection.js';
import { isDoubtful, isFinal, isHopeless, isRefusedResume } from './refusals.js';
import type { SilenceLimit } from './silence.js';

/** The longest pause that a server can ask for, in milliseconds. */
const LONGEST_RETRY_AFTER_MS = 300_000;
/** How often in a row a server may refuse to go on before a list is read instead. */
const MAX_REFUSALS = 3;

/** What earlier attempts to follow a server say about the next one. */
export interface Attempts {
  /** The server answers: what failed before is over. */
  answered(): void;
  /** It goes on from the position: the next attempt need not wait. */
  progressed(): void;
  /**
   * Whether a failure means that the server no longer knows what comes after the position.
   *
   * @param isListing there is no position yet: a list is read, or comes first
   * @throws what ends the follower for good
   */
  isLost(error: unknown, isListing: boolean): boolean;
  /**
   * Takes any other failure into account.
   *
   * @returns how long the server asks to wait, in milliseconds
   * @throws what cannot be cured by trying again
   */
  failed(error: unknown): number;
}

/** Judges the attempts of one follower. */
export function createAttempts(
  series: FailureSeries,
  backoff: ReturnType<typeof createBackoff>,
  silence: SilenceLimit,
): Attempts {
  /** Something has worked: from now on refusals may pass. */
  let hasWorked = false;
  let refusals = 0;
  /** Attempts in a row that failed. One is a lost connection, of which nobody needs to hear. */
  let failures = 0;

  const answered = (): void => {
    hasWorked = true;
    failures = 0;
    series.worked();
  };
  /** Whether the server refuses the position again and again, for whatever reason. */
  const isRefusedTooOften = (error: unknown, isListing: boolean): boolean => {
    if (isListing || !hasWorked || !isRefusedResume(error)) return false;
    refusals += 1;
    return refusals >= MAX_REFUSALS;
  };
  return {
    answered,
    progressed() {
      answered();
      refusals = 0;
      backoff.reset();
    },
    isLost(error, isListing) {
      if (isHopeless(error)) throw error;
      const isLost = isDoubtful(error) || isExpired(error) || isRefusedTooOften(error, isListing);
      if (isLost) refusals = 0;
      return isLost;
    },
    failed(error) {
      if (isSilentConnection(error)) {
        silence.gaveUp();
        return 0;
      }
      if (!hasWorked && isFinal(error)) throw error;
      failures += 1;
      if (failures > 1) series.failed(error);
      const asked = isStatusError(error) ? (error.retryAfterMs ?? 0) : 0;
      return Math.min(Math.max(asked, 0), LONGEST_RETRY_AFTER_MS);
    },
  };
}
