import { isBytes } from './bytes.js';

/** Header names are lower-case. A list becomes one header line per value. Never contains hop-by-hop headers. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * What a handler returns. A watch and a large list are ordinary responses whose body is an async iterable; it ends when
 * the request's signal is aborted. **A chunk belongs to the consumer until it requests the next one**: producers reuse
 * buffers, so copy what you keep longer. Do not write to a chunk or transfer its `buffer`, which other clients and
 * other chunks may share.
 */
export interface ApiResponse {
  /** The HTTP status code. */
  readonly status: number;
  /** The headers, without those of the connection. */
  readonly headers: ResponseHeaders;
  /** Text, bytes, a stream of bytes, or `null` for none. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
  /**
   * Present where the memory of `body` can be reused: called at most once, when its bytes were sent. The bridge to Node
   * calls it; code that sends responses itself, or keeps them, need not.
   */
  readonly release?: (() => void) | undefined;
  /**
   * Present where a streamed response has a deadline: aborted when that has passed, also while a chunk is on its way to
   * the client. Bridges then close the connection (over HTTP/2 the stream), so that no client takes the part for the
   * whole, and release the source. It may be a getter on a prototype, which `{ ...response }` does not copy: copy it by
   * name. The bridge to Node reads it after 100 ms, if the response is not sent by then.
   */
  readonly signal?: AbortSignal | undefined;
}

export function releaseSource(source: AsyncIterable<Uint8Array>): void {
  try {
    releaseIterator(source[Symbol.asyncIterator]());
  } catch {
    // There is no iterator to release.
  }
}

/** `return` is not awaited: a generator that waits for its source settles the promise only when that source ends. */
export function releaseIterator(iterator: AsyncIterator<Uint8Array> | undefined): void {
  try {
    iterator?.return?.()?.then(undefined, () => undefined);
  } catch {
    // The caller has no use for this error.
  }
}

export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

export function isStream(body: ApiResponse['body']): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && !isBytes(body);
}

/** Throws a TypeError for a response that a bridge could not send: a service may write its handlers in JavaScript. */
export function checkResponse(response: ApiResponse): void {
  const candidate: unknown = response;
  if (typeof candidate !== 'object' || candidate === null) {
    throw new TypeError('a handler must return { status, headers, body }, or undefined for a path that is not its own');
  }
  const { status, headers, body } = candidate as Record<keyof ApiResponse, unknown>;
  const faults: string[] = [];
  if (!Number.isInteger(status) || (status as number) < 200 || (status as number) > 599) {
    faults.push('status must be an integer from 200 to 599');
  }
  if (typeof headers !== 'object' || headers === null || Symbol.iterator in headers) {
    faults.push('headers must be a plain object, such as Object.fromEntries(headers)');
  }
  if (!isBody(body)) faults.push('body must be a string, a Uint8Array, an async iterable or null');
  if (faults.length > 0) throw new TypeError(`a handler returned a response that cannot be sent: ${faults.join('; ')}`);
}

function isBody(body: unknown): boolean {
  if (body === null || typeof body === 'string' || isBytes(body)) return true;
  return typeof (body as Partial<AsyncIterable<unknown>> | undefined)?.[Symbol.asyncIterator] === 'function';
}

const TEXT_HEADERS: ResponseHeaders = /* @__PURE__ */ Object.freeze({
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
});

/** A text response in the form of Go's `http.Error`. `extraHeaders` (lower-case names) win over the usual ones. */
export function textResponse(status: number, text: string, extraHeaders?: ResponseHeaders): ApiResponse {
  return {
    status,
    headers: extraHeaders === undefined ? TEXT_HEADERS : { ...TEXT_HEADERS, ...extraHeaders },
    body: `${text}\n`,
  };
}
