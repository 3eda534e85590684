import type { AbortReason } from '../abort-reason.js';
import { abortReason } from '../abort-reason.js';
import type { Http2SessionLike } from './message.js';
import { http2Stream } from './message.js';
import type { NodeExchange } from './request.js';

/** What a listener has to end when its server shuts down. */
export interface Closing {
  /** Every request comes by here once. After the shutdown began, its connection is told to end with it. */
  meet(exchange: NodeExchange): void;
  /** An answer begins to stream. */
  opened(exchange: NodeExchange): void;
  /** A streaming answer ended, in whatever way. */
  ended(exchange: NodeExchange): void;
}

/** Follows the shutdown signal of a listener; one that has none is never closing. */
export function createClosing(signal: AbortSignal | undefined): Closing {
  if (signal === undefined) return { meet: () => undefined, opened: () => undefined, ended: () => undefined };

  const reason: AbortReason = abortReason('server-closing');
  const streaming = new Set<NodeExchange>();
  const sessions = new Set<Http2SessionLike>();
  let closing = signal.aborted;
  const close = (): void => {
    closing = true;
    for (const exchange of streaming) exchange.abort(reason);
    for (const session of sessions) session.close();
  };
  if (!closing) signal.addEventListener('abort', close, { once: true });

  const meetSession = (session: Http2SessionLike): void => {
    if (closing && !session.closed) session.close();
    if (closing || sessions.has(session)) return;
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  };

  return {
    meet(exchange): void {
      const session = http2Stream(exchange.req)?.session;
      if (session !== undefined) meetSession(session);
      else if (closing) exchange.res.shouldKeepAlive = false;
    },
    opened(exchange): void {
      streaming.add(exchange);
      if (closing) exchange.abort(reason);
    },
    ended(exchange): void {
      streaming.delete(exchange);
    },
  };
}
