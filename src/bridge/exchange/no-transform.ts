import type { ResponseHeaders } from '../../http/response.js';

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
