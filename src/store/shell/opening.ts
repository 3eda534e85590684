import { untilAborted } from '../../clock/abortable.js';
import { systemClock } from '../../clock/clock.js';
import { isStoreError, storeError } from '../contract/errors.js';
import { createDelays } from '../../clock/backoff.js';
import type { ReopeningPauses } from './store-engine.js';

export type Opening = ReturnType<typeof createOpening>;

/** A failed opening changed nothing, whatever happened to its own writes. */
function asUnavailable(cause: unknown): Error {
  if (isStoreError(cause) && cause.code !== 'unknown-outcome') return cause;
  return storeError('unavailable', cause instanceof Error ? cause.message : String(cause), { cause });
}

/**
 * Opens an engine in the background. It begins at once; after a failure the next call tries again, with growing pauses
 * between attempts.
 */
export function createOpening(open: () => Promise<void>, reopening: ReopeningPauses = {}) {
  const { clock = systemClock, firstMs, longestMs } = reopening;
  const delays = createDelays(firstMs, longestMs);
  let attempt = Promise.resolve();
  let retryAt = Infinity;
  let isOpen = false;
  const closing = new AbortController();

  const begin = (): void => {
    retryAt = Infinity;
    const opening = open().then(
      () => void (isOpen = true),
      (error: unknown) => {
        retryAt = clock.monotonic() + delays.next();
        throw asUnavailable(error);
      },
    );
    // Once for all callers that wait: each would add a listener.
    attempt = untilAborted(opening, closing.signal);
    attempt.catch(() => undefined);
  };
  begin();

  return {
    get isOpen(): boolean {
      return isOpen;
    },
    /** Resolves when it is open. Fails with the error of the last attempt while the pause after that one lasts. */
    ready(): Promise<void> {
      if (clock.monotonic() >= retryAt) begin();
      return attempt;
    },
    /** Callers that wait fail with this error. */
    close: (error: Error): void => closing.abort(error),
  };
}
