import { atNextTurn } from '../../clock/clock.js';
import { ChunkReader } from '../exchange/chunk-reader.js';
import { framedWriter, type Framing } from './framed-writer.js';
import { type NodeOutgoing, http2Stream } from './message.js';

export type Pump = Pick<StreamPump, 'stop' | 'writes'>;

export interface PumpEnd {
  readonly error?: unknown;
  readonly failed: boolean;
}

/**
 * Writes the next chunk when Node has written the previous one: the source may reuse its buffer, and only one chunk is
 * in memory for a slow client. `framing` is shared by a listener; without it every chunk goes through `res.write`.
 */
export function pump(
  source: AsyncIterable<Uint8Array>,
  res: NodeOutgoing,
  done: (end: PumpEnd) => void,
  framing?: Framing,
): Pump {
  const running = new StreamPump(source, res, done, framing);
  running.next();
  return running;
}

type Written = (error?: Error | null) => void;
type Writer = (chunk: Uint8Array, written: Written) => void;

class StreamPump extends ChunkReader {
  readonly #res: NodeOutgoing;
  readonly #framing: Framing | undefined;
  #write: Writer | undefined;
  readonly #done: (end: PumpEnd) => void;
  /** Over HTTP/2: how many writes are complete. */
  writes = 0;

  constructor(
    source: AsyncIterable<Uint8Array>,
    res: NodeOutgoing,
    done: (end: PumpEnd) => void,
    framing: Framing | undefined,
  ) {
    super(source);
    this.#res = res;
    this.#framing = framing;
    this.#done = done;
  }

  /** Releases the source after the client has disconnected. `done` is not called. */
  stop(): void {
    if (!this.isOver) this.release();
  }

  protected override onChunk(chunk: Uint8Array): void {
    try {
      this.#write ??= this.#writer();
      this.#write(chunk, this.#written);
    } catch (error) {
      this.fail(error);
    }
  }

  protected override onEnd(): void {
    this.#done({ failed: false });
  }

  protected override onFailure(error: unknown): void {
    this.#done({ failed: true, error });
  }

  #writer(): Writer {
    const res = this.#res;
    const isShared = this.#framing !== undefined && this.iterator?.nextTo !== undefined;
    const framed = isShared ? framedWriter(res, this.#framing) : undefined;
    if (framed !== undefined) return framed;
    if (Object.hasOwn(res, 'write')) return (chunk, written) => this.#writeCopy(chunk, written);
    if (http2Stream(res) === undefined) return (chunk, written) => void res.write(chunk, written);
    return (chunk, written) => this.#writeSlices(chunk, written);
  }

  /** Middleware that replaces `write` may ignore the callback and retain the chunk: flushes, and waits for `drain`. */
  #writeCopy(chunk: Uint8Array, written: Written): void {
    const res: NodeOutgoing & { flush?(): void } = this.#res;
    const ready = res.write(Buffer.from(chunk));
    res.flush?.();
    if (ready) atNextTurn(written);
    else res.once('drain', () => written());
  }

  #writeSlices(chunk: Uint8Array, written: Written): void {
    this.#res.write(chunk.subarray(0, SLICE_BYTES), (error) => {
      this.writes += 1;
      const failed = error !== undefined && error !== null;
      if (failed || chunk.byteLength <= SLICE_BYTES) written(error);
      else this.#writeSlices(chunk.subarray(SLICE_BYTES), written);
    });
  }

  readonly #written: Written = (error) => {
    // A write fails if the client has disconnected; the `close` event that follows is handled elsewhere.
    if (error === undefined || error === null) this.next();
    else this.stop();
  };
}

/** The size of the pieces that are written to a stream of HTTP/2: the progress of a single write is not visible. */
export const SLICE_BYTES: number = 32 * 1024;
