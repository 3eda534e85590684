import { isBytes } from '../../http/bytes.js';
import { releaseIterator } from '../../http/response.js';
import { framedWriter, type LastFramed } from './framed-writer.js';
import { type NodeOutgoing, http2Stream } from './message.js';

/** A body on its way to the client. */
export interface Pump {
  /** The client has left: releases the source. `done` is not called. */
  stop(): void;
  /** Over HTTP/2: how many writes are complete. */
  readonly writes: number;
}

/** How a body ended. */
export interface PumpEnd {
  /** Absent when the source ended by itself. */
  readonly error?: unknown;
  readonly failed: boolean;
}

/**
 * Writes the chunks of a source one by one: the next is asked for when Node has written the last, so that the source may reuse
 * its buffer, and a client that reads slowly holds one chunk. Callbacks, not `for await`: a loop cannot leave a source that
 * waits in `next()`, and a race of promises for each chunk would leak.
 *
 * @param framing shared by the responses of a listener; without it every chunk goes through `res.write`
 */
export function pump(
  source: AsyncIterable<Uint8Array>,
  res: NodeOutgoing,
  done: (end: PumpEnd) => void,
  framing?: LastFramed,
): Pump {
  const running = new StreamPump(res, done, framing);
  running.begin(source);
  return running;
}

/** An iterator that delivers a result without a promise, as those of watches do: see `ParkedIterator`. */
interface DirectIterator {
  nextTo(taker: StreamPump): void;
}

/** A class, as `RingWatcher` of the watch hub: closures of a thousand watches would be optimized one by one. */
class StreamPump implements Pump {
  readonly #res: NodeOutgoing;
  readonly #framing: LastFramed | undefined;
  #write: Writer;
  readonly #done: (end: PumpEnd) => void;
  #iterator: (AsyncIterator<Uint8Array> & Partial<DirectIterator>) | undefined;
  #over = false;
  writes = 0;

  constructor(res: NodeOutgoing, done: (end: PumpEnd) => void, framing: LastFramed | undefined) {
    this.#framing = framing;
    this.#res = res;
    this.#write = writerFor(res, () => void (this.writes += 1));
    this.#done = done;
  }

  begin(source: AsyncIterable<Uint8Array>): void {
    try {
      this.#iterator = source[Symbol.asyncIterator]();
      if (this.#iterator.nextTo !== undefined && this.#framing !== undefined) {
        this.#write = framedWriter(this.#res, this.#framing) ?? this.#write;
      }
    } catch (error) {
      this.reject(error);
    }
    this.#next();
  }

  stop(): void {
    if (this.#over) return;
    this.#over = true;
    releaseIterator(this.#iterator);
  }

  /** The next result of the source. */
  resolve(result: IteratorResult<Uint8Array, unknown>): void {
    if (this.#over) return;
    if (result.done === true) {
      this.#finish({ failed: false });
    } else if (!isBytes(result.value)) {
      releaseIterator(this.#iterator);
      this.reject(new TypeError('a streamed body must give Uint8Array chunks'));
    } else if (result.value.byteLength === 0) {
      this.#next();
    } else {
      try {
        this.#write(result.value, this.#written);
      } catch (error) {
        releaseIterator(this.#iterator);
        this.reject(error);
      }
    }
  }

  reject(error: unknown): void {
    this.#finish({ failed: true, error });
  }

  #next(): void {
    if (this.#over) return;
    const iterator = this.#iterator as AsyncIterator<Uint8Array> & Partial<DirectIterator>;
    try {
      if (iterator.nextTo !== undefined) iterator.nextTo(this);
      else
        iterator.next().then(
          (result) => this.resolve(result),
          (error: unknown) => this.reject(error),
        );
    } catch (error) {
      this.reject(error);
    }
  }

  readonly #written = (error?: Error | null): void => {
    // A write fails when the client has left: the `close` that follows is what is handled.
    if (error === undefined || error === null) this.#next();
    else this.stop();
  };

  #finish(end: PumpEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#done(end);
  }
}

type Writer = (chunk: Uint8Array, written: (error?: Error | null) => void) => void;

/**
 * Middleware that compresses or buffers replaces `write` by a function that drops the callback and keeps the chunk. Such a
 * response gets copies, is flushed after each, and `drain` tells when to go on.
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

/** Chunks are written to a stream of HTTP/2 in pieces of this size, because the progress of a single write is not visible. */
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
