import { Buffer } from 'node:buffer';
import { eventWithSidecar } from '../sidecar/sidecar.js';
import type { EventKey, EventRecord, Revision } from '../contract/record.js';
import { keyOfText } from '../contract/keys.js';
import { storeError } from '../contract/errors.js';
import type { Row } from './requests.js';

/** The event's columns of `versions v`, as texts: what drivers make of other types can be changed by anybody. */
export const EVENT_COLUMNS = `v.key, v.rev::text AS rev, v.expires_at::text AS expires_at, v.description, encode(v.data, 'hex') AS data`;

/** A number of the database. */
export function numberOf(text: string | null | undefined): number {
  const number = Number(text);
  if (typeof text !== 'string' || !Number.isSafeInteger(number)) throw damaged();
  return number;
}

/** The row's event at a revision of its own or another one. */
export function recordOf(
  key: EventKey,
  revision: Revision,
  expiresAt: string | null | undefined,
  description: string | null | undefined,
  data: string | null | undefined,
): EventRecord {
  if (typeof description !== 'string' || typeof data !== 'string') throw damaged();
  const bytes = Buffer.from(data, 'hex');
  return {
    key,
    revision,
    event: eventWithSidecar(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), description),
    expiresAt: numberOf(expiresAt),
  };
}

/** The record of {@link EVENT_COLUMNS}. */
export function recordOfRow({ key, rev, expires_at, description, data }: Row): EventRecord {
  return recordOf(keyOfText(key ?? ''), numberOf(rev), expires_at, description, data);
}

/** Reads go to the primary only: what a standby knows is old. */
export function refuseStandby(row: Row | undefined): void {
  if (row?.['standby'] === 'true') {
    throw storeError('unavailable', 'PostgreSQL: the server is a standby now: connect to the primary');
  }
}

function damaged(): Error {
  return storeError('unavailable', 'PostgreSQL: a row does not have the columns it should have');
}
