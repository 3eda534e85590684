import { http2Stream, type Http2SessionLike } from './message.js';
import type { NodeExchange } from './node-exchange.js';
import { queuedRequests } from './request-order.js';
import { isAboutToStop } from './stop-listening.js';

export type Closing = ReturnType<typeof createClosing>;

/** Announces the shutdown to clients once the signal of a listener aborts; without a signal it does nothing. */
export function createClosing(signal: AbortSignal | undefined) {
  const sessions = new Set<Http2SessionLike>();
  let closing = signal?.aborted === true;
  const close = (): void => {
    closing = true;
    for (const session of sessions) session.close();
  };
  signal?.addEventListener('abort', close);

  return {
    onRequest({ req }: NodeExchange): void {
      if (signal === undefined) return;
      const session = http2Stream(req)?.session;
      if (session === undefined) return;
      if (closing && !session.closed) session.close();
      if (closing || sessions.has(session)) return;
      sessions.add(session);
      session.once('close', () => sessions.delete(session));
    },
    beforeHead({ req, res }: NodeExchange): void {
      if (!closing || http2Stream(res) !== undefined || isAboutToStop(req.socket)) return;
      // Of pipelined requests only the last response may have it.
      if (queuedRequests(req.socket) === 0) res.shouldKeepAlive = false;
    },
  };
}
