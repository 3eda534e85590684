import { setImmediate } from 'node:timers';
import { optionFaults, throwFaults } from '../../options/check-options.js';
import { aClock, anObjectWith, required } from '../../options/rules.js';
import { type Clock, systemClock } from '../../clock/clock.js';
import { ordersRequests, REQUEST_CAME } from './order-requests.js';

/** What {@link trackConnections} needs of a connection. */
export interface TrackableSocket {
  readonly bytesRead?: number | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  /** `h2` on a connection of HTTP/2 over TLS. */
  readonly alpnProtocol?: string | false | null | undefined;
  once(event: 'close', listener: () => void): unknown;
  end?(): unknown;
  destroy(): unknown;
}

/** What {@link trackConnections} needs of an answer. */
export interface TrackableAnswer {
  readonly headersSent?: boolean;
  shouldKeepAlive?: boolean;
  on(event: 'close', listener: () => void): unknown;
}

/** What {@link trackConnections} needs of a server: `node:http`, `node:https` and `node:http2` servers have it. */
export interface TrackableServer {
  on(event: 'connection' | 'secureConnection', listener: (socket: TrackableSocket) => void): unknown;
  prependListener(
    event: 'request',
    listener: (request: { readonly socket: TrackableSocket }, answer: TrackableAnswer) => void,
  ): unknown;
}

/** The connections of one server, for `gracefulClose`. */
export interface ConnectionTracker {
  /**
   * From now on every answer whose headers are still to be sent says `Connection: close`. Of answers that a client waits
   * for in line on one connection it is the last.
   */
  startDraining(): void;
  /**
   * Closes the connections on which nothing has been under way for so many milliseconds since the draining began, those on
   * which no request ever came among them. What the system has received by now is read first.
   */
  closeIdle(idleMs: number): void;
  /** Cuts every connection. */
  cut(): void;
}

const aTrackableServer = /* @__PURE__ */ anObjectWith(
  ['on', 'prependListener'],
  'a server, as createServer() or serve() returned it',
);

/** A connection that was closed and whose client does not close it in turn is cut after this long. */
const LINGER_MS = 1_000;

interface Connection {
  readonly socket: TrackableSocket;
  /** Answers that are not finished. */
  open: number;
  /** The one of them that came last. */
  last: TrackableAnswer | undefined;
  /** Sessions of HTTP/2 end by themselves when they are told to go. */
  readonly http2: boolean;
  bytesRead: number;
  /** Monotonic milliseconds since when nothing is under way; of use while draining. */
  since: number;
  ended: boolean;
}

/**
 * Remembers the connections of a server and what is under way on them. Node closes idle connections without a word, which
 * resets a request that is on its way, and does not know those on which no request ever came, so that a server that closes
 * waits for every load balancer that keeps a spare connection open. Call it before the server listens, and give the
 * result to `gracefulClose`. A request costs it two look-ups.
 *
 * @throws TypeError that names every fault of the arguments.
 */
export function trackConnections(
  server: TrackableServer,
  options: { readonly clock?: Clock | undefined } = {},
): ConnectionTracker {
  throwFaults('trackConnections', [
    ...required(aTrackableServer)(server, 'the first argument'),
    ...optionFaults(options, { clock: aClock }),
  ]);
  const { clock = systemClock } = options;
  const connections = new Map<TrackableSocket, Connection>();
  /** Sockets of TLS connections that are still to be agreed on, by the client's address and port. */
  const handshakes = new Map<string, TrackableSocket>();
  const tls = 'setSecureContext' in server;
  const onlyHttp2 = !tls && !('closeIdleConnections' in server);
  let draining = false;

  const opened = (socket: TrackableSocket): Connection => {
    const connection: Connection = {
      socket,
      open: 0,
      last: undefined,
      http2: onlyHttp2 || socket.alpnProtocol === 'h2',
      bytesRead: 0,
      since: clock.monotonic(),
      ended: false,
    };
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
    return connection;
  };
  if (tls) {
    server.on('connection', (socket) => {
      const key = addressOf(socket);
      handshakes.set(key, socket);
      opened(socket);
      socket.once('close', () => {
        if (handshakes.get(key) === socket) handshakes.delete(key);
      });
    });
  }
  // A TLS server shows requests on the socket above the one it accepted.
  server.on(tls ? 'secureConnection' : 'connection', (socket) => {
    const below = handshakes.get(addressOf(socket));
    if (below !== undefined) {
      handshakes.delete(addressOf(socket));
      connections.delete(below);
    }
    opened(socket);
  });

  // One listener for all answers: `this` is the answer.
  function onAnswered(this: TrackableAnswer & { readonly req?: { readonly socket: TrackableSocket } }): void {
    const connection = this.req === undefined ? undefined : connections.get(this.req.socket);
    if (connection === undefined) return;
    connection.open -= 1;
    if (connection.open === 0) connection.last = undefined;
    if (draining) connection.since = clock.monotonic();
  }
  const isLast = (answer: TrackableAnswer | undefined, last: boolean): void => {
    if (answer !== undefined && answer.headersSent !== true) answer.shouldKeepAlive = !last;
  };
  const came = (request: { readonly socket: TrackableSocket }, answer: TrackableAnswer): void => {
    if ('stream' in request) return; // HTTP/2
    const connection = connections.get(request.socket) ?? opened(request.socket);
    if (draining) {
      isLast(connection.last, false);
      isLast(answer, true);
    }
    connection.open += 1;
    connection.last = answer;
    answer.on('close', onAnswered);
  };
  // A request that waits for its turn is under way as well.
  (server as unknown as { on(event: symbol, listener: typeof came): unknown }).on(REQUEST_CAME, came);
  server.prependListener('request', (request, answer) => {
    if (!ordersRequests(server)) came(request, answer);
  });

  const isIdle = (connection: Connection, now: number, idleMs: number): boolean => {
    const { socket, open, http2 } = connection;
    const bytesRead = socket.bytesRead ?? 0;
    if (open > 0 || bytesRead !== connection.bytesRead) connection.since = now;
    connection.bytesRead = bytesRead;
    // Asked for apart: without any grace the time since is no answer.
    return open === 0 && !http2 && now - connection.since >= idleMs;
  };
  const close = (connection: Connection, now: number, idleMs: number): void => {
    const { socket } = connection;
    if (connection.ended) {
      if (now - connection.since >= LINGER_MS) socket.destroy();
    } else if (isIdle(connection, now, idleMs)) {
      connection.ended = true;
      connection.since = now;
      // Not destroyed: whatever comes until the client has heard of it would be answered with a reset.
      if (socket.end === undefined) socket.destroy();
      else socket.end();
    }
  };
  return {
    startDraining(): void {
      draining = true;
      const now = clock.monotonic();
      for (const connection of connections.values()) {
        connection.since = now;
        connection.bytesRead = connection.socket.bytesRead ?? 0;
        isLast(connection.last, true);
      }
    },
    closeIdle(idleMs): void {
      setImmediate(() => {
        const now = clock.monotonic();
        for (const connection of connections.values()) close(connection, now, idleMs);
      });
    },
    cut(): void {
      for (const { socket } of connections.values()) socket.destroy();
    },
  };
}

function addressOf({ remoteAddress, remotePort }: TrackableSocket): string {
  return `${remoteAddress} ${remotePort}`;
}
