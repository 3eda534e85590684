import { type ApiResponse, isBodiless, isStream, releaseSource, type ResponseHeaders } from '../../http/response.js';
import type { AbortCode } from '../../model/abort-code.js';

/** A status that never has content, but has a Content-Length of 0, unlike 204 and 304 (RFC 9110, 15.3.6). */
const RESET_CONTENT = 205;

export function streamOf(method: string, { status, body }: ApiResponse): AsyncIterable<Uint8Array> | undefined {
  return isStream(body) && method !== 'HEAD' && status !== RESET_CONTENT && !isBodiless(status) ? body : undefined;
}

/** Returns the body of any other response; `undefined` stands for a stream of unknown length that is not sent. */
export function plainBodyOf({ status, body }: ApiResponse): string | Uint8Array | null | undefined {
  if (status === RESET_CONTENT) return '';
  return isStream(body) ? undefined : body;
}

const NO_TRANSFORM = 'no-transform';

/** Adds `no-transform` (RFC 9111, 5.2.2.6): a compressor holds back the frames of a watch until its buffer is full. */
export function withNoTransform(headers: ResponseHeaders): ResponseHeaders {
  const own = headers['cache-control'];
  const directives = own === undefined ? [] : [own].flat();
  if (directives.some((directive) => directive.toLowerCase().includes(NO_TRANSFORM))) return headers;
  return { ...headers, 'cache-control': [...directives, NO_TRANSFORM].join(', ') };
}

/** Releases the source of a response that is not sent. The response may be any value. */
export function drop(exchange: { abort(code: AbortCode): void }, response: unknown): void {
  const source = sourceOf(response);
  if (source === undefined) return;
  exchange.abort('body-unwanted');
  releaseSource(source);
}

/** Returns the streamed body, if there is one. Never throws, although reading a member of the response may. */
function sourceOf(response: unknown): AsyncIterable<Uint8Array> | undefined {
  try {
    const body = (response as ApiResponse).body ?? null;
    return isStream(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
