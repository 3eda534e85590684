/** What {@link trackConnections} needs of a connection. */
export interface TrackableSocket {
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

/** What {@link trackConnections} needs of a server: `node:http` and `node:https` servers have it. */
export interface TrackableServer {
  on(event: 'connection' | 'secureConnection', listener: (socket: TrackableSocket) => void): unknown;
  on(event: 'request', listener: (request: { readonly socket: TrackableSocket }) => void): unknown;
}

/** The connections of one server that have not been used yet. */
export interface ConnectionTracker {
  /** Closes connections on which no request ever came. */
  closeUnused(): void;
}

/**
 * Remembers connections on which no request has come yet. Node does not count them as idle, so without this a server that
 * closes waits for every load balancer that keeps a spare connection open. Call it before the server listens, and give
 * the result to `gracefulClose`.
 */
export function trackConnections(server: TrackableServer): ConnectionTracker {
  const unused = new Set<TrackableSocket>();
  const opened = (socket: TrackableSocket): void => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  };
  // a TLS server shows requests on the socket above the one it accepted
  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', opened);
  server.on('request', ({ socket }) => void unused.delete(socket));
  return {
    closeUnused() {
      for (const socket of unused) socket.destroy();
    },
  };
}
