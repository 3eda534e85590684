import type { NodeIncoming, NodeOutgoing, NodeSocket } from './message.js';

/** Tells when the client of a request is gone, or the answer is over. */
export interface CloseWatch {
  onClose(req: NodeIncoming, res: NodeOutgoing, callback: () => void): void;
}

/**
 * A pipelined answer of HTTP/1 has no socket until its turn comes, and Node never tells it that the connection closed.
 * Those watch the socket instead, through one listener for each socket, however many requests wait on it.
 */
export function createCloseWatch(): CloseWatch {
  const waiting = new WeakMap<NodeSocket, Set<() => void>>();

  const onSocketClose = (socket: NodeSocket, callback: () => void): (() => void) => {
    let callbacks = waiting.get(socket);
    if (callbacks === undefined) {
      const all = new Set<() => void>();
      callbacks = all;
      waiting.set(socket, all);
      socket.once('close', () => {
        for (const each of all) each();
        all.clear();
      });
    }
    callbacks.add(callback);
    return () => callbacks.delete(callback);
  };

  return {
    onClose(req, res, callback): void {
      if (res.socket !== null || req.socket === null) {
        res.once('close', callback);
        return;
      }
      const forget = onSocketClose(req.socket, callback);
      res.once('close', () => {
        forget();
        callback();
      });
    },
  };
}
