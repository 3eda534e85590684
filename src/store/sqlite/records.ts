import type { Change } from '../contract/event-store.js';
import { keyOfText } from '../contract/keys.js';
import { eventWithSidecar } from '../sidecar/sidecar.js';
import { storeError } from '../contract/errors.js';
import type { EventRecord } from '../contract/record.js';
import { messageOf } from '../../model/error-message.js';
import type { StoredChange, StoredRecord } from './stored.js';

/** A record as the store returns it. Call it in {@link decoded}. */
export function recordOf({ key, revision, expiresAt, data, sidecar }: StoredRecord): EventRecord {
  return { key: keyOfText(key), revision, event: eventWithSidecar(data, sidecar), expiresAt };
}

/** A change as the store returns it. Call it in {@link decoded}. */
export function changeOf({ deleted, record: stored, previous }: StoredChange): Change {
  const record = recordOf(stored);
  const type = deleted ? 'delete' : 'put';
  const change = { type, key: record.key, revision: record.revision, record } as const;
  return previous === undefined ? change : { ...change, previous: recordOf(previous) };
}

/** Returns what `decode` does. Its failure means that the file is damaged. */
export function decoded<T>(path: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw storeError('unavailable', `the database file ${path} is damaged: ${messageOf(error)}`);
  }
}
