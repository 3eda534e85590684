import { storeError, type StoreError } from './errors.js';
import type { Revision } from './record.js';

/** A create met an event. Keys are given as `namespace/name`. */
export function exists(key: string): StoreError {
  return storeError('exists', `${key} exists already`);
}

/** A replace or a removal met none. */
export function notFound(key: string): StoreError {
  return storeError('not-found', `${key} does not exist`);
}

/** A replace or a removal met another revision than the expected one. */
export function conflict(key: string, revision: Revision | string, expected: Revision | undefined): StoreError {
  return storeError('conflict', `${key} is at ${revision}, not at ${expected}`);
}

/** History does not reach back to a revision. */
export function expired(revision: Revision, floor: Revision): StoreError {
  return storeError('expired', `revision ${revision} is older than the history`, { current: floor });
}

/** Fails with `future-revision` or `expired` for a revision that cannot be read. */
export function checkReadable(revision: Revision, floor: Revision, latest: Revision): void {
  if (!(revision <= latest)) {
    throw storeError('future-revision', `revision ${revision} has not happened yet`, { current: latest });
  }
  if (revision < floor) throw expired(revision, floor);
}
