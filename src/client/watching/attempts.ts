import type { createBackoff } from '../../clock/backoff.js';
import type { FailureSeries } from '../../observe/failure-series.js';
import { isExpired, isTransportClosed } from '../contract/errors.js';
import { requestedPause } from '../requests/repeat.js';
import { isFailure, isFinal, isRefusedResume, isRewound } from './refusals.js';
import type { SilenceLimit } from './silence.js';

/** The longest pause that a server can ask for, in milliseconds. */
const MAX_RETRY_AFTER_MS = 300_000;
/** How often in a row a server may refuse to resume before a list is read instead. */
const MAX_REFUSALS = 3;

/** The outcomes of the attempts of one follower, which decide about the next attempt. */
export class Attempts {
  readonly #series;
  readonly #backoff;
  readonly #silence;
  /** An attempt has worked: refusals from now on may be temporary. */
  #hasWorked = false;
  #refusals = 0;
  /** Attempts in a row that failed. A single one is a lost connection, which is not reported. */
  #failures = 0;
  /** One of them was a watch's: only a watch shows that they are over. */
  #hasWatchFailed = false;

  constructor(series: FailureSeries, backoff: ReturnType<typeof createBackoff>, silence: SilenceLimit) {
    this.#series = series;
    this.#backoff = backoff;
    this.#silence = silence;
  }

  /** The server answers a request that does not show whether the one that failed works again. */
  reached(): void {
    this.#hasWorked = true;
  }

  /** A list was read to its end. */
  listed(): void {
    this.reached();
    if (!this.#hasWatchFailed) this.accepted();
  }

  /** A watch works, although the server may have nothing to send: earlier failures are over. */
  accepted(): void {
    this.#failures = 0;
    this.#hasWatchFailed = false;
    this.#series.worked();
  }

  /** It resumes from the position: the next attempt need not wait. */
  progressed(): void {
    this.reached();
    this.accepted();
    this.#refusals = 0;
    this.#backoff.reset();
  }

  /**
   * Whether a failure means that the server no longer knows what comes after the position.
   *
   * @param isListing there is no position yet: a list is read, or comes first
   * @throws the error that ends the follower for good
   */
  isLost(error: unknown, isListing: boolean): boolean {
    if (isFailure(error, 'hopeless') || isTransportClosed(error)) throw error;
    if (isListing || !(isRewound(error) || isExpired(error) || this.#isRefusedTooOften(error))) return false;
    this.#refusals = 0;
    this.#count(error, isListing);
    return true;
  }

  /** Whether the server refuses the position again and again, for whatever reason. */
  #isRefusedTooOften(error: unknown): boolean {
    if (!this.#hasWorked || !isRefusedResume(error)) return false;
    this.#refusals += 1;
    return this.#refusals >= MAX_REFUSALS;
  }

  /**
   * Takes any other failure into account.
   *
   * @param isListing as of {@link Attempts.isLost}
   * @returns how long the server asks to wait, in milliseconds
   * @throws an error that cannot be cured by trying again
   */
  failed(error: unknown, isListing: boolean): number {
    if (isFailure(error, 'silent')) {
      this.#silence.exceeded();
      return 0;
    }
    if (!this.#hasWorked && isFinal(error)) throw error;
    this.#count(error, isListing);
    return requestedPause(error, MAX_RETRY_AFTER_MS);
  }

  #count(error: unknown, isListing: boolean): void {
    this.#failures += 1;
    this.#hasWatchFailed ||= !isListing;
    if (this.#failures > 1) this.#series.failed(error);
  }
}
