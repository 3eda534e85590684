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
} from '../../api/status/failures.js';
import type { StatusFailure } from '../../api/status/status-failure.js';
import { SHUTTING_DOWN } from '../../responses/failure-status.js';
import type { GroupResource } from '../../responses/group-resource.js';
import type { Revision } from '../../store/contract/event-store.js';
import { isStoreError, type StoreError, type StoreErrorCode } from '../../store/contract/errors.js';

export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** Whether an error is that of a conditional write whose event was changed or removed since it was read. */
export function isOutdated(error: unknown): boolean {
  return isStoreError(error) && (error.code === 'conflict' || error.code === 'not-found');
}

/** Returns 504 for a revision that does not exist yet. Only watches are told when to try again, as in kube-apiserver. */
export function futureRevision(asked: Revision | string, current: Revision, inWatch?: boolean): StatusFailure {
  return timeout(`Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    ...(inWatch && { retryAfterSeconds: 1 }),
  });
}

/** Returns 504 for a call of the store that took too long. */
export function deadlineExceeded(): StatusFailure {
  return timeout('request did not complete within requested timeout - context deadline exceeded');
}

type Failure = (resource: GroupResource, name: string, current: Revision | undefined) => StatusFailure;

const FAILURES: Readonly<Record<StoreErrorCode, Failure>> = {
  exists: (resource, name) => alreadyExists(resource, name),
  'not-found': notFound,
  conflict: (resource, name) => conflict(resource, name, MODIFIED),
  expired: () => expired('The resourceVersion for the provided list is too old.'),
  'future-revision': (_resource, _name, current = 0) => futureRevision('unknown', current),
  'too-large': () => tooLarge('the event is larger than the store accepts'),
  'invalid-key': () => badRequest('the event store cannot store an event with this name'),
  full: () => insufficientStorage('the event store is full, please try again when events have expired or were deleted'),
  unavailable: () => serviceUnavailable('the event store is not available, please try again'),
  closed: () => serviceUnavailable(SHUTTING_DOWN),
  'unknown-outcome': deadlineExceeded,
};

/** Returns the Status for an error of the store. Verbs for which a code has another meaning handle that error first. */
export function storeFailure({ code, current }: StoreError, resource: GroupResource, name: string): StatusFailure {
  return FAILURES[code](resource, name, current);
}
