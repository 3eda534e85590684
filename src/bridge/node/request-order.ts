import type { Clock, ClockTimer } from '../../clock/clock.js';
import type { NodeIncoming, NodeOutgoing, NodeSocket } from './message.js';
import { isGone, isWritable } from './message.js';

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
   * leaves before that. Call it for requests of HTTP/1 whose answer has no socket yet.
   */
  wait(req: NodeIncoming, res: NodeOutgoing, begin: () => void): void;
  /** How many requests of this connection have not begun. */
  waiting(socket: NodeSocket | null): number;
}

/** The requests of one connection that wait for their turn. */
interface Line {
  length: number;
  /** False while the connection is not to be read. */
  reading: boolean;
  timer: ClockTimer | undefined;
}

/**
 * Node parses and hands over whatever a connection brings, however many answers are due, and puts the answers in order
 * itself: one has no socket until all before it are finished. So it is Node that says whose turn it is.
 */
export function createRequestOrder(clock: Clock): RequestOrder {
  const lines = new WeakMap<NodeSocket, Line>();

  const read = (socket: NodeSocket, line: Line): void => {
    if (line.reading) return;
    line.timer?.cancel();
    line.reading = true;
    socket.resume?.();
  };
  const stopReading = (socket: NodeSocket, line: Line): void => {
    if (!line.reading) return;
    line.reading = false;
    socket.pause?.();
    line.timer = clock.setTimer(() => {
      if (line.length < MOST_WAITING) read(socket, line);
    }, UNREAD_MS);
  };
  const lineOf = (socket: NodeSocket): Line => {
    const known = lines.get(socket);
    if (known !== undefined) return known;
    const line: Line = { length: 0, reading: true, timer: undefined };
    lines.set(socket, line);
    // Node reads on whenever a request is finished, or the body of one is wanted.
    socket.on?.('resume', () => {
      if (!line.reading) socket.pause?.();
    });
    socket.once('close', () => line.timer?.cancel());
    return line;
  };

  return {
    wait(req, res, begin): void {
      const socket = req.socket as NodeSocket;
      const line = lineOf(socket);
      line.length += 1;
      if (line.length >= READ_AHEAD) stopReading(socket, line);
      if (line.length > MOST_WAITING) return;
      if (line.length === MOST_WAITING) res.shouldKeepAlive = false;
      res.once('socket', () => {
        line.length -= 1;
        if (line.length < READ_AHEAD) read(socket, line);
        // Node is still about to give this answer the socket.
        queueMicrotask(() => {
          if (!isGone(req, res) && isWritable(res)) begin();
        });
      });
    },
    waiting: (socket) => (socket === null ? 0 : (lines.get(socket)?.length ?? 0)),
  };
}
