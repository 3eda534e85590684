import { type ApiResponse, textResponse } from '../http/response.js';

/** The 429 for requests beyond a limit on concurrency: text with `Retry-After: 1`. */
export function tooManyRequestsText(): ApiResponse {
  return textResponse(429, 'Too many requests, please try again later.', {
    'cache-control': 'no-cache, private',
    'retry-after': '1',
  });
}
