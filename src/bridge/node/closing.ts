import type { AbortReason } from '../abort-reason.js';
import { abortReason } from '../abort-reason.js';
import { isAcceptingLast } from './last-connections.js';
import type { Http2SessionLike } from './message.js';
import { http2Stream } from './message.js';
import type { NodeExchange } from './request.js';
import { waitingOn } from './request-order.js';

/** What a listener has to end when its server shuts down. */
export interface Closing {
  /** Called once for every request: remembers its HTTP/2 session. */
  onRequest(exchange: NodeExchange): void;
  /** The headers of an answer are about to be sent: after the shutdown began they tell that the connection ends with it. */
  beforeHead(exchange: NodeExchange): void;
  /** An answer begins to stream. */
  onStreamStart(exchange: NodeExchange): void;
  /** A streaming answer ended, in whatever way. */
  onStreamEnd(exchange: NodeExchange): void;
}

const nothing = (): void => undefined;

/** Follows the shutdown signal of a listener; one that has none is never closing. */
export function createClosing(signal: AbortSignal | undefined): Closing {
  if (signal === undefined)
    return { onRequest: nothing, beforeHead: nothing, onStreamStart: nothing, onStreamEnd: nothing };

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

  const rememberSession = (session: Http2SessionLike): void => {
    if (closing && !session.closed) session.close();
    if (closing || sessions.has(session)) return;
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  };
  const beforeHead = ({ req, res }: NodeExchange): void => {
    // Who has sent more requests without waiting could not know: the last of them tells.
    if (!closing || http2Stream(res) !== undefined || isAcceptingLast(req.socket)) return;
    if (waitingOn(req.socket) === 0) res.shouldKeepAlive = false;
  };

  return {
    onRequest(exchange): void {
      const session = http2Stream(exchange.req)?.session;
      if (session !== undefined) rememberSession(session);
    },
    beforeHead,
    onStreamStart(exchange): void {
      streaming.add(exchange);
      if (closing) exchange.abort(reason);
    },
    onStreamEnd(exchange): void {
      streaming.delete(exchange);
    },
  };
}
