import type { Clock } from '../clock/clock.js';
import { auditIdOf } from '../http/headers.js';
import { isPromise } from '../http/promise.js';
import type { ApiRequest } from '../http/request.js';
import type { ApiResponse } from '../http/response.js';
import { parseGoDuration } from '../time/go-duration.js';
import { badTimeoutMessage, failureStatus } from '../responses/failure-status.js';
import { NOT_CACHED, statusResponse, GATEWAY_TIMEOUT } from '../responses/fixed-responses.js';

/** Returns 400 for an invalid `?timeout=`. `fault` is Go's error text. */
export function badTimeout(fault: string): ApiResponse {
  return statusResponse(failureStatus(400, 'BadRequest', badTimeoutMessage(fault)), NOT_CACHED);
}

/** Returns 504 when the response is not ready after `ms` milliseconds. Without a limit it is passed through. */
export function withinLimit(
  response: ApiResponse | Promise<ApiResponse>,
  ms: number | undefined,
  clock: Clock,
): ApiResponse | Promise<ApiResponse> {
  if (ms === undefined || !isPromise(response)) return response;
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(() => resolve(uncached(GATEWAY_TIMEOUT)), ms);
    response.then(resolve, reject).finally(() => timer.cancel());
  });
}

export function asHead(response: ApiResponse): ApiResponse {
  if (typeof response.body !== 'string') return { ...response, body: null };
  const length = String(new TextEncoder().encode(response.body).length);
  return { status: response.status, headers: { ...response.headers, 'content-length': length }, body: null };
}

/** Adds `cache-control` to a response that has none, such as one from outside the health module. */
export function uncached(response: ApiResponse): ApiResponse {
  if ('cache-control' in response.headers) return response;
  return { ...response, headers: { ...response.headers, ...NOT_CACHED } };
}

export function audited(request: ApiRequest, response: ApiResponse): ApiResponse {
  // The id is first, because V8 takes 1 µs to add a property to an object that a spread created.
  return { ...response, headers: { 'audit-id': auditIdOf(request), ...response.headers } };
}

/** Kubernetes: `--request-timeout`. Applies in place of zero, negative and longer values. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Reads `?timeout=`; `undefined` if it is absent, not above zero, or not shorter than the default. */
export function requestTimeout(text: string | undefined): ReturnType<typeof parseGoDuration> | undefined {
  if (text === undefined || text === '') return undefined;
  const parsed = parseGoDuration(text);
  if ('fault' in parsed) return parsed;
  return parsed.ms > 0 && parsed.ms < REQUEST_TIMEOUT_MS ? parsed : undefined;
}
