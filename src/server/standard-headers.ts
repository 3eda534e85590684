import { auditIdOf } from '../http/headers.js';
import type { ApiRequest } from '../http/request.js';
import type { ApiResponse } from '../http/response.js';
import { NOT_CACHED } from '../responses/fixed-responses.js';

/**
 * Adds what every answer of an API server carries, where it is not there yet: `audit-id` (the request's own when it can
 * be a header value, else a new UUID) and `cache-control`.
 */
export function withStandardHeaders(request: ApiRequest, response: ApiResponse): ApiResponse {
  const { headers } = response;
  if ('audit-id' in headers && 'cache-control' in headers) return response;
  return { ...response, headers: { 'audit-id': auditIdOf(request), ...NOT_CACHED, ...headers } };
}
