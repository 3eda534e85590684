import type { Clock } from '../../clock/clock.js';
import { createStallDetector, type Transfer } from '../exchange/stall-detector.js';
import { http2Stream, tearDown, type NodeOutgoing, type NodeSocket } from './message.js';
import type { Pump } from './pump.js';
import type { NodeExchange } from './request.js';

/** An answer in one piece whose client reads slowly is ended after this many stall timeouts. */
const PLAIN_TIMEOUTS = 10;

export type Transfers = ReturnType<typeof createTransfers>;

/** Ends answers of a listener whose clients have stalled. */
export function createTransfers(clock: Clock, stallTimeoutMs: number) {
  const stalls = createStallDetector(clock, stallTimeoutMs);
  const watch = (
    exchange: NodeExchange,
    running: Pump | undefined,
    onAbandon: () => void,
    longestMs?: number,
  ): void => {
    if (exchange.gone) return;
    const transfer = new NodeTransfer(exchange, running, onAbandon);
    stalls.add(transfer, longestMs);
    exchange.res.once('close', () => stalls.remove(transfer));
  };
  return {
    /** Monitors a streaming answer; `onStall` releases its source. */
    stream: (exchange: NodeExchange, running: Pump, onStall: () => void): void => watch(exchange, running, onStall),
    /**
     * Monitors an answer in one piece that the client has not read at once; `running` if it is sent in several writes.
     */
    plain: (exchange: NodeExchange, running?: Pump): void =>
      watch(exchange, running, () => running?.stop(), PLAIN_TIMEOUTS * stallTimeoutMs),
  };
}

/** Measures how much of an answer the client has read: at the socket, or over HTTP/2 at the stream. */
class NodeTransfer implements Transfer {
  readonly #exchange: NodeExchange;
  readonly #running: Pump | undefined;
  readonly #onAbandon: () => void;
  /** Over HTTP/2: the progress of the connection when that of the stream last changed. */
  #connection: number | undefined;
  #last: number | undefined;

  /** @param onAbandon is called before the connection, or the stream, is closed */
  constructor(exchange: NodeExchange, running: Pump | undefined, onAbandon: () => void) {
    this.#exchange = exchange;
    this.#running = running;
    this.#onAbandon = onAbandon;
  }

  progress(): number | undefined {
    const { res } = this.#exchange;
    if (http2Stream(res) === undefined) return res.socket === null ? undefined : progressOf(res.socket);
    if (!isPending(res)) return undefined;
    const writes = this.#running?.writes ?? 0;
    if (writes !== this.#last) {
      this.#last = writes;
      this.#connection = progressOf(this.#exchange.req.socket);
    }
    return writes;
  }

  abandon(): void {
    const { req, res } = this.#exchange;
    const session = http2Stream(res)?.session;
    const isStuck = this.#connection !== undefined && progressOf(req.socket) === this.#connection;
    this.#onAbandon();
    tearDown(res);
    // A client that reads nothing from the connection would not read the end of the stream or of the session either.
    if (isStuck) session?.socket?.once('close', () => undefined).destroy();
  }
}

/** True while bytes of an answer wait for the client. */
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
