import type { Clock } from '../../clock/clock.js';
import type { NodeSocket } from '../exchange/node-socket.js';
import { pauseUntilSent } from '../exchange/paused-reading.js';
import { createStallDetector, type Transfer } from '../exchange/stall-detector.js';
import { http2Stream, tearDown, type NodeOutgoing } from './message.js';
import type { Pump } from './pump.js';
import type { NodeExchange } from './node-exchange.js';

/** A response in one piece whose client reads slowly is ended after this many stall timeouts. */
const PLAIN_TIMEOUTS = 10;

export function createTransfers(clock: Clock, stallTimeoutMs: number) {
  const stalls = createStallDetector(clock, stallTimeoutMs);
  const watch = (
    exchange: NodeExchange,
    running: Pump | undefined,
    onAbandon: () => void,
    longestMs?: number,
  ): void => {
    const { req, res } = exchange;
    if (exchange.gone) return;
    /** Over HTTP/2: the progress of the connection when that of the stream last changed. */
    let connection: number | undefined;
    let last: number | undefined;
    const transfer: Transfer = {
      progress() {
        if (http2Stream(res) === undefined) return res.socket === null ? undefined : progressOf(res.socket);
        if (!isPending(res)) return undefined;
        const writes = running?.writes ?? 0;
        if (writes !== last) {
          last = writes;
          connection = progressOf(req.socket);
        }
        return writes;
      },
      abandon() {
        const session = http2Stream(res)?.session;
        const isStuck = connection !== undefined && progressOf(req.socket) === connection;
        onAbandon();
        tearDown(res);
        // A client that reads nothing from the connection would not read the end of the stream or of the session
        // either.
        if (isStuck) session?.socket?.once('close', () => undefined).destroy();
      },
    };
    stalls.add(transfer, longestMs);
    res.once('close', () => stalls.remove(transfer));
  };
  return {
    /** Monitors a streaming response; `onStall` releases its source. */
    stream: (exchange: NodeExchange, running: Pump, onStall: () => void): void => watch(exchange, running, onStall),
    /** Monitors a plain response that the client has not read at once; `running` if it is sent in several writes. */
    plain(exchange: NodeExchange, running?: Pump): void {
      if (http2Stream(exchange.res) === undefined) pauseUntilSent(exchange.res);
      watch(exchange, running, () => running?.stop(), PLAIN_TIMEOUTS * stallTimeoutMs);
    },
  };
}

export function isPending(res: NodeOutgoing): boolean {
  return (res.writableLength ?? 0) > 0;
}

/**
 * Returns a number that changes with each byte that the operating system accepts, `undefined` when it has accepted all.
 * Node's counters treat a write as a whole; the queue of the handle shows the progress of a large one.
 */
function progressOf(socket: NodeSocket | null): number | undefined {
  const queued = socket?._handle?.writeQueueSize ?? 0;
  const waiting = socket?.writableLength ?? 0;
  if (socket === null || (waiting === 0 && queued === 0)) return undefined;
  return (socket.bytesWritten ?? 0) - waiting - queued;
}
