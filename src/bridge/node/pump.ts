import { setImmediate } from 'node:timers';
import { ChunkReader } from '../exchange/chunk-reader.js';
import { framedWriter, type LastSent } from './framed-writer.js';
import { type NodeOutgoing, http2Stream } from './message.js';

export type Pump = Pick<StreamPump, 'stop' | 'writes'>;

export interface PumpEnd {
  /** Absent if the source ended without an error. */
  readonly error?: unknown;
  readonly failed: boolean;
}

/**
 * Writes the chunks of a source one by one: the next chunk is requested when Node has written the previous one, so that
 * the source may reuse its buffer, and only one chunk is in memory for a slow client.
 *
 * @param framing shared by the responses of a listener; without it every chunk goes through `res.write`
 */
export function pump(
  source: AsyncIterable<Uint8Array>,
  res: NodeOutgoing,
  done: (end: PumpEnd) => void,
  framing?: LastSent,
): Pump {
  const running = new StreamPump(source, res, done, framing);
  running.next();
  return running;
}

class StreamPump extends ChunkReader {
  readonly #res: NodeOutgoing;
  readonly #framing: LastSent | undefined;
  #write: Writer | undefined;
  readonly #done: (end: PumpEnd) => void;
  /** Over HTTP/2: how many writes are complete. */
  writes = 0;

  constructor(
    source: AsyncIterable<Uint8Array>,
    res: NodeOutgoing,
    done: (end: PumpEnd) => void,
    framing: LastSent | undefined,
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
    const isShared = this.#framing !== undefined && this.iterator?.nextTo !== undefined;
    const framed = isShared ? framedWriter(this.#res, this.#framing) : undefined;
    return framed ?? writerFor(this.#res, () => void (this.writes += 1));
  }

  readonly #written = (error?: Error | null): void => {
    // A write fails if the client has disconnected; the `close` event that follows is handled elsewhere.
    if (error === undefined || error === null) this.next();
    else this.stop();
  };
}

type Writer = (chunk: Uint8Array, written: (error?: Error | null) => void) => void;

/**
 * Middleware that compresses or buffers replaces `write` by a function that ignores the callback and retains the chunk.
 * Such a response gets copies and is flushed after each; writing continues after `drain`.
 */
function writerFor(res: NodeOutgoing, count: () => void): Writer {
  if (!Object.hasOwn(res, 'write')) {
    if (http2Stream(res) === undefined) return (chunk, written) => void res.write(chunk, written);
    return (chunk, written) => writeSlices(res, chunk, count, written);
  }
  return (chunk, written) => {
    const ready = res.write(Buffer.from(chunk));
    (res as { flush?: () => void }).flush?.();
    if (ready) setImmediate(written);
    else res.once('drain', () => written());
  };
}

/** The size of the pieces that are written to a stream of HTTP/2: the progress of a single write is not visible. */
const SLICE_BYTES = 32 * 1024;

function writeSlices(
  res: NodeOutgoing,
  chunk: Uint8Array,
  count: () => void,
  written: (error?: Error | null) => void,
): void {
  res.write(chunk.subarray(0, SLICE_BYTES), (error) => {
    count();
    const failed = error !== undefined && error !== null;
    if (failed || chunk.byteLength <= SLICE_BYTES) written(error);
    else writeSlices(res, chunk.subarray(SLICE_BYTES), count, written);
  });
}
