import { abortReason, type AbortReason } from './abort-reason.js';

export type StreamingAnswers = ReturnType<typeof createStreamingAnswers>;

/** A request whose signal can be aborted. */
interface AbortableExchange {
  abort(reason: AbortReason): void;
}

/**
 * Creates the set of streaming answers of a bridge, which are aborted when the shutdown signal is; without a signal it
 * does nothing.
 */
export function createStreamingAnswers(signal: AbortSignal | undefined) {
  const open = new Set<AbortableExchange>();
  const reason = abortReason('server-closing');
  const close = (): void => {
    for (const exchange of open) exchange.abort(reason);
  };
  signal?.addEventListener('abort', close, { once: true });
  return {
    /** Adds an answer that begins to stream. */
    add(exchange: AbortableExchange): void {
      if (signal === undefined) return;
      open.add(exchange);
      if (signal.aborted) exchange.abort(reason);
    },
    /** Removes a streaming answer that has ended, for whatever reason. */
    remove: (exchange: AbortableExchange): void => void open.delete(exchange),
  };
}
