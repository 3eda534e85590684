import { isBytes } from './bytes.js';

/** Header names are lower-case. A list becomes one header line per value. Never contains hop-by-hop headers. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * What a handler answers. A watch and a large list are ordinary responses whose body is an async iterable; it ends when
 * the request's signal is aborted. **A chunk belongs to the consumer until it asks for the next one**: producers reuse
 * buffers, so whoever keeps a chunk longer copies it. Nobody writes to one, and nobody transfers its `buffer`: others may be
 * sent the same, and it holds other chunks.
 */
export interface ApiResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
  /**
   * Present where the bytes of `body` are lent: told once, when they were sent, so that their memory can serve again. The
   * bridge to Node does; whoever does not, or keeps the answer for longer, leaves it out and nothing is lost.
   */
  readonly release?: () => void;
  /**
   * Present where a streamed answer has a deadline: aborted when it is to be given up, also while a chunk is on its way to
   * the client. Bridges then break the connection (or the stream of HTTP/2) off, so that nobody takes the part for the
   * whole, and let the source go. It may be a getter of a class, which
   * makes one: `{ ...response }` leaves it out, so name it where you copy an answer. The bridge to Node reads it after 100 ms,
   * where the answer is not sent by then.
   */
  readonly signal?: AbortSignal;
}

/** Releases a source that will not be read, started or not. */
export function releaseSource(source: AsyncIterable<Uint8Array>): void {
  try {
    releaseIterator(source[Symbol.asyncIterator]());
  } catch {
    // It could not even begin.
  }
}

/**
 * Tells an iterator that it is no longer needed. Never awaited: a parked generator settles this only after its source has
 * ended on the signal. Its result is ignored.
 */
export function releaseIterator(iterator: AsyncIterator<Uint8Array> | undefined): void {
  try {
    iterator?.return?.()?.then(undefined, () => undefined);
  } catch {
    // As above.
  }
}

/** Statuses that never have a body. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/** True for a body that is streamed. */
export function isStream(body: ApiResponse['body']): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && !isBytes(body);
}

/**
 * Throws a TypeError for what a bridge could not send. It meets answers of handlers written by the service, whom no
 * compiler may have checked.
 */
export function checkResponse(response: ApiResponse): void {
  const candidate: unknown = response;
  if (typeof candidate !== 'object' || candidate === null) {
    throw new TypeError('a handler must answer { status, headers, body }, or undefined for a path that is not its own');
  }
  const { status, headers, body } = candidate as Record<keyof ApiResponse, unknown>;
  const faults: string[] = [];
  if (!Number.isInteger(status) || (status as number) < 200 || (status as number) > 599) {
    faults.push('status must be an integer from 200 to 599');
  }
  if (typeof headers !== 'object' || headers === null) faults.push('headers must be an object');
  if (!isBody(body)) faults.push('body must be a string, a Uint8Array, an async iterable or null');
  if (faults.length > 0) throw new TypeError(`a handler gave an answer that cannot be sent: ${faults.join('; ')}`);
}

function isBody(body: unknown): boolean {
  if (body === null || typeof body === 'string' || isBytes(body)) return true;
  return (
    typeof body === 'object' && typeof (body as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function'
  );
}

const TEXT_HEADERS: ResponseHeaders = Object.freeze({
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
});

/**
 * A text answer in the form of Go's `http.Error`: the text and a newline, as plain text that browsers must not guess at.
 * `extraHeaders` (lower-case names) are added and win over these.
 */
export function textResponse(status: number, text: string, extraHeaders?: ResponseHeaders): ApiResponse {
  return {
    status,
    headers: extraHeaders === undefined ? TEXT_HEADERS : { ...TEXT_HEADERS, ...extraHeaders },
    body: `${text}\n`,
  };
}

/** What Kubernetes answers on a path that no API serves. */
export function notFoundText(): ApiResponse {
  return textResponse(404, '404 page not found');
}
