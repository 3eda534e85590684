import { joinBytes } from '../../http/bytes.js';
import { bodyAborted, bodyTooLarge } from '../../http/body.js';
import type { BodyCall } from '../../http/request.js';
import type { BodyReading } from '../exchange/body-reading.js';

/**
 * Reads the body of a fetch request up to a limit, and cancels the rest of it beyond the limit or when the reading is stopped.
 * A stop takes effect at once, also where the server never ends the stream.
 *
 * @throws BodyError beyond the limit, when the body breaks off, or when the reading is stopped.
 */
export async function readFetchBody(
  request: Request,
  limit: number,
  reading: BodyReading,
  call?: BodyCall,
): Promise<Uint8Array> {
  const stream = request.body as ReadableStream<Uint8Array> | null;
  if (stream === null) return new Uint8Array(0);
  if (Number(request.headers.get('content-length')) > limit) {
    stream.cancel().catch(() => undefined);
    throw bodyTooLarge(limit);
  }

  const reader = stream.getReader();
  return new Promise((resolve, reject) => {
    const stop = (error: unknown): void => {
      reading.finish();
      reader.cancel().catch(() => undefined);
      reject(error as Error);
    };
    reading.begin(stop, call);
    reading.subscribe();
    // After a stop this has no effect: the promise is settled.
    readAll(reader, limit).then((bytes) => {
      reading.finish();
      resolve(bytes);
    }, stop);
  });
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw bodyAborted(cause);
    });
    if (done) return joinBytes(chunks);
    size += value.byteLength;
    if (size > limit) throw bodyTooLarge(limit);
    chunks.push(value);
  }
}
