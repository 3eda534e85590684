import { AsyncResource } from 'node:async_hooks';
import type { Clock, ClockTimer } from '../../clock/clock.js';
import type { NodeSocket } from '../exchange/node-socket.js';
import { type NodeIncoming, type NodeOutgoing, http2Stream, isGone, isWritable } from './message.js';

/** A connection is not read while at least this many of its requests wait. */
const READ_AHEAD = 4;

/** The most requests of a connection that wait; the last gets `Connection: close`. One read may bring many. */
const MAX_WAITING = 1_000;

/** The longest time a connection is not read, because only reading detects that a client has disconnected. */
const UNREAD_MS = 1_000;

/** How many requests of a connection wait. On the socket: several listeners, or copies of this code, may serve it. */
const WAITING: unique symbol = Symbol.for('kube-vitals.waitingRequests') as never;

type Counted = { [WAITING]?: number };

export function queuedRequests(socket: object | null): number {
  return (socket as Counted | null)?.[WAITING] ?? 0;
}

/** True if a previous response is unfinished: until then, an HTTP/1 response has no socket. */
export function isQueued(req: NodeIncoming, res: NodeOutgoing): boolean {
  return res.socket === null && req.socket !== null && http2Stream(res) === undefined;
}

interface WaitingRequests {
  /** For each request what is called if the client disconnects before its turn. */
  readonly skips: Set<() => void>;
  reading: boolean;
  timer: ClockTimer | undefined;
}

/**
 * Orders pipelined requests (RFC 9112, 9.3.2). Node hands over all requests of a connection as they arrive, and orders
 * only the responses: a response gets its socket, with the event `socket`, when all responses before it are finished.
 */
export function createRequestOrder(clock: Clock) {
  const bySocket = new WeakMap<NodeSocket, WaitingRequests>();

  const read = (socket: NodeSocket, waiting: WaitingRequests): void => {
    if (waiting.reading) return;
    waiting.timer?.cancel();
    waiting.reading = true;
    socket.resume?.();
  };
  const stopReading = (socket: NodeSocket, waiting: WaitingRequests): void => {
    if (!waiting.reading) return;
    waiting.reading = false;
    socket.pause?.();
    waiting.timer = clock.setTimer(() => {
      if (waiting.skips.size < MAX_WAITING) read(socket, waiting);
    }, UNREAD_MS);
  };
  const waitingOf = (socket: NodeSocket): WaitingRequests => {
    const known = bySocket.get(socket);
    if (known !== undefined) return known;
    const waiting: WaitingRequests = { skips: new Set(), reading: true, timer: undefined };
    bySocket.set(socket, waiting);
    // Node resumes the socket when a request is finished, or the body of one is read.
    socket.on?.('resume', () => {
      if (!waiting.reading) socket.pause?.();
    });
    socket.once('close', () => {
      waiting.timer?.cancel();
      for (const skip of waiting.skips) skip();
    });
    return waiting;
  };

  return {
    /** Calls `begin` when the previous response was handed to the operating system, or `skip` if the client left. */
    wait(req: NodeIncoming, res: NodeOutgoing, begin: () => void, skip = (): void => undefined): void {
      if (isGone(req, res)) return skip();
      const socket = req.socket as NodeSocket & Counted;
      const waiting = waitingOf(socket);
      waiting.skips.add(skip);
      socket[WAITING] = queuedRequests(socket) + 1;
      // Runs with the AsyncLocalStorage context of this request, not that of the previous one.
      const inOwnContext = AsyncResource.bind(begin);
      if (waiting.skips.size >= READ_AHEAD) stopReading(socket, waiting);
      if (waiting.skips.size > MAX_WAITING) return;
      if (waiting.skips.size === MAX_WAITING) res.shouldKeepAlive = false;
      res.once('socket', () => {
        waiting.skips.delete(skip);
        socket[WAITING] = queuedRequests(socket) - 1;
        if (waiting.skips.size < READ_AHEAD) read(socket, waiting);
        // Node assigns the socket after the event.
        queueMicrotask(() => {
          if (!isGone(req, res) && isWritable(res)) inOwnContext();
          else skip();
        });
      });
    },
  };
}
