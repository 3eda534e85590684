import { abortReason, type AbortReason } from './abort-reason.js';

export type StreamingResponses = ReturnType<typeof createStreamingResponses>;

interface AbortableExchange {
  abort(reason: AbortReason): void;
}

/** Aborts the streaming responses of a bridge when the shutdown signal is aborted; without a signal it does nothing. */
export function createStreamingResponses(signal: AbortSignal | undefined) {
  const open = new Set<AbortableExchange>();
  const reason = abortReason('server-closing');
  const close = (): void => {
    for (const exchange of open) exchange.abort(reason);
  };
  signal?.addEventListener('abort', close, { once: true });
  return {
    add(exchange: AbortableExchange): void {
      if (signal === undefined) return;
      open.add(exchange);
      if (signal.aborted) exchange.abort(reason);
    },
    remove: (exchange: AbortableExchange): void => void open.delete(exchange),
  };
}
