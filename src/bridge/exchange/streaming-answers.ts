import { abortReason, type AbortReason } from './abort-reason.js';

/** The streaming answers of a bridge, which are ended when its server shuts down. */
export interface StreamingAnswers {
  /** An answer begins to stream. */
  add(exchange: AbortableExchange): void;
  /** A streaming answer has ended, in whatever way. */
  remove(exchange: AbortableExchange): void;
}

/** A request whose signal can be aborted. */
export interface AbortableExchange {
  abort(reason: AbortReason): void;
}

/** Aborts streaming answers when the shutdown signal does; without a signal it does nothing. */
export function createStreamingAnswers(signal: AbortSignal | undefined): StreamingAnswers {
  if (signal === undefined) return { add: () => undefined, remove: () => undefined };
  const open = new Set<AbortableExchange>();
  const reason = abortReason('server-closing');
  const close = (): void => {
    for (const exchange of open) exchange.abort(reason);
  };
  signal.addEventListener('abort', close, { once: true });
  return {
    add(exchange): void {
      open.add(exchange);
      if (signal.aborted) exchange.abort(reason);
    },
    remove: (exchange) => void open.delete(exchange),
  };
}
