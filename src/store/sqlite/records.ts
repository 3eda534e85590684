import type { Change, EventKey } from '../contract/event-store.js';
import { keyOfText, keyText } from '../contract/keys.js';
import { eventWithSidecar } from '../sidecar/sidecar.js';
import { storeError } from '../contract/errors.js';
import type { EventRecord } from '../contract/record.js';
import type { KeyBytes, StoredChange, StoredRecord } from './stored.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A key as it is in the file. */
export function keyBytes(key: EventKey): KeyBytes {
  return encoder.encode(keyText(key));
}

/** The key again. */
export function keyOf(bytes: KeyBytes): EventKey {
  return keyOfText(decoder.decode(bytes));
}

/** A record as the store returns it. Throws what {@link decoded} makes a StoreError of. */
export function recordOf({ key, revision, expiresAt, data, description }: StoredRecord): EventRecord {
  return { key: keyOf(key), revision, event: eventWithSidecar(data, description), expiresAt };
}

/** A step of history as the store returns it. Throws what {@link decoded} makes a StoreError of. */
export function changeOf({ deleted, record: stored, previous }: StoredChange): Change {
  const record = recordOf(stored);
  const type = deleted ? 'delete' : 'put';
  const change = { type, key: record.key, revision: record.revision, record } as const;
  return previous === undefined ? change : { ...change, previous: recordOf(previous) };
}

/** Turns what was read into records. What cannot be is a sign of damage. */
export function decoded<T>(path: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw storeError('unavailable', `the database file ${path} is damaged: ${text}`);
  }
}
