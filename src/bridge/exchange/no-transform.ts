import type { ResponseHeaders } from '../../http/response.js';

const NO_TRANSFORM = 'no-transform';

/**
 * The headers of a stream that middleware may see: with `no-transform` in `Cache-Control` (RFC 9111, 5.2.2.6), because a
 * compressor holds back the frames of a watch until its buffer is full.
 */
export function withNoTransform(headers: ResponseHeaders): ResponseHeaders {
  const own = headers['cache-control'];
  const directives = own === undefined ? [] : [own].flat();
  if (directives.some((directive) => directive.toLowerCase().includes(NO_TRANSFORM))) return headers;
  return { ...headers, 'cache-control': [...directives, NO_TRANSFORM].join(', ') };
}
