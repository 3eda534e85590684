import { CollectedBytes } from '../../http/bytes.js';
import { bodyAborted, bodyTooLarge } from '../../http/body.js';
import type { BodyCall } from '../../http/request.js';
import type { BodyReading } from '../exchange/body-reading.js';
import { turnEnd } from './turn-end.js';

/** The largest body read with `arrayBuffer()`: `request.body` is a stream, which takes @hono/node-server 50 µs. */
const READ_WHOLE_BYTES = 65_536;

/**
 * Reads the body of a fetch request. A stop takes effect at once, even if the server never ends the stream. A body with
 * a `Content-Length` above the limit is left unread: the server then sends the response and discards the body.
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
    if (length > limit) throw bodyTooLarge(limit);
    // A lenient parser accepts both headers; the length is then unreliable.
    const isSmall = !headers.has('transfer-encoding') && length <= READ_WHOLE_BYTES;
    const reader = isSmall ? undefined : request.body?.getReader();
    reading.begin((error) => {
      void cancel(reader);
      reject(error as Error);
    }, call);
    // After a stop this has no effect: the promise is settled.
    (isSmall ? readWhole(request, limit) : readAll(reader, limit)).then(
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
  limit: number,
): Promise<Uint8Array> {
  if (reader === undefined) return new Uint8Array(0);
  const body = new CollectedBytes();
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw bodyAborted(cause);
    });
    if (done) return body.joined();
    if (body.length + value.byteLength > limit) throw bodyTooLarge(limit);
    body.add(value);
  }
}

/** In the next turn: the chunk of a resumed `Readable.toWeb` would be an uncaught "Controller is already closed". */
async function cancel(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<void> {
  await turnEnd();
  await reader?.cancel().catch(() => undefined);
}
