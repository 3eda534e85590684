import type { Clock } from '../../clock/clock.js';
import { hasFunctions } from '../../options/rules.js';
import { LINGER_MS } from './trackable.js';

interface UnusedSocket {
  readonly bytesRead?: number | undefined;
  end(): unknown;
  destroy(): unknown;
}

/**
 * Closes connections on which nothing was ever sent, which `closeIdleConnections` leaves open as requests whose headers
 * are late. Only for servers without a `ConnectionTracker`, which tracks all connections.
 */
export function createUnusedCloser(server: object, clock: Clock): () => void {
  const ended = new Map<UnusedSocket, number>();
  return () => {
    const now = clock.monotonic();
    for (const socket of connectionsOf(server)) {
      if (socket.bytesRead !== 0) continue;
      const since = ended.get(socket);
      if (since === undefined) {
        ended.set(socket, now);
        // Not destroyed: the operating system would respond to a request in transit with a reset.
        socket.end();
      } else if (now - since >= LINGER_MS) socket.destroy();
    }
  };
}

/** Node's list of HTTP/1 connections is internal: without it, unused ones stay open until the drain timeout. */
function connectionsOf(server: object): readonly UnusedSocket[] {
  const key = Object.getOwnPropertySymbols(server).find(({ description }) => description === 'http.server.connections');
  const list = key && (server as Record<symbol, { all?: () => readonly { readonly socket?: unknown }[] }>)[key];
  const parsers = typeof list?.all === 'function' ? list.all() : [];
  const sockets = parsers.map(({ socket }) => socket);
  return sockets.filter((socket): socket is UnusedSocket => hasFunctions(socket, ['end', 'destroy']));
}
