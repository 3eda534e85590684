import type { AbortCode } from '../../model/abort-code.js';

interface AbortableExchange {
  abort(code: AbortCode): void;
}

/** Aborts the streaming responses of a bridge when the shutdown signal is aborted; without a signal it does nothing. */
export function createStreamingResponses(signal: AbortSignal | undefined) {
  const open = new Set<AbortableExchange>();
  const close = (): void => {
    for (const exchange of open) exchange.abort('server-closing');
  };
  signal?.addEventListener('abort', close);
  return {
    add(exchange: AbortableExchange): void {
      if (signal === undefined) return;
      open.add(exchange);
      if (signal.aborted) exchange.abort('server-closing');
    },
    remove: (exchange: AbortableExchange): void => void open.delete(exchange),
  };
}
