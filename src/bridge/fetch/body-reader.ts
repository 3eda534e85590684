import { joinBytes } from '../../http/bytes.js';
import { bodyAborted, bodyTooLarge } from '../../http/body.js';
import type { BodyCall } from '../../http/request.js';
import type { BodyReading } from '../exchange/body-reading.js';

/** The largest body read with `arrayBuffer()`: `request.body` is a stream, which takes @hono/node-server 50 µs. */
const READ_WHOLE_BYTES = 65_536;

/**
 * Reads the body of a fetch request. The rest is cancelled beyond the limit and when the reading is stopped, which
 * takes effect at once, even if the server never ends the stream.
 *
 * @throws BodyError beyond the limit, when the body is incomplete, or when the reading is stopped.
 */
export function readFetchBody(
  request: Request,
  limit: number,
  reading: BodyReading,
  call?: BodyCall,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const { headers } = request;
    const length = Number(headers.get('content-length') ?? NaN);
    // A lenient parser accepts both headers; the length is then unreliable.
    const isSmall = !headers.has('transfer-encoding') && length <= Math.min(limit, READ_WHOLE_BYTES);
    const reader = isSmall ? undefined : request.body?.getReader();
    reading.begin((error) => {
      void reader?.cancel().catch(() => undefined);
      reject(error as Error);
    }, call);
    // After a stop this has no effect: the promise is settled.
    (isSmall ? readWhole(request, limit) : readAll(reader, length, limit)).then(
      (bytes) => {
        reading.finish();
        resolve(bytes);
      },
      (error: unknown) => reading.stop(error),
    );
  });
}

async function readWhole(request: Request, limit: number): Promise<Uint8Array> {
  const buffer = await request.arrayBuffer().catch((cause: unknown) => {
    throw bodyAborted(cause);
  });
  if (buffer.byteLength > limit) throw bodyTooLarge(limit);
  return new Uint8Array(buffer);
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  length: number,
  limit: number,
): Promise<Uint8Array> {
  if (reader === undefined) return new Uint8Array(0);
  if (length > limit) throw bodyTooLarge(limit);
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
