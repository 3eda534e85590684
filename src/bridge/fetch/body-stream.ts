import { isBytes } from '../../http/bytes.js';
import { releaseIterator } from '../../http/response.js';
import type { Transfer } from '../exchange/stall-detector.js';
import { isTransferred, type SharedCopies, type SharedCopy } from './shared-copies.js';

/** What happens to a body on its way out. Exactly one of these is called, once. */
export interface BodyStreamEvents {
  onEnd(): void;
  /** Returns true when the error only says that the source was aborted: the stream then ends cleanly. */
  onFailure(error: unknown): boolean;
  /** The consumer does not want the rest. */
  onCancel(): void;
  /** The consumer has not asked for a chunk for too long. */
  onStall(): void;
}

/** A body for a server that speaks fetch. */
export interface BodyStream extends Transfer {
  readonly stream: ReadableStream<Uint8Array>;
  /** Ends the body with an error and releases the source. Calls none of the events. */
  breakOff(): void;
}

/**
 * A ReadableStream over a source. It asks for a chunk only when the consumer reads, and copies it: the source may reuse its
 * buffer for the next one, and a server or middleware may transfer what it is given. Watches share their copies.
 */
export function bodyStream(
  source: AsyncIterable<Uint8Array>,
  events: BodyStreamEvents,
  copies: SharedCopies,
): BodyStream {
  return new PulledBody(source, events, copies);
}

/**
 * An iterator that delivers a result without a promise, as those of watches do: see `ParkedIterator`. It never writes to a
 * chunk that it has given.
 */
interface DirectIterator {
  nextTo(taker: PulledBody): void;
}

type ChunkIterator = AsyncIterator<Uint8Array> & Partial<DirectIterator>;

const TRANSFERRED =
  'the buffer of a chunk that several watches share has been transferred: the watch was ended, and chunks are not shared any more';

/** Nothing is made before the consumer reads. */
const ON_DEMAND = { highWaterMark: 0 } as const;

/**
 * A class for the reason that `StreamPump` has. `pull` returns no promise: the stream asks again when the consumer reads again,
 * and two promises for each chunk were a sixth of a frame's cost.
 */
class PulledBody implements BodyStream {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #events: BodyStreamEvents;
  #iterator: ChunkIterator | undefined;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  readonly #copies: SharedCopies;
  /** What the consumer was given last. */
  #given: SharedCopy | undefined;
  #over = false;
  /** The source has been asked for a chunk. */
  #waiting = false;
  #pulls = 0;

  constructor(source: AsyncIterable<Uint8Array>, events: BodyStreamEvents, copies: SharedCopies) {
    this.#source = source;
    this.#events = events;
    this.#copies = copies;
    this.stream = new ReadableStream<Uint8Array>(this, ON_DEMAND);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  pull(): void {
    // Of several reads at once, the next is served when this one is.
    if (this.#waiting || this.#over) return;
    this.#pulls += 1;
    if (this.#given !== undefined && isTransferred(this.#given)) this.#transferred(this.#given);
    else this.#next();
  }

  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.#events.onCancel();
    this.#release();
  }

  /** The next result of the source. */
  resolve(result: IteratorResult<Uint8Array, unknown>): void {
    if (this.#over) return;
    if (result.done === true) {
      this.#over = true;
      this.#events.onEnd();
      this.#controller.close();
    } else if (!isBytes(result.value)) {
      releaseIterator(this.#iterator);
      this.reject(new TypeError('a streamed body must give Uint8Array chunks'));
    } else if (result.value.byteLength === 0) {
      this.#next();
    } else {
      this.#waiting = false;
      this.#controller.enqueue(this.#copyOf(result.value));
    }
  }

  reject(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#events.onFailure(error)) this.#controller.close();
    else this.#break();
  }

  breakOff(): void {
    if (this.#over) return;
    this.#over = true;
    this.#release();
    this.#break();
  }

  /** While the source is waited for, the client is not. */
  progress(): number | undefined {
    return this.#waiting ? undefined : this.#pulls;
  }

  abandon(): void {
    this.#events.onStall();
    this.breakOff();
  }

  #next(): void {
    this.#waiting = true;
    try {
      const iterator: ChunkIterator = (this.#iterator ??= this.#source[Symbol.asyncIterator]());
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

  #copyOf(chunk: Uint8Array): Uint8Array {
    if (this.#iterator?.nextTo === undefined) return new Uint8Array(chunk);
    this.#given = this.#copies.of(chunk);
    return this.#given.bytes;
  }

  /**
   * Somebody has transferred the copy that this consumer had, perhaps before the consumer had read it. Its watch breaks off, for
   * the client to resume it, unless nobody else can have been the one.
   */
  #transferred({ takers }: SharedCopy): void {
    this.#copies.stopSharing();
    this.#given = undefined;
    if (takers === 1) {
      this.#next();
      return;
    }
    releaseIterator(this.#iterator);
    this.reject(new TypeError(TRANSFERRED));
  }

  #release(): void {
    releaseIterator(this.#iterator ?? this.#source[Symbol.asyncIterator]());
  }

  /** The server may print or send this error: the real one goes to the hook only. */
  #break(): void {
    this.#controller.error(new Error('the response body failed'));
  }
}
