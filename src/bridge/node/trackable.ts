import type { Http2SessionLike } from './message.js';

/** The part of a connection that `trackConnections` uses. */
export interface TrackableSocket {
  /** How many bytes have arrived. */
  readonly bytesRead?: number | undefined;
  /** The address of the client. */
  readonly remoteAddress?: string | undefined;
  /** The port of the client. */
  readonly remotePort?: number | undefined;
  /** `h2` on a connection of HTTP/2 over TLS. */
  readonly alpnProtocol?: string | false | null | undefined;
  /** True when this side has been ended, and everything before was sent. */
  readonly writableFinished?: boolean | undefined;
  /** Listens once. */
  once(event: 'close', listener: () => void): unknown;
  /** Closes the connection when all written bytes have been sent. */
  end?(): unknown;
  /** Closes the connection at once. */
  destroy(): unknown;
}

/** The part of a response that `trackConnections` uses. */
export interface TrackableResponse {
  /** True when the headers have been sent. */
  readonly headersSent?: boolean | undefined;
  /** False: the connection is closed after this response. */
  shouldKeepAlive?: boolean | undefined;
  /** Listens for the end of the response. */
  on(event: 'close', listener: () => void): unknown;
}

/** The part of a server that `trackConnections` uses. `node:http`, `node:https` and `node:http2` servers fit. */
export interface TrackableServer {
  /** Listens for new connections. */
  on(event: 'connection' | 'secureConnection', listener: (socket: TrackableSocket) => void): unknown;
  on(event: 'session', listener: (session: Http2SessionLike) => void): unknown;
  /** Listens for requests, before all other listeners. */
  prependListener(
    event: 'request',
    listener: (
      request: {
        /** The connection of the request. */
        readonly socket: TrackableSocket;
      },
      response: TrackableResponse,
    ) => void,
  ): unknown;
  /** Stops listening. */
  close(): unknown;
}

/** An application of Express is an emitter as well; that it cannot be closed distinguishes it from its server. */
export const SERVER_FUNCTIONS: readonly string[] = ['close', 'emit', 'on', 'prependListener'];

/** How a server is described to a service that passes something else. */
export const A_SERVER = 'a server, as createServer(), listen() or serve() returned it';

/** A closed connection whose client does not close its side is destroyed after this time. */
export const LINGER_MS = 1_000;
