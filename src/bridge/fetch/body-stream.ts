import { ChunkReader } from '../exchange/chunk-reader.js';
import type { Transfer } from '../exchange/stall-detector.js';
import { isTransferred, type SharedCopies, type SharedCopy } from './shared-copies.js';

/** What happens to a body on its way out. One of these is called, once, unless `breakOff` was. */
export interface BodyStreamEvents {
  /** The source has ended, or the consumer has left or stalled. */
  onOver(code?: 'client-left' | 'reader-stalled'): void;
  /** Returns true when the error only says that the source was aborted: the stream then ends cleanly. */
  onFailure(error: unknown): boolean;
}

const TRANSFERRED =
  'the buffer of a chunk that several watches share has been transferred: the watch was ended, and chunks are not shared any more';

/** Nothing is made before the consumer reads. */
const ON_DEMAND = { highWaterMark: 0 } as const;

/**
 * A ReadableStream over a source. It requests a chunk only when the consumer reads, and copies it: the source may reuse its
 * buffer for the next one, and a server or middleware may transfer what it is given. Watches share their copies.
 *
 * `pull` returns no promise: the stream asks again when the consumer reads again, and two promises for each chunk were a sixth
 * of a frame's cost.
 */
export class BodyStream extends ChunkReader implements Transfer {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #events: BodyStreamEvents;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  readonly #copies: SharedCopies;
  /** What the consumer was given last. */
  #given: SharedCopy | undefined;
  /** A chunk was requested of the source. */
  #waiting = false;
  #pulls = 0;

  constructor(source: AsyncIterable<Uint8Array>, events: BodyStreamEvents, copies: SharedCopies) {
    super(source);
    this.#events = events;
    this.#copies = copies;
    this.stream = new ReadableStream<Uint8Array>(this, ON_DEMAND);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  pull(): void {
    // Of several reads at once, the next is served when this one is.
    if (this.#waiting || this.isOver) return;
    this.#pulls += 1;
    this.#waiting = true;
    if (this.#given !== undefined && isTransferred(this.#given)) this.#transferred(this.#given);
    else this.next();
  }

  cancel(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#events.onOver('client-left');
    this.release();
  }

  /** Ends the body with an error and releases the source. Calls none of the events. */
  breakOff(): void {
    if (this.isOver) return;
    this.release();
    this.#break();
  }

  /** While the source is waited for, the client is not. */
  progress(): number | undefined {
    return this.#waiting ? undefined : this.#pulls;
  }

  abandon(): void {
    this.#events.onOver('reader-stalled');
    this.breakOff();
  }

  protected override onChunk(chunk: Uint8Array): void {
    this.#waiting = false;
    this.#controller.enqueue(this.#copyOf(chunk));
  }

  protected override onEnd(): void {
    this.#events.onOver();
    this.#controller.close();
  }

  protected override onFailure(error: unknown): void {
    if (this.#events.onFailure(error)) this.#controller.close();
    else this.#break();
  }

  #copyOf(chunk: Uint8Array): Uint8Array {
    // Only watches never write to a chunk that they have given.
    if (this.iterator?.nextTo === undefined) return new Uint8Array(chunk);
    this.#given = this.#copies.of(chunk);
    return this.#given.bytes;
  }

  /**
   * The copy that this consumer had was transferred, perhaps before it was read. The watch breaks off, so
   * that the client resumes it, unless no other consumer has had the copy.
   */
  #transferred({ takers }: SharedCopy): void {
    this.#copies.stopSharing();
    this.#given = undefined;
    if (takers === 1) this.next();
    else this.fail(new TypeError(TRANSFERRED));
  }

  /** The server may print or send this error: the real one goes to the hook only. */
  #break(): void {
    this.#controller.error(new Error('the response body failed'));
  }
}
