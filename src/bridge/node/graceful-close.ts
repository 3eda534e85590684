import type { Clock } from '../../clock/clock.js';
import { systemClock } from '../../clock/clock.js';
import type { ConnectionTracker } from './track-connections.js';

/** What {@link gracefulClose} needs of a server: `node:http`, `node:https` and `node:http2` servers have it. */
export interface ClosableServer {
  close(callback: (error?: Error) => void): unknown;
  closeIdleConnections?(): void;
  closeAllConnections?(): void;
}

/** Options of {@link gracefulClose}. */
export interface GracefulCloseOptions {
  /** How long requests in flight may take, in milliseconds, before their connections are cut. Default: 10,000. */
  readonly drainTimeoutMs?: number | undefined;
  /** From `trackConnections`: connections that were never used are closed at once, too. */
  readonly connections?: ConnectionTracker | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined;
}

/** How often connections that have become idle are looked for. */
const SWEEP_MS = 50;

/**
 * Closes a server without cutting answers short: accepts no connection any more, closes idle ones, waits for requests in
 * flight, and after `drainTimeoutMs` cuts what is left. A watch never ends by itself: abort the `signal` given to
 * `toNodeListener` first. Resolves to true when everything ended in time. An HTTP/2 server of Node cannot be cut; there
 * the promise resolves to false at the timeout with connections left open.
 *
 * @throws TypeError for a `drainTimeoutMs` that is no number of milliseconds.
 */
export function gracefulClose(server: ClosableServer, options: GracefulCloseOptions = {}): Promise<boolean> {
  const { drainTimeoutMs = 10_000, clock = systemClock, connections } = options;
  if (typeof drainTimeoutMs !== 'number' || !(drainTimeoutMs >= 0)) {
    throw new TypeError('gracefulClose: drainTimeoutMs must be a number of milliseconds, zero or more');
  }
  return new Promise((resolve) => {
    let inTime = true;
    let sweeping = clock.setTimer(sweep, SWEEP_MS);
    const cutting = clock.setTimer(() => {
      inTime = false;
      if (server.closeAllConnections === undefined) closed();
      else server.closeAllConnections();
    }, drainTimeoutMs);

    function closeIdle(): void {
      server.closeIdleConnections?.();
      connections?.closeUnused();
    }
    function sweep(): void {
      closeIdle();
      sweeping = clock.setTimer(sweep, SWEEP_MS);
    }
    function closed(): void {
      sweeping.cancel();
      cutting.cancel();
      resolve(inTime);
    }
    server.close(closed);
    closeIdle();
  });
}
