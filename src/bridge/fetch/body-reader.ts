import { joinBytes } from '../../http/bytes.js';
import { bodyAborted, bodyTooLarge } from '../../http/body.js';
import type { BodyCall } from '../../http/request.js';
import type { BodyReading } from '../exchange/body-reading.js';

/**
 * The largest body that is read with `arrayBuffer()`: for `request.body`, @hono/node-server creates a stream, which
 * takes 50 µs.
 */
const READ_WHOLE_BYTES = 65_536;

/**
 * Reads the body of a fetch request up to a limit. The rest of the body is cancelled beyond the limit and when the
 * reading is stopped. Stopping takes effect at once, even if the server never ends the stream. A body with a small
 * `Content-Length` is read as a whole.
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
    const reader = readerOf(request, limit);
    reading.begin((error) => {
      reader.cancel();
      reject(error as Error);
    }, call);
    // After a stop this has no effect: the promise is settled.
    reader.bytes.then(
      (bytes) => {
        reading.finish();
        resolve(bytes);
      },
      (error: unknown) => reading.stop(error),
    );
  });
}

interface Reader {
  readonly bytes: Promise<Uint8Array>;
  cancel(): void;
}

function readerOf(request: Request, limit: number): Reader {
  const { headers } = request;
  const length = Number(headers.get('content-length') ?? NaN);
  // A lenient parser accepts both headers; the length is then unreliable.
  const isExact = !headers.has('transfer-encoding');
  if (isExact && length <= Math.min(limit, READ_WHOLE_BYTES))
    return { bytes: readWhole(request, limit), cancel: () => undefined };
  const reader = request.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
  const bytes =
    reader === undefined
      ? Promise.resolve(new Uint8Array(0))
      : length > limit
        ? Promise.reject(bodyTooLarge(limit))
        : readAll(reader, limit);
  return { bytes, cancel: () => void reader?.cancel().catch(() => undefined) };
}

async function readWhole(request: Request, limit: number): Promise<Uint8Array> {
  const buffer = await request.arrayBuffer().catch((cause: unknown) => {
    throw bodyAborted(cause);
  });
  if (buffer.byteLength > limit) throw bodyTooLarge(limit);
  return new Uint8Array(buffer);
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
