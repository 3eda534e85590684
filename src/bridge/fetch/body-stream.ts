import { isBytes } from '../../http/bytes.js';
import { releaseIterator } from '../../http/response.js';
import type { Transfer } from '../exchange/stall-detector.js';

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
 * buffer for the next one.
 */
export function bodyStream(source: AsyncIterable<Uint8Array>, events: BodyStreamEvents): BodyStream {
  let iterator: AsyncIterator<Uint8Array> | undefined;
  let over = false;
  let pulls = 0;
  let pulling = false;
  let controller!: ReadableStreamDefaultController<Uint8Array>;

  // The server may print or send this error: the real one goes to the hook only.
  const broken = (): void => controller.error(new Error('the response body failed'));
  const fail = (error: unknown): void => {
    if (over) return;
    over = true;
    if (events.onFailure(error)) controller.close();
    else broken();
  };
  const release = (): void => releaseIterator(iterator ?? source[Symbol.asyncIterator]());
  const breakOff = (): void => {
    if (over) return;
    over = true;
    release();
    broken();
  };

  const next = async (): Promise<void> => {
    try {
      iterator ??= source[Symbol.asyncIterator]();
      let result = await iterator.next();
      while (result.done !== true && isBytes(result.value) && result.value.byteLength === 0 && !over) {
        result = await iterator.next();
      }
      if (over) return;
      if (result.done === true) {
        over = true;
        events.onEnd();
        controller.close();
      } else if (isBytes(result.value)) {
        pulling = false;
        controller.enqueue(new Uint8Array(result.value));
      } else {
        releaseIterator(iterator);
        fail(new TypeError('a streamed body must give Uint8Array chunks'));
      }
    } catch (error) {
      fail(error);
    }
  };

  const stream = new ReadableStream<Uint8Array>(
    {
      start(made): void {
        controller = made;
      },
      pull(): Promise<void> {
        pulling = true;
        pulls += 1;
        return next();
      },
      cancel(): void {
        if (over) return;
        over = true;
        events.onCancel();
        release();
      },
    },
    { highWaterMark: 0 },
  );
  return {
    stream,
    breakOff,
    // While a chunk is being pulled the source is what is waited for, not the client.
    progress: () => (pulling ? undefined : pulls),
    abandon(): void {
      events.onStall();
      breakOff();
    },
  };
}
