import { AsyncResource } from 'node:async_hooks';
import type { Clock, ClockTimer } from '../../clock/clock.js';
import { type NodeIncoming, type NodeOutgoing, type NodeSocket, http2Stream, isGone, isWritable } from './message.js';

/** Requests of one connection that may wait before the connection is not read any more. */
const READ_AHEAD = 4;

/**
 * Requests of one connection that wait at most: the last one is answered with `Connection: close`, and what comes behind
 * it is not handled. One read of Node may bring many, so this is more than `READ_AHEAD`.
 */
const MOST_WAITING = 1_000;

/** For how long a connection is not read. A client that leaves is only noticed by reading. */
const UNREAD_MS = 1_000;

/** Keeps the requests that a client sends without waiting for answers (RFC 9112, 9.3.2) in their order. */
export interface RequestOrder {
  /**
   * Calls `begin` when the answer before this one has been handed to the system completely, and never when the client
   * leaves before that. Call it for requests that {@link mustWait}.
   */
  wait(req: NodeIncoming, res: NodeOutgoing, begin: () => void): void;
}

/**
 * How many requests of a connection have not begun: on the socket itself, because several listeners may serve it, and under
 * a registered name, because there may be two copies of this package.
 */
const WAITING: unique symbol = Symbol.for('kube-vitals.waitingRequests') as never;

type Counted = { [WAITING]?: number };

/** How many requests of this connection have not begun, whichever listener they wait for. */
export function waitingOn(socket: object | null): number {
  return (socket as Counted | null)?.[WAITING] ?? 0;
}

function countWaiting(socket: NodeSocket, change: 1 | -1): void {
  (socket as Counted)[WAITING] = waitingOn(socket) + change;
}

/** True when an answer before this one is unfinished: one of HTTP/1 has no socket until then. */
export function mustWait(req: NodeIncoming, res: NodeOutgoing): boolean {
  return res.socket === null && req.socket !== null && http2Stream(res) === undefined;
}

/** The requests of one connection that wait for their turn. */
interface WaitingRequests {
  length: number;
  /** False while the connection is not to be read. */
  reading: boolean;
  timer: ClockTimer | undefined;
}

/**
 * Node parses and hands over whatever a connection brings, however many answers are due, and puts the answers in order
 * itself: one has no socket until all before it are finished. So the event `socket` of an answer tells that it is the next.
 */
export function createRequestOrder(clock: Clock): RequestOrder {
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
      if (waiting.length < MOST_WAITING) read(socket, waiting);
    }, UNREAD_MS);
  };
  const waitingOf = (socket: NodeSocket): WaitingRequests => {
    const known = bySocket.get(socket);
    if (known !== undefined) return known;
    const waiting: WaitingRequests = { length: 0, reading: true, timer: undefined };
    bySocket.set(socket, waiting);
    // Node reads on whenever a request is finished, or the body of one is wanted.
    socket.on?.('resume', () => {
      if (!waiting.reading) socket.pause?.();
    });
    socket.once('close', () => waiting.timer?.cancel());
    return waiting;
  };

  return {
    wait(req, res, begin): void {
      const socket = req.socket as NodeSocket;
      const waiting = waitingOf(socket);
      waiting.length += 1;
      countWaiting(socket, 1);
      // What the service keeps for the time of a request (AsyncLocalStorage) is not that of the request before.
      const inOwnContext = AsyncResource.bind(begin);
      if (waiting.length >= READ_AHEAD) stopReading(socket, waiting);
      if (waiting.length > MOST_WAITING) return;
      if (waiting.length === MOST_WAITING) res.shouldKeepAlive = false;
      res.once('socket', () => {
        waiting.length -= 1;
        countWaiting(socket, -1);
        if (waiting.length < READ_AHEAD) read(socket, waiting);
        // Node is still about to give this answer the socket.
        queueMicrotask(() => {
          if (!isGone(req, res) && isWritable(res)) inOwnContext();
        });
      });
    },
  };
}
