import { isBytes } from '../../http/bytes.js';
import { releaseIterator, releaseSource } from '../../http/response.js';

/** An iterator that may deliver results without promises, as the iterators of watches do: see `ParkedIterator`. */
type ChunkIterator = AsyncIterator<Uint8Array> & { nextTo?(taker: ChunkReader): void };

/**
 * Reads a streamed body chunk by chunk. `for await` cannot leave a source that waits in `next()`, and racing promises
 * for each chunk would leak memory. A class: closures of a thousand watches would be optimized one by one.
 */
export abstract class ChunkReader {
  protected isOver = false;
  protected iterator: ChunkIterator | undefined;
  readonly #source: AsyncIterable<Uint8Array>;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source;
  }

  /** Called with each chunk that is not empty. It is not called again before `next` is called. */
  protected abstract onChunk(chunk: Uint8Array): void;
  protected abstract onEnd(): void;
  protected abstract onFailure(error: unknown): void;

  next(): void {
    if (this.isOver) return;
    try {
      const iterator: ChunkIterator = (this.iterator ??= this.#source[Symbol.asyncIterator]());
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

  resolve(result: IteratorResult<Uint8Array, unknown>): void {
    if (this.isOver) return;
    let chunk: Uint8Array | undefined;
    try {
      chunk = chunkOf(result);
    } catch (error) {
      this.fail(error);
      return;
    }
    if (chunk === undefined) {
      this.isOver = true;
      this.onEnd();
    } else if (chunk.byteLength === 0) {
      this.next();
    } else {
      this.onChunk(chunk);
    }
  }

  reject(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.onFailure(error);
  }

  /** Releases the source because of an error that is not its own. */
  protected fail(error: unknown): void {
    releaseIterator(this.iterator);
    this.reject(error);
  }

  protected release(): void {
    this.isOver = true;
    if (this.iterator === undefined) releaseSource(this.#source);
    else releaseIterator(this.iterator);
  }
}

/** Returns the chunk of a result, `undefined` at the end. The source may be of the service: a result may be anything. */
function chunkOf({ done, value }: IteratorResult<Uint8Array, unknown>): Uint8Array | undefined {
  if (done === true) return undefined;
  // The length of a Proxy of bytes cannot be read.
  if (isBytes(value) && value.byteLength >= 0) return value;
  throw new TypeError('a streamed body must yield Uint8Array chunks');
}
