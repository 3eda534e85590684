import { systemClock } from '../../clock/clock.js';
import { isStoreError, storeError } from '../contract/errors.js';
import { createDelays } from '../../clock/backoff.js';
import type { ReopeningPauses } from './store-engine.js';

export type Opening = ReturnType<typeof createOpening>;

/** A failed opening changed nothing, whatever became of its own writes. */
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
  let leave: (error: Error) => void = () => undefined;
  const closed = new Promise<never>((_resolve, reject) => {
    leave = reject;
  });
  closed.catch(() => undefined);

  const begin = (): void => {
    retryAt = Infinity;
    attempt = open().then(
      () => void (isOpen = true),
      (error: unknown) => {
        retryAt = clock.monotonic() + delays.next();
        throw asUnavailable(error);
      },
    );
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
      return Promise.race([attempt, closed]);
    },
    /** Whoever waits fails with this error. */
    close: (error: Error): void => leave(error),
  };
}
