import { http2Stream, type Http2SessionLike } from './message.js';
import type { NodeExchange } from './request.js';
import { waitingOn } from './request-order.js';
import { isAboutToStop } from './stop-listening.js';

/** Tells clients that the server shuts down. */
export interface Closing {
  /** Called once for every request: remembers its HTTP/2 session. */
  onRequest(exchange: NodeExchange): void;
  /** The headers of an answer are about to be sent: once the shutdown has begun they say that the connection ends with it. */
  beforeHead(exchange: NodeExchange): void;
}

/** Follows the shutdown signal of a listener; without a signal it does nothing. */
export function createClosing(signal: AbortSignal | undefined): Closing {
  if (signal === undefined) return { onRequest: () => undefined, beforeHead: () => undefined };

  const sessions = new Set<Http2SessionLike>();
  let closing = signal.aborted;
  const close = (): void => {
    closing = true;
    for (const session of sessions) session.close();
  };
  if (!closing) signal.addEventListener('abort', close, { once: true });

  return {
    onRequest({ req }): void {
      const session = http2Stream(req)?.session;
      if (session === undefined) return;
      if (closing && !session.closed) session.close();
      if (closing || sessions.has(session)) return;
      sessions.add(session);
      session.once('close', () => sessions.delete(session));
    },
    beforeHead({ req, res }): void {
      if (!closing || http2Stream(res) !== undefined || isAboutToStop(req.socket)) return;
      // Of pipelined requests only the last answer may say so.
      if (waitingOn(req.socket) === 0) res.shouldKeepAlive = false;
    },
  };
}
