import { releaseIterator, type ApiResponse } from './response.js';

/** Bodies up to this many bytes are never compressed. */
export const COMPRESSION_THRESHOLD = 131_072;

const FASTEST = { level: 1 } as const;

/** A longer `Accept-Encoding` counts as absent. */
const MAX_HEADER = 1_024;

/** True when the header lists the bare token `gzip`. As in Kubernetes a weight (`gzip;q=1`) or `*` does not count. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return (
    !!acceptEncoding &&
    acceptEncoding.length <= MAX_HEADER &&
    acceptEncoding.split(',').some((token) => token.trim() === 'gzip')
  );
}

/**
 * Compresses a large body when the client takes gzip. Every stream counts as large. Not meant for watches, nor for
 * responses that have a `Vary` header of their own.
 */
export function compressed(
  response: ApiResponse & { readonly body: Uint8Array | AsyncIterable<Uint8Array> },
  acceptEncoding: string | undefined,
): ApiResponse | Promise<ApiResponse> {
  const { status, body } = response;
  const whole = ArrayBuffer.isView(body);
  if ((whole && body.byteLength <= COMPRESSION_THRESHOLD) || !acceptsGzip(acceptEncoding)) return response;
  const headers = { ...response.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' };
  if (!whole) return { status, headers, body: gzipStream(body) };
  return gzipBytes(body).then((bytes) => ({ status, headers, body: bytes }));
}

/** The bytes as one gzip member, made off the main thread. */
export async function gzipBytes(bytes: Uint8Array): Promise<Uint8Array> {
  const { gzip } = await import('node:zlib');
  return new Promise((resolve, reject) => {
    gzip(bytes, FASTEST, (error, result) => (error ? reject(error) : resolve(result)));
  });
}

/** The stream as one gzip member. The source may reuse a chunk's buffer when the next one is requested. */
export async function* gzipStream(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const { createGzip } = await import('node:zlib');
  const chunks = source[Symbol.asyncIterator]();
  const gzip = createGzip(FASTEST);
  const write = (chunk: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => gzip.write(chunk, (error) => (error ? reject(error) : resolve())));
  const feed = async (): Promise<void> => {
    for await (const chunk of { [Symbol.asyncIterator]: () => chunks }) await write(chunk);
    gzip.end();
  };
  let failure: { readonly error: unknown } | undefined;
  feed().catch((error: unknown) => {
    failure = { error };
    gzip.destroy();
  });
  try {
    for await (const chunk of gzip) yield chunk as Uint8Array;
  } catch (error) {
    throw failure ? failure.error : error;
  } finally {
    // A write that waits for the reader never ends now, and neither does the loop around it.
    gzip.destroy();
    releaseIterator(chunks);
  }
  if (failure) throw failure.error;
}
