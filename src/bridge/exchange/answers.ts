import { type ApiResponse, isStream, type ResponseHeaders } from '../../http/response.js';

/**
 * The status of an answer that never has content, but has a Content-Length of 0, unlike 204 and 304 (RFC 9110,
 * 15.3.6).
 */
export const RESET_CONTENT = 205;

const NO_TRANSFORM = 'no-transform';

/**
 * Returns the headers for a stream that passes through middleware: with `no-transform` in `Cache-Control` (RFC 9111,
 * 5.2.2.6), because a compressor holds back the frames of a watch until its buffer is full.
 */
export function withNoTransform(headers: ResponseHeaders): ResponseHeaders {
  const own = headers['cache-control'];
  const directives = own === undefined ? [] : [own].flat();
  if (directives.some((directive) => directive.toLowerCase().includes(NO_TRANSFORM))) return headers;
  return { ...headers, 'cache-control': [...directives, NO_TRANSFORM].join(', ') };
}

/**
 * Returns the body of an answer that is not sent, if it is a stream. The answer may be any value, also one that throws
 * when a member is read.
 */
export function sourceOf(answer: unknown): AsyncIterable<Uint8Array> | undefined {
  try {
    const body = (answer as ApiResponse | null | undefined)?.body ?? null;
    return isStream(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
