import { joinBytes } from '../../http/bytes.js';
import type { Reading } from '../reading.js';
import { bodyAborted, bodyTooLarge } from '../../http/body-error.js';

/**
 * Reads the body of a fetch request up to a limit; what lies beyond is cancelled unread.
 *
 * @throws BodyError beyond the limit, when the body breaks off, or when the reading is stopped.
 */
export async function readFetchBody(request: Request, limit: number, reading: Reading): Promise<Uint8Array> {
  const stream = request.body as ReadableStream<Uint8Array> | null;
  if (stream === null) return new Uint8Array(0);
  if (Number(request.headers.get('content-length')) > limit) {
    stream.cancel().catch(() => undefined);
    throw bodyTooLarge(limit);
  }

  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let stopped = false;
  reading.stop = () => {
    stopped = true;
    reader.cancel().catch(() => undefined);
  };
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw bodyAborted(cause);
    });
    // A read that is cancelled looks like the end of the body.
    if (stopped) throw bodyAborted();
    if (done) {
      reading.stop = undefined;
      return joinBytes(chunks);
    }
    size += value.byteLength;
    if (size > limit) {
      reader.cancel().catch(() => undefined);
      throw bodyTooLarge(limit);
    }
    chunks.push(value);
  }
}
