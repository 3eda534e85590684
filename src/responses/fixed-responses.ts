import type { BodyError } from '../http/body.js';
import { textResponse, type ApiResponse, type ResponseHeaders } from '../http/response.js';
import type { Status } from '../model/status.js';
import { failureStatus, SHUTTING_DOWN, UNAUTHORIZED } from './failure-status.js';

/** `cache-control` of nearly every response of an API server. */
export const NO_CACHE = 'no-cache, private';

export const NOT_CACHED: Readonly<Record<string, string>> = /* @__PURE__ */ Object.freeze({
  'cache-control': NO_CACHE,
});

export const NOSNIFF: Readonly<Record<string, string>> = /* @__PURE__ */ Object.freeze({
  'x-content-type-options': 'nosniff',
});

export function badPathText(): ApiResponse {
  return textResponse(400, '400 Bad Request');
}

/** 401 as JSON. There is no `WWW-Authenticate` header: Kubernetes sends none. */
export function unauthorizedResponse(): ApiResponse {
  return statusResponse(UNAUTHORIZED, NOT_CACHED);
}

export function notFoundText(): ApiResponse {
  return textResponse(404, '404 page not found');
}

/** The response to a body that is too large (413) or incomplete (400), for paths that do not send a Status. */
export function bodyFailureText(error: BodyError): ApiResponse {
  return error.code === 'too-large'
    ? textResponse(413, 'Request entity too large')
    : textResponse(400, 'request body is incomplete');
}

/** 429 with `Retry-After: 1`: a limit on requests or watches in flight is reached. */
export function tooManyRequestsText(): ApiResponse {
  return textResponse(429, 'Too many requests, please try again later.', { ...NOT_CACHED, 'retry-after': '1' });
}

/** 431: what Go's server sends if the headers, including the request target, are too large. */
export const TARGET_TOO_LARGE: ApiResponse = /* @__PURE__ */ Object.freeze(
  /* @__PURE__ */ textResponse(431, '431 Request Header Fields Too Large'),
);

/** 500 for an unexpected error. Does not reveal the cause. */
export function internalErrorText(): ApiResponse {
  return textResponse(500, 'Internal Server Error');
}

/** 503 while a server shuts down. Kubernetes writes this body itself, always as JSON, and ends it with two newlines. */
export function shuttingDownResponse(): ApiResponse {
  const { body, ...rest } = statusResponse(failureStatus(503, 'ServiceUnavailable', SHUTTING_DOWN), {
    'retry-after': '1',
    ...NOSNIFF,
  });
  return { ...rest, body: `${body as string}\n` };
}

/** 429 with `Retry-After: 5`: what Kubernetes with `--shutdown-send-retry-after` sends while it shuts down. */
export function shuttingDownText(): ApiResponse {
  return textResponse(429, 'The apiserver is shutting down, please try again later.', { 'retry-after': '5' });
}

/** 504: the request took too long. Kubernetes sends this Status without kind and apiVersion, as text. */
export const GATEWAY_TIMEOUT: ApiResponse = /* @__PURE__ */ Object.freeze({
  status: 504,
  headers: /* @__PURE__ */ Object.freeze({ 'content-type': 'text/plain; charset=utf-8' }),
  body:
    '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout",' +
    '"reason":"Timeout","details":{},"code":504}\n',
});

export function statusResponse(status: Status, headers: ResponseHeaders): ApiResponse {
  return {
    status: status.code ?? 500,
    headers: { 'content-type': 'application/json', ...headers },
    body: `${JSON.stringify(status)}\n`,
  };
}
