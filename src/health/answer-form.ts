import type { Clock } from '../clock/clock.js';
import { refusalStatus } from '../auth/refusal.js';
import { auditIdOf } from '../http/headers.js';
import { isPromise } from '../http/promise.js';
import type { ApiRequest } from '../http/request.js';
import type { ApiResponse } from '../http/response.js';
import { NO_CACHE } from './render.js';
import { parseGoDuration } from '../time/go-duration.js';

/** 400 for an invalid `?timeout=`. `fault` is Go's text. */
export function badTimeout(fault: string): ApiResponse {
  const message = `invalid timeout specified in the request URL - ${fault}`;
  const status = refusalStatus(400, 'BadRequest', message);
  return {
    status: 400,
    headers: { 'content-type': 'application/json', ...NO_CACHE },
    body: `${JSON.stringify(status)}\n`,
  };
}

/** 504 when the request's own time limit has passed. Kubernetes sends this Status without kind and as text. */
const TIMED_OUT: ApiResponse = Object.freeze({
  status: 504,
  headers: Object.freeze({ 'content-type': 'text/plain; charset=utf-8', ...NO_CACHE }),
  body: '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}\n',
});

/** Returns 504 when the response is not ready after `ms` milliseconds. Without a limit the response is passed through. */
export function withinLimit(
  answer: ApiResponse | Promise<ApiResponse>,
  ms: number | undefined,
  clock: Clock,
): ApiResponse | Promise<ApiResponse> {
  if (ms === undefined || !isPromise(answer)) return answer;
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(() => resolve(TIMED_OUT), ms);
    answer.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** The response to HEAD: the headers of GET, with the length of its body. */
export function asHead(response: ApiResponse): ApiResponse {
  if (typeof response.body !== 'string') return { ...response, body: null };
  const length = String(new TextEncoder().encode(response.body).length);
  return { status: response.status, headers: { ...response.headers, 'content-length': length }, body: null };
}

/** Adds `cache-control` to responses that another room has made. */
export function uncached(response: ApiResponse): ApiResponse {
  if ('cache-control' in response.headers) return response;
  return { ...response, headers: { ...response.headers, ...NO_CACHE } };
}

/** Adds `audit-id`: the request's own if it is a valid header value, else a new one. */
export function audited(request: ApiRequest, response: ApiResponse): ApiResponse {
  return { ...response, headers: { ...response.headers, 'audit-id': auditIdOf(request) } };
}

/** Kubernetes: `--request-timeout`. Zero, negative and longer values mean this. */
const REQUEST_TIMEOUT_MS = 60_000;

/** The limit that a request sets with `?timeout=`: milliseconds, or Go's error text. */
export type RequestTimeout = { readonly ms: number } | { readonly fault: string };

/** Reads `?timeout=`. `undefined` if there is none, or none shorter than {@link REQUEST_TIMEOUT_MS}. */
export function requestTimeout(text: string | undefined): RequestTimeout | undefined {
  if (text === undefined || text === '') return undefined;
  const parsed = parseGoDuration(text);
  if ('fault' in parsed) return parsed;
  return parsed.ms > 0 && parsed.ms < REQUEST_TIMEOUT_MS ? parsed : undefined;
}
