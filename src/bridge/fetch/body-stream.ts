import { isBytes } from '../../http/bytes.js';
import { releaseIterator } from '../release.js';

/** What happens to a body on its way out. Exactly one of these is called, once. */
export interface BodyStreamEvents {
  ended(): void;
  /** True when the error only says that the source was aborted: the stream then ends cleanly. */
  failed(error: unknown): boolean;
  /** The consumer does not want the rest. */
  cancelled(): void;
}

/**
 * A ReadableStream over a source. It asks for a chunk only when somebody reads, and copies it: the source may reuse its
 * buffer for the next one.
 */
export function bodyStream(source: AsyncIterable<Uint8Array>, events: BodyStreamEvents): ReadableStream<Uint8Array> {
  let iterator: AsyncIterator<Uint8Array> | undefined;
  let over = false;

  const fail = (controller: ReadableStreamDefaultController<Uint8Array>, error: unknown): void => {
    if (over) return;
    over = true;
    // The server may print or send what the stream fails with: the real error goes to the hook only.
    if (events.failed(error)) controller.close();
    else controller.error(new Error('the response body failed'));
  };

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller): Promise<void> {
        try {
          iterator ??= source[Symbol.asyncIterator]();
          let result = await iterator.next();
          while (result.done !== true && isBytes(result.value) && result.value.byteLength === 0 && !over) {
            result = await iterator.next();
          }
          if (over) return;
          if (result.done === true) {
            over = true;
            events.ended();
            controller.close();
          } else if (isBytes(result.value)) {
            controller.enqueue(new Uint8Array(result.value));
          } else {
            releaseIterator(iterator);
            fail(controller, new TypeError('a streamed body must give Uint8Array chunks'));
          }
        } catch (error) {
          fail(controller, error);
        }
      },
      cancel(): void {
        if (over) return;
        over = true;
        events.cancelled();
        releaseIterator(iterator ?? source[Symbol.asyncIterator]());
      },
    },
    { highWaterMark: 0 },
  );
}
