import { Buffer } from 'node:buffer';
import { eventWithSidecar } from '../sidecar/sidecar.js';
import type { EventKey, EventRecord, Revision } from '../contract/record.js';
import { keyOfText } from '../contract/keys.js';
import { storeError } from '../contract/errors.js';
import type { Row } from './requests.js';

/** The event's columns of `versions v`, as texts: services can change what drivers make of other types. */
export const EVENT_COLUMNS = `v.key, v.rev::text AS rev, v.expires_at::text AS expires_at, v.description, encode(v.data, 'hex') AS data`;

export function numberOf(text: string | null | undefined): number {
  const number = Number(text);
  if (typeof text !== 'string' || !Number.isSafeInteger(number)) throw damaged();
  return number;
}

/** Returns the row's event. `prefix`: that of its columns `expires_at`, `description` (the sidecar) and `data`. */
export function recordOf(key: EventKey, revision: Revision, row: Row, prefix = ''): EventRecord {
  const sidecar = row[`${prefix}description`];
  const data = row[`${prefix}data`];
  if (typeof sidecar !== 'string' || typeof data !== 'string') throw damaged();
  const bytes = Buffer.from(data, 'hex');
  return {
    key,
    revision,
    event: eventWithSidecar(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), sidecar),
    expiresAt: numberOf(row[`${prefix}expires_at`]),
  };
}

export function recordOfRow(row: Row): EventRecord {
  return recordOf(keyOfText(row['key'] ?? ''), numberOf(row['rev']), row);
}

function damaged(): Error {
  return storeError('unavailable', 'PostgreSQL: a row or a column is missing: the tables were changed or emptied');
}
