import { storeError } from '../contract/errors.js';
import type { ListQuery, ReplaceOptions, WriteOptions } from '../contract/event-store.js';
import type { EncodedEvent } from '../contract/record.js';

/** @throws TypeError for a limit or a position that no store could use */
export function checkListQuery({ limit, order, after }: ListQuery): void {
  if (!(Number.isSafeInteger(limit) && limit >= 1)) {
    throw new TypeError('list: limit must be a whole number of at least 1');
  }
  if (order === 'newest-first' && after !== undefined && after.revision === undefined) {
    throw new TypeError('list: with order newest-first, after must have a revision');
  }
}

/** @throws TypeError for an expiry that is not a number, StoreError `too-large` */
export function checkPut({ bytes }: EncodedEvent, { expiresAt }: WriteOptions, maxEventBytes: number): void {
  if (typeof expiresAt !== 'number' || Number.isNaN(expiresAt)) {
    throw new TypeError('expiresAt must be microseconds since the epoch');
  }
  if (bytes.length > maxEventBytes) {
    throw storeError('too-large', `the event has ${bytes.length} bytes, the limit is ${maxEventBytes}`);
  }
}

/** @throws TypeError for an expected revision that is not a safe integer */
export function checkExpected({ expected }: ReplaceOptions): void {
  if (!Number.isSafeInteger(expected)) throw new TypeError('replace: expected must be a revision');
}

export function copyOfEvent({ bytes, cut, uid, fields, labels }: EncodedEvent): EncodedEvent {
  return { bytes: new Uint8Array(bytes), cut, uid, fields: { ...fields }, labels: { ...labels } };
}
