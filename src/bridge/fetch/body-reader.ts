import { joinBytes } from '../../http/bytes.js';
import { bodyAborted, bodyTooLarge } from '../../http/body-error.js';
import type { BodyCall } from '../../http/request.js';
import type { Reading } from '../reading.js';

/**
 * Reads the body of a fetch request up to a limit; what lies beyond is cancelled unread, and so is the rest of a body that
 * is given up. Who gives it up is heard at once, also where the server has forgotten the stream.
 *
 * @throws BodyError beyond the limit, when the body breaks off, or when the reading is stopped.
 */
export async function readFetchBody(
  request: Request,
  limit: number,
  reading: Reading,
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
      reading.over();
      reader.cancel().catch(() => undefined);
      reject(error as Error);
    };
    reading.begin(stop, call);
    reading.follow();
    // What comes after a stop changes nothing: the promise is settled.
    readAll(reader, limit).then((bytes) => {
      reading.over();
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
