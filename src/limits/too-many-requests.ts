import { type ApiResponse, textResponse } from '../http/response.js';

/** 429 as text with `Retry-After: 1`: the answer where a limit on requests or watches in flight is reached. */
export function tooManyRequestsText(): ApiResponse {
  return textResponse(429, 'Too many requests, please try again later.', {
    'cache-control': 'no-cache, private',
    'retry-after': '1',
  });
}
