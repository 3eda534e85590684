import { ChunkReader } from '../exchange/chunk-reader.js';
import type { Transfer } from '../exchange/stall-detector.js';
import { isTransferred, type SharedCopies, type SharedCopy } from './shared-copies.js';
import { turnEnd } from './turn-end.js';

/** Callbacks for the end of a response body. One of them is called, once, unless `breakOff` was called. */
export interface BodyStreamEvents {
  /** Called when the source has ended, or the consumer has left or stalled. */
  onOver(code?: 'client-left' | 'reader-stalled'): void;
  /** The source has failed. Returns true if it was only aborted: the stream then ends cleanly. */
  onFailure(error: unknown): boolean;
}

const TRANSFERRED =
  'the buffer of a chunk that several watches share has been transferred: the watch was ended, and chunks are not shared any more';

/**
 * Requests a chunk when the consumer reads, and copies it: the source may reuse its buffer, and the consumer may
 * transfer it. `pull` returns no promise: two for each chunk took a sixth of the CPU time of a frame.
 */
export class BodyStream extends ChunkReader implements Transfer {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #events: BodyStreamEvents;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  readonly #copies: SharedCopies;
  #given: SharedCopy | undefined;
  #waiting = false;
  #pulls = 0;

  constructor(source: AsyncIterable<Uint8Array>, events: BodyStreamEvents, copies: SharedCopies) {
    super(source);
    this.#events = events;
    this.#copies = copies;
    // No chunk is requested before the consumer reads.
    this.stream = new ReadableStream<Uint8Array>(this, { highWaterMark: 0 });
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  pull(): void {
    // Of several concurrent reads, the next one is served after this one.
    if (this.#waiting || this.isOver) return;
    this.#pulls += 1;
    this.#waiting = true;
    if (this.#given !== undefined && isTransferred(this.#given)) this.#transferred(this.#given);
    else this.next();
    if (this.#pulls === 1 && this.#isWatch) void this.#begin();
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

  /** `undefined` while the stream waits for the source and not for the client. */
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

  get #isWatch(): boolean {
    return this.iterator?.nextTo !== undefined;
  }

  /**
   * Servers such as those of Next.js, SvelteKit and h3 send the headers with the first chunk. A watch may have nothing to
   * send for minutes, and clients take it for a server that does not respond: an empty chunk makes these servers begin.
   */
  async #begin(): Promise<void> {
    await turnEnd();
    if (this.#pulls === 1 && this.#waiting && !this.isOver) this.#controller.enqueue(new Uint8Array(0));
  }

  #copyOf(chunk: Uint8Array): Uint8Array {
    // Only watches never write to a chunk after they have delivered it.
    if (!this.#isWatch) return new Uint8Array(chunk);
    this.#given = this.#copies.of(chunk);
    return this.#given.bytes;
  }

  /** The copy was transferred, perhaps before this consumer had read it: the error makes the client resume. */
  #transferred({ takers }: SharedCopy): void {
    this.#copies.stopSharing();
    this.#given = undefined;
    if (takers === 1) this.next();
    else this.fail(new TypeError(TRANSFERRED));
  }

  /** The server may print or send this error: the error itself is passed only to the hook. */
  #break(): void {
    this.#controller.error(new Error('the response body failed'));
  }
}
