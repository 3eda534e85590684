import { optionFaults, throwFaults } from '../../options/check-options.js';
import { aClock } from '../../options/rules.js';
import { type Clock, systemClock, atNextTurn } from '../../clock/clock.js';
import type { Http2SessionLike, Http2StreamLike } from './message.js';
import { aServer, ordersRequests, REQUEST_CAME } from './order-requests.js';
import { LINGER_MS, type TrackableResponse, type TrackableServer, type TrackableSocket } from './trackable.js';

/** The numbers of open connections and requests of a server. */
export interface OpenConnections {
  /** Open connections. */
  readonly connections: number;
  /** Requests whose response is not complete, open watches included. */
  readonly requests: number;
}

/** The connections of one server, for `gracefulClose`. */
export interface ConnectionTracker {
  /**
   * Makes every response whose headers have not been sent yet have `Connection: close` from now on; of several pending
   * responses on one connection, only the last one. HTTP/2 sessions get GOAWAY: they accept no further requests and end
   * with their last response.
   */
  startDraining(): void;
  /** Returns the numbers of open connections and requests. */
  open(): OpenConnections;
  /**
   * Closes connections that have been idle for this many milliseconds since draining began, including those on which no
   * request ever arrived. Data that the operating system has already received is read first.
   */
  closeIdle(idleMs: number): void;
  /** Destroys every connection. */
  cut(): void;
}

interface Connection {
  readonly socket: TrackableSocket;
  open: number;
  last: TrackableResponse | undefined;
  /** True for HTTP/2, whose sessions end by themselves after GOAWAY. */
  readonly http2: boolean;
  bytesRead: number;
  /** Monotonic milliseconds since when the connection has been idle; updated while draining. */
  since: number;
  isEnding: boolean;
}

/**
 * Tracks the connections of a server and their unfinished responses. Node's own `close` resets requests in transit on
 * idle connections, and waits for connections on which no request ever arrived, such as the spare ones of load
 * balancers. Call it before the server listens, and pass the result to `gracefulClose`. A request costs two look-ups.
 *
 * @throws TypeError that names every fault of the arguments.
 */
export function trackConnections(
  server: TrackableServer,
  options: {
    /** The source of time. Default: the system clock. */
    readonly clock?: Clock | undefined;
  } = {},
): ConnectionTracker {
  throwFaults('trackConnections', [
    ...aServer(server, 'the first argument'),
    ...optionFaults(options, { clock: aClock }),
  ]);
  const { clock = systemClock } = options;
  const connections = new Map<TrackableSocket, Connection>();
  /** With the monotonic milliseconds at which each began. */
  const sessions = new Map<Http2SessionLike, number>();
  let streams = 0;
  /** Sockets whose TLS handshake is not complete, by the client's address and port. */
  const handshakes = new Map<string, TrackableSocket>();
  const tls = 'setSecureContext' in server;
  const onlyHttp2 = !tls && !('closeIdleConnections' in server);
  let draining = false;

  const track = (socket: TrackableSocket): Connection => {
    const connection: Connection = {
      socket,
      open: 0,
      last: undefined,
      http2: onlyHttp2 || socket.alpnProtocol === 'h2',
      bytesRead: 0,
      since: clock.monotonic(),
      isEnding: false,
    };
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
    return connection;
  };
  if (tls) {
    server.on('connection', (socket) => {
      const key = addressOf(socket);
      handshakes.set(key, socket);
      track(socket);
      socket.once('close', () => {
        if (handshakes.get(key) === socket) handshakes.delete(key);
      });
    });
  }
  // Requests of a TLS server arrive on a TLS socket on top of the accepted one.
  server.on(tls ? 'secureConnection' : 'connection', (socket) => {
    const below = handshakes.get(addressOf(socket));
    if (below !== undefined) {
      handshakes.delete(addressOf(socket));
      connections.delete(below);
    }
    track(socket);
  });

  server.on('session', (session) => {
    sessions.set(session, clock.monotonic());
    session.once('close', () => sessions.delete(session));
  });

  const onStreamClose = (): void => void (streams -= 1);
  // One function for all responses, so that a request allocates none: `this` is the response.
  function onResponseClose(this: TrackableResponse & { readonly req?: { readonly socket: TrackableSocket } }): void {
    const connection = this.req === undefined ? undefined : connections.get(this.req.socket);
    if (connection === undefined) return;
    connection.open -= 1;
    if (connection.open === 0) connection.last = undefined;
    if (draining) connection.since = clock.monotonic();
  }
  const markAsLast = (response: TrackableResponse | undefined, last: boolean): void => {
    if (response !== undefined && response.headersSent !== true) response.shouldKeepAlive = !last;
  };
  const onRequest = (request: { readonly socket: TrackableSocket }, response: TrackableResponse): void => {
    if ('stream' in request) {
      streams += 1;
      response.on('close', onStreamClose);
      // A session that was opened while the server drained gets GOAWAY with its first request.
      if (draining) sendGoAway((request.stream as Http2StreamLike).session);
      return;
    }
    const connection = connections.get(request.socket) ?? track(request.socket);
    if (draining) {
      markAsLast(connection.last, false);
      markAsLast(response, true);
    }
    connection.open += 1;
    connection.last = response;
    response.on('close', onResponseClose);
  };
  // A pipelined request that waits counts as well.
  (server as unknown as { on(event: symbol, listener: typeof onRequest): unknown }).on(REQUEST_CAME, onRequest);
  server.prependListener('request', (request, response) => {
    if (!ordersRequests(server)) onRequest(request, response);
  });

  const isIdle = (connection: Connection, now: number, idleMs: number): boolean => {
    const { socket, open, http2 } = connection;
    // A session ends its connection by itself after GOAWAY, but does not destroy it.
    if (http2) return socket.writableFinished === true;
    const bytesRead = socket.bytesRead ?? 0;
    if (open > 0 || bytesRead !== connection.bytesRead) connection.since = now;
    connection.bytesRead = bytesRead;
    // `open` is checked as well, because with an `idleMs` of zero the time alone is not sufficient.
    return open === 0 && now - connection.since >= idleMs;
  };
  const close = (connection: Connection, now: number, idleMs: number): void => {
    const { socket } = connection;
    if (connection.isEnding) {
      if (now - connection.since >= LINGER_MS) socket.destroy();
    } else if (isIdle(connection, now, idleMs)) {
      connection.isEnding = true;
      connection.since = now;
      // Not destroyed: the operating system would respond to a request in transit with a reset.
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
        markAsLast(connection.last, true);
      }
      for (const session of sessions.keys()) sendGoAway(session);
    },
    open() {
      let requests = streams;
      for (const { open } of connections.values()) requests += open;
      return { connections: connections.size, requests };
    },
    closeIdle(idleMs): void {
      atNextTurn(() => {
        const now = clock.monotonic();
        for (const connection of connections.values()) close(connection, now, idleMs);
        // One that still accepts requests has had none: the first gets GOAWAY.
        for (const [session, since] of sessions) if (now - since >= idleMs) sendGoAway(session);
      });
    },
    cut(): void {
      for (const { socket } of connections.values()) socket.destroy();
    },
  };
}

function sendGoAway(session: Http2SessionLike | undefined): void {
  if (session?.closed === false) session.close();
}

function addressOf({ remoteAddress, remotePort }: TrackableSocket): string {
  return `${remoteAddress} ${remotePort}`;
}
