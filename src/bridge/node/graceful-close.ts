import { Server as NetServer } from 'node:net';
import { optionFaults, throwFaults } from '../../options/check-options.js';
import { aClock, aNumber, anObjectWith, hasFunctions, orInfinity, required } from '../../options/rules.js';
import { type Clock, systemClock, atNextTurn } from '../../clock/clock.js';
import { setAboutToStop, stopListening } from './stop-listening.js';
import { createUnusedCloser } from './unused-connections.js';
import { type ConnectionTracker, trackConnections } from './track-connections.js';
import { SERVER_FUNCTIONS, type TrackableServer } from './trackable.js';

/** The part of a server that {@link gracefulClose} uses. `node:http`, `node:https` and `node:http2` servers fit. */
export interface ClosableServer {
  /** Stops listening; calls back when all connections have ended. */
  close(callback: (error?: Error) => void): unknown;
  /** Ends connections without a request. Absent if the server has no such function. */
  closeIdleConnections?(): void;
  /** Ends every connection. Absent if the server has no such function. */
  closeAllConnections?(): void;
}

/** Options of {@link gracefulClose}. */
export interface GracefulCloseOptions {
  /** How long requests in flight may take, in milliseconds, before their connections are destroyed. Default: 10,000. */
  readonly drainTimeoutMs?: number | undefined;
  /**
   * How long a connection without a request stays open, in milliseconds, so that a request in transit is served, with
   * `Connection: close`. Choose the longest time a client takes between two requests. It is limited to four fifths of
   * `drainTimeoutMs`. Zero closes such connections at once. It also applies to a connection on which nothing was ever
   * sent. Default: 2,000.
   */
  readonly idleGraceMs?: number | undefined;
  /**
   * The result of `trackConnections`. Without it, responses in flight have `Connection: close` only if the `signal` of
   * `toNodeListener` has aborted, and requests in transit on idle connections are more likely to be lost.
   */
  readonly connections?: ConnectionTracker | undefined;
  /** The source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const SWEEP_MS = 50;

/**
 * Closes a server without truncating responses. It first accepts waiting connections, until none has arrived for 100 ms
 * (500 ms at most), and then serves them. Requests in flight, and requests that arrive on open connections, get
 * responses with `Connection: close`; a connection without a request is closed after `idleGraceMs`; after
 * `drainTimeoutMs` all remaining ones are destroyed. A watch does not end by itself: abort the `signal` of
 * `toNodeListener` as well. Resolves to true if everything ended in time. Connections of an HTTP/2 server of Node can
 * only be destroyed with `connections`; without them the promise resolves to false at the timeout with connections left
 * open.
 *
 * @throws TypeError that names every fault of the arguments.
 */
export function gracefulClose(server: ClosableServer, options: GracefulCloseOptions = {}): Promise<boolean> {
  const aServer = anObjectWith(['close'], 'the server to close, as createServer() or listen() returned it');
  throwFaults('gracefulClose', [
    ...required(aServer)(server, 'the first argument'),
    ...optionFaults(options, {
      drainTimeoutMs: orInfinity(aNumber(0)),
      idleGraceMs: orInfinity(aNumber(0)),
      connections: anObjectWith(['startDraining', 'closeIdle', 'cut'], 'what trackConnections() returned'),
      clock: aClock,
    }),
  ]);
  const { drainTimeoutMs = 10_000, idleGraceMs = 2_000, clock = systemClock } = options;
  const graceMs = Math.min(idleGraceMs, drainTimeoutMs * 0.8);
  // A tracker created here only tracks connections that are opened from now on.
  const tracker = options.connections ?? (isTrackable(server) ? trackConnections(server, { clock }) : undefined);

  return new Promise((resolve) => {
    let inTime = true;
    let over = false;
    const begun = clock.monotonic();
    let looked = begun;
    const closeUnused = createUnusedCloser(server, clock);
    let sweeping = clock.setTimer(sweep, SWEEP_MS);
    const cutting = clock.setTimer(cut, drainTimeoutMs);

    function sweep(): void {
      closeIdle();
      sweeping = clock.setTimer(sweep, SWEEP_MS);
    }
    function closeIdle(): void {
      tracker?.closeIdle(graceMs);
      if (options.connections !== undefined) return;
      if (clock.monotonic() - begun >= graceMs) atNextTurn(closeUnused);
      if (clock.monotonic() - looked < graceMs) return;
      // Node also tracks connections that were opened earlier, but not how long they have been idle.
      looked = clock.monotonic();
      atNextTurn(() => server.closeIdleConnections?.());
    }
    function cut(): void {
      inTime = false;
      stopNow();
      tracker?.cut();
      server.closeAllConnections?.();
      if (server.closeAllConnections === undefined && options.connections === undefined) closed();
    }
    function closed(): void {
      if (over) return;
      over = true;
      sweeping.cancel();
      cutting.cancel();
      // Ends timers that only `close` of node:http stops.
      if (server instanceof NetServer) server.close(() => undefined);
      resolve(inTime);
    }

    setAboutToStop(server, true);
    function stop(): void {
      // `close` of node:http would close idle connections at once.
      if (server instanceof NetServer) NetServer.prototype.close.call(server, closed);
      else server.close(closed);
      setAboutToStop(server, false);
      tracker?.startDraining();
      if (graceMs === 0) closeIdle();
    }
    const stopNow = stopListening(server, clock, graceMs, stop);
  });
}

function isTrackable(server: object): server is TrackableServer {
  return hasFunctions(server, SERVER_FUNCTIONS);
}
