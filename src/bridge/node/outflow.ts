import type { Clock } from '../../clock/clock.js';
import { createStallWatch, type Outflow } from '../stalls.js';
import type { NodeOutgoing, NodeSocket } from './message.js';
import { http2Stream, tearDown } from './message.js';
import type { Pump } from './pump.js';
import type { NodeExchange } from './request.js';

/** An answer in one piece that moves, but slowly, is broken off after this many stall timeouts. */
const PLAIN_TIMEOUTS = 10;

/** The answers of a listener that wait for their clients. */
export interface Outflows {
  /** A streaming answer begins; `onStall` lets go of its source. */
  stream(exchange: NodeExchange, running: Pump, onStall: () => void): void;
  /** An answer in one piece that the client has not taken at once; `running` where it goes out in several writes. */
  plain(exchange: NodeExchange, running?: Pump): void;
}

/** Breaks off the answers of a listener whose clients take nothing of them for so long. */
export function createOutflows(clock: Clock, stallTimeoutMs: number): Outflows {
  const stalls = createStallWatch(clock, stallTimeoutMs);
  const watch = (exchange: NodeExchange, outflow: Outflow, longestMs?: number): void => {
    if (exchange.gone) return;
    stalls.add(outflow, longestMs);
    exchange.res.once('close', () => stalls.remove(outflow));
  };
  return {
    stream: (exchange, running, onStall) => watch(exchange, new NodeOutflow(exchange, running, onStall)),
    plain(exchange, running): void {
      const outflow = new NodeOutflow(exchange, running, () => running?.stop());
      watch(exchange, outflow, PLAIN_TIMEOUTS * stallTimeoutMs);
    },
  };
}

/** What is left of an answer: how much the socket has taken of it, or on HTTP/2 the stream. */
class NodeOutflow implements Outflow {
  readonly #exchange: NodeExchange;
  readonly #running: Pump | undefined;
  readonly #onGiveUp: () => void;
  /** On HTTP/2: what the connection had taken when the stream moved last. */
  #connection: number | undefined;
  #last: number | undefined;

  /** @param onGiveUp is called before the connection, or the stream, is broken off */
  constructor(exchange: NodeExchange, running: Pump | undefined, onGiveUp: () => void) {
    this.#exchange = exchange;
    this.#running = running;
    this.#onGiveUp = onGiveUp;
  }

  taken(): number | undefined {
    const { res } = this.#exchange;
    if (http2Stream(res) === undefined) return res.socket === null ? undefined : takenBy(res.socket);
    if (!isPending(res)) return undefined;
    const writes = this.#running?.writes ?? 0;
    if (writes !== this.#last) {
      this.#last = writes;
      this.#connection = takenBy(this.#exchange.req.socket);
    }
    return writes;
  }

  giveUp(): void {
    const { req, res } = this.#exchange;
    const session = http2Stream(res)?.session;
    const stands = this.#connection !== undefined && takenBy(req.socket) === this.#connection;
    this.#onGiveUp();
    tearDown(res);
    // A connection that takes nothing does not take the end of the stream either, nor that of the session.
    if (stands) session?.socket?.once('close', () => undefined).destroy();
  }
}

/** True while bytes of an answer wait for the client. */
export function isPending(res: NodeOutgoing): boolean {
  return (res.writableLength ?? 0) > 0;
}

/**
 * Changes with each byte that the system takes over, `undefined` when it has them all. Node counts a write as a whole; how
 * far a large one has come is only known below.
 */
function takenBy(socket: NodeSocket | null): number | undefined {
  const queued = socket?._handle?.writeQueueSize ?? 0;
  const waiting = socket?.writableLength ?? 0;
  if (socket === null || (waiting === 0 && queued === 0)) return undefined;
  return (socket.bytesWritten ?? 0) - waiting - queued;
}
