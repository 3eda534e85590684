import type { ApiResponse, ResponseHeaders } from './response.js';

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
