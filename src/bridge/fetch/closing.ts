import type { AbortReason } from '../abort-reason.js';
import { abortReason } from '../abort-reason.js';
import type { FetchExchange } from './request.js';

/** What a fetch handler has to end when its server shuts down. */
export interface FetchClosing {
  /** An answer begins to stream. */
  onStreamStart(exchange: FetchExchange): void;
  /** A streaming answer ended, in whatever way. */
  onStreamEnd(exchange: FetchExchange): void;
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
    onStreamStart(exchange): void {
      if (signal === undefined) return;
      streaming.add(exchange);
      if (signal.aborted) exchange.abort(reason);
    },
    onStreamEnd(exchange): void {
      streaming.delete(exchange);
    },
  };
}
