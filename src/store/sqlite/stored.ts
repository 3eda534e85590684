import type { Revision } from '../contract/event-store.js';
import { bytesOf, type SqlRow } from './driver.js';

/** `namespace/name` in UTF-8, as in the file. */
export type KeyBytes = Uint8Array;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export const encoded = (text: string): Uint8Array => encoder.encode(text);
export const textOf = (value: unknown): string => decoder.decode(bytesOf(value));

const SLASH = 0x2f;

export function namespaceOf(key: KeyBytes): Uint8Array {
  return key.subarray(0, Math.max(0, key.indexOf(SLASH)));
}

/** The keys of a namespace, or all, are between these, both exclusive: `0` comes after `/`, and UTF-8 has no 0xff. */
export function keyBounds(namespace: string | undefined): readonly [above: Uint8Array, below: Uint8Array] {
  if (namespace === undefined) return [new Uint8Array(), Uint8Array.of(0xff)];
  return [encoded(`${namespace}/`), encoded(`${namespace}0`)];
}

/** A record as stored in the file: only the thread that requested it parses it. */
export interface StoredRecord {
  readonly revision: Revision;
  /** `namespace/name`. */
  readonly key: string;
  readonly expiresAt: number;
  /** See `encodeSidecar`. */
  readonly sidecar: string;
  readonly data: Uint8Array;
}

export interface StoredChange {
  readonly deleted: boolean;
  readonly record: StoredRecord;
  readonly previous: StoredRecord | undefined;
}

export const RECORD_COLUMNS = 'rev, key, expires_at, description, data';

/** A record by its key: the version that `current_events` names. */
export const CURRENT_RECORD: string = `SELECT ${RECORD_COLUMNS} FROM versions
  WHERE rev = (SELECT rev FROM current_events WHERE key = ?)`;

export function storedRecordOf({ rev, key, expires_at: expiresAt, description, data }: SqlRow): StoredRecord {
  return {
    revision: rev as Revision,
    key: textOf(key),
    expiresAt: expiresAt as number,
    sidecar: textOf(description),
    data: bytesOf(data),
  };
}
