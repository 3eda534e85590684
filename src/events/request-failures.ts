import { badRequest, tooLarge } from '../api/status/failures.js';
import { isStatusError, type StatusError } from '../api/status/status-error.js';
import { isBodyError } from '../http/body-error.js';
import { isStoreError } from '../store/errors.js';
import type { Scope } from './scope.js';
import { storeFailure } from './store-failures.js';

/** What a client is told about an error, wherever it was thrown; undefined for one that nobody expected. */
export function statusErrorOf(error: unknown, scope: Scope | undefined): StatusError | undefined {
  if (isStatusError(error)) return error;
  if (isStoreError(error)) {
    return storeFailure(error, { group: scope?.group ?? '', resource: 'events' }, scope?.name ?? '');
  }
  if (!isBodyError(error)) return undefined;
  return error.code === 'too-large'
    ? tooLarge(`limit is ${error.limit ?? 0}`)
    : badRequest('the request body ended before it was complete');
}
