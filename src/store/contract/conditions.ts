import { storeError, type StoreError } from './errors.js';
import type { Revision } from './record.js';

/** Returns the error of a create whose key exists. Keys are passed as `namespace/name`. */
export function exists(key: string): StoreError {
  return storeError('exists', `${key} already exists`);
}

export function notFound(key: string): StoreError {
  return storeError('not-found', `${key} does not exist`);
}

export function conflict(key: string, revision: Revision | string, expected: Revision | undefined): StoreError {
  return storeError('conflict', `${key} is at ${revision}, not at ${expected}`);
}

export function expired(revision: Revision, floor: Revision): StoreError {
  return storeError('expired', `revision ${revision} is older than the history`, { current: floor });
}

export function futureRevision(revision: Revision, latest: Revision): StoreError {
  return storeError('future-revision', `revision ${revision} is later than the latest revision`, { current: latest });
}

export function closed(name: string): StoreError {
  return storeError('closed', `the store ${name} is closed`);
}

export function checkReadable(revision: Revision, floor: Revision, latest: Revision): void {
  if (!(revision <= latest)) throw futureRevision(revision, latest);
  if (revision < floor) throw expired(revision, floor);
}
