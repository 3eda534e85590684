import { badRequest, internalError, tooLarge } from '../../api/status/failures.js';
import { isStatusError, type StatusError } from '../../api/status/status-error.js';
import { isStoreError } from '../../store/errors.js';
import { isBodyError } from '../../http/body.js';
import { isHookFailure } from './observed-authorizer.js';
import type { Scope } from '../scope.js';
import { storeFailure } from '../request/store-failures.js';

/** What a client is told about an error, wherever it was thrown; undefined for one that nobody expected. */
export function statusErrorOf(error: unknown, scope: Scope | undefined): StatusError | undefined {
  if (isStatusError(error)) return error;
  // Whatever the hook threw, a store's error included: it was reported, and is no answer to this request.
  if (isHookFailure(error)) return internalError();
  if (isStoreError(error)) {
    return storeFailure(error, { group: scope?.group ?? '', resource: 'events' }, scope?.name ?? '');
  }
  if (!isBodyError(error)) return undefined;
  return error.code === 'too-large'
    ? tooLarge(`limit is ${error.limit ?? 0}`)
    : badRequest('the request body ended before it was complete');
}
