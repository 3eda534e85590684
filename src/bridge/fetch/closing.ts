import type { AbortReason } from '../abort-reason.js';
import { abortReason } from '../abort-reason.js';
import type { FetchExchange } from './request.js';

/** What a fetch handler has to end when its server shuts down. */
export interface FetchClosing {
  /** An answer begins to stream. */
  opened(exchange: FetchExchange): void;
  /** A streaming answer ended, in whatever way. */
  ended(exchange: FetchExchange): void;
}

/** Follows the shutdown signal of a fetch handler; one that has none is never closing. */
export function createFetchClosing(signal: AbortSignal | undefined): FetchClosing {
  const streaming = new Set<FetchExchange>();
  const reason: AbortReason = abortReason('server-closing');
  signal?.addEventListener(
    'abort',
    () => {
      for (const exchange of streaming) exchange.abort(reason);
    },
    { once: true },
  );
  return {
    opened(exchange): void {
      if (signal === undefined) return;
      streaming.add(exchange);
      if (signal.aborted) exchange.abort(reason);
    },
    ended(exchange): void {
      streaming.delete(exchange);
    },
  };
}
