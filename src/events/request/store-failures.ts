import {
  alreadyExists,
  badRequest,
  conflict,
  expired,
  insufficientStorage,
  notFound,
  serviceUnavailable,
  timeout,
  tooLarge,
  type GroupResource,
} from '../../api/status/failures.js';
import type { StatusFailure } from '../../api/status/status-failure.js';
import { SHUTTING_DOWN } from '../../responses/failure-status.js';
import type { Revision } from '../../store/contract/event-store.js';
import { isStoreError, type StoreError } from '../../store/contract/errors.js';

/** The text of every version conflict. */
export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** True for the error of a conditional write whose event was changed or removed since it was read. */
export function isOutdated(error: unknown): boolean {
  return isStoreError(error) && (error.code === 'conflict' || error.code === 'not-found');
}

/** 504 for a revision that has not happened yet. */
export function futureRevision(asked: Revision | string, current: Revision): StatusFailure {
  return timeout(`Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
  });
}

/** The Status for an error of the store. Verbs for which a code means something else handle it before. */
export function storeFailure(error: StoreError, resource: GroupResource, name: string): StatusFailure {
  switch (error.code) {
    case 'exists':
      return alreadyExists(resource, name);
    case 'not-found':
      return notFound(resource, name);
    case 'conflict':
      return conflict(resource, name, MODIFIED);
    case 'expired':
      return expired('The resourceVersion for the provided list is too old.');
    case 'future-revision':
      return futureRevision('unknown', error.current ?? 0);
    case 'too-large':
      return tooLarge('the event is larger than the store takes');
    case 'invalid-key':
      return badRequest('the event store cannot keep an event of this name');
    case 'full':
      return insufficientStorage('the event store is full, please try again when events have expired or were deleted');
    case 'unavailable':
      return serviceUnavailable('the event store is not available, please try again');
    case 'closed':
      return serviceUnavailable(SHUTTING_DOWN);
    case 'unknown-outcome':
      return timeout('request did not complete within requested timeout - context deadline exceeded');
  }
}
