import { auditIdOf } from '../http/headers.js';
import type { ApiRequest } from '../http/request.js';
import type { ApiResponse } from '../http/response.js';

const NO_CACHE = 'no-cache, private';

/**
 * Adds what every answer of an API server carries, where it is not there yet: `audit-id` (the request's own when it can
 * be a header value, else a new UUID) and `cache-control`.
 */
export function withStandardHeaders(request: ApiRequest, response: ApiResponse): ApiResponse {
  const { headers } = response;
  if ('audit-id' in headers && 'cache-control' in headers) return response;
  return { ...response, headers: { 'audit-id': auditIdOf(request), 'cache-control': NO_CACHE, ...headers } };
}
