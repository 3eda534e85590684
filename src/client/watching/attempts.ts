import type { createBackoff } from '../../clock/backoff.js';
import type { FailureSeries } from '../../observe/failure-series.js';
import { isExpired, isTransportClosed } from '../contract/errors.js';
import { MAX_RETRY_AFTER_MS, requestedPause } from '../requests/repeat.js';
import { isFailure, isFinal, isRefusedResume, isRewound } from './refusals.js';
import type { SilenceLimit } from './silence.js';

/** How often in a row a server may refuse to resume before a list is read instead. */
const MAX_REFUSALS = 3;

/** The outcomes of a follower's attempts, which decide about the next one. `isListing`: it requests no position. */
export function createAttempts(
  reports: FailureSeries,
  backoff: ReturnType<typeof createBackoff>,
  silence: SilenceLimit,
) {
  /** An attempt has worked: refusals from now on may be temporary. */
  let hasWorked = false;
  let refusals = 0;
  /** Attempts in a row that failed. A single one is a lost connection, which is not reported. */
  let failures = 0;
  /** One of them was a watch's: only a watch shows that they are over. */
  let hasWatchFailed = false;

  const accept = (): void => {
    failures = 0;
    hasWatchFailed = false;
    reports.worked();
  };
  const count = (error: unknown, isListing: boolean): void => {
    failures += 1;
    hasWatchFailed ||= !isListing;
    if (failures > 1) reports.failed(error);
  };
  const isRefusedTooOften = (error: unknown): boolean => {
    if (!hasWorked || !isRefusedResume(error)) return false;
    refusals += 1;
    return refusals >= MAX_REFUSALS;
  };

  return {
    /** The server responds to a request that does not show whether the one that failed works again. */
    reached(): void {
      hasWorked = true;
    },
    listed(): void {
      hasWorked = true;
      if (!hasWatchFailed) accept();
    },
    /** A watch works, although the server may have nothing to send: earlier failures are over. */
    accepted: (): void => accept(),
    /** A watch resumes from the position: the next attempt need not wait. */
    progressed(): void {
      hasWorked = true;
      accept();
      refusals = 0;
      backoff.reset();
    },
    /** Whether a failure means that the history no longer has the changes. @throws the error that ends the follower */
    isLost(error: unknown, isListing: boolean): boolean {
      if (isFailure(error, 'unordered') || isTransportClosed(error)) throw error;
      if (isListing || !(isRewound(error) || isExpired(error) || isRefusedTooOften(error))) return false;
      refusals = 0;
      count(error, isListing);
      return true;
    },
    /** Counts any other failure, and returns the pause that the server requests. @throws a permanent error */
    failed(error: unknown, isListing: boolean): number {
      if (isFailure(error, 'silent')) {
        silence.exceeded();
        return 0;
      }
      if (!hasWorked && isFinal(error)) throw error;
      count(error, isListing);
      return requestedPause(error, MAX_RETRY_AFTER_MS);
    },
  };
}
