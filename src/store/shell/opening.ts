import { messageOf } from '../../model/error-message.js';
import { untilAborted } from '../../clock/abortable.js';
import { systemClock } from '../../clock/clock.js';
import { isStoreError, storeError } from '../contract/errors.js';
import { createDelays } from '../../clock/backoff.js';
import type { ReopeningPauses } from './store-engine.js';

export type Opening = ReturnType<typeof createOpening>;

/**
 * Returns the error for calls that wait for a failed opening: they changed nothing, whatever the opening wrote, and
 * reads are refused with it, even if only a write of the opening was.
 */
function asUnavailable(cause: unknown): Error {
  if (isStoreError(cause) && cause.code !== 'unknown-outcome' && cause.onlyWrites !== true) return cause;
  return storeError('unavailable', messageOf(cause), { cause });
}

/** Opens an engine in the background, at once; after a failure the next call tries again, with growing pauses. */
export function createOpening(open: () => Promise<void>, reopening: ReopeningPauses = {}) {
  const { clock = systemClock, firstMs, longestMs } = reopening;
  const delays = createDelays(firstMs, longestMs);
  let attempt = Promise.resolve();
  let retryAt = Infinity;
  let isOpen = false;
  const closing = new AbortController();

  const begin = (): void => {
    retryAt = Infinity;
    const opening = (async () => open())().then(
      () => void (isOpen = true),
      (error: unknown) => {
        retryAt = clock.monotonic() + delays.next();
        throw asUnavailable(error);
      },
    );
    // Wrapped once for all waiting callers, because each wrapper adds a listener.
    attempt = untilAborted(opening, closing.signal);
    attempt.catch(() => undefined);
  };
  begin();

  return {
    get isOpen(): boolean {
      return isOpen;
    },
    /** Resolves when the engine is open. Fails with the error of the last attempt during the pause after it. */
    ready(): Promise<void> {
      if (clock.monotonic() >= retryAt) begin();
      return attempt;
    },
    close: (error: Error): void => closing.abort(error),
  };
}
