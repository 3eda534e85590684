import type { ApiRequest } from './request.js';
import type { ApiResponse } from './response.js';

/**
 * Answers a request, or says `undefined`: *not my path*, the service's own routes go on. Handlers are closures, safe to
 * detach. They may answer synchronously or through a promise; callers await only real promises.
 */
export type ApiHandler = (request: ApiRequest) => ApiResponse | undefined | Promise<ApiResponse | undefined>;
