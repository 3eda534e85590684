/**
 * A point in a store's history: one rising safe integer per store, a new one for every write, deletion and expiry, never
 * reused. It is the `resourceVersion` on the wire.
 */
export type Revision = number;

/** What names an event inside a store. Neither part contains a `/`; that is checked before an event is written. */
export interface EventKey {
  readonly namespace: string;
  readonly name: string;
}

/**
 * An event ready to be kept: the JSON object in wire order **without** `kind`, `apiVersion` and
 * `metadata.resourceVersion`, and what selectors read. Stores keep all of it and return it unchanged (equal bytes).
 */
export interface EncodedEvent {
  /** UTF-8 JSON. */
  readonly bytes: Uint8Array;
  /** The byte offset where `"resourceVersion":"N",` belongs; a further metadata key always follows. */
  readonly cut: number;
  readonly uid: string;
  /** The values field selectors read, by the names of the events group plus `source` of core/v1. Empty ones are absent. */
  readonly fields: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/** An event as a store returns it. */
export interface EventRecord {
  readonly key: EventKey;
  readonly revision: Revision;
  readonly event: EncodedEvent;
  /** When it expires, microseconds since the epoch. */
  readonly expiresAt: number;
}

const encoder = new TextEncoder();

/** The record as one JSON object: `{`, `prefix` (constant bytes such as `"kind":"Event",…,` or nothing), event and revision. */
export function recordBytes(record: EventRecord, prefix: Uint8Array, suffix = ''): Uint8Array {
  const { bytes, cut } = record.event;
  const revision = encoder.encode(`"resourceVersion":"${record.revision}",`);
  const tail = encoder.encode(suffix);
  const out = new Uint8Array(bytes.length + prefix.length + revision.length + tail.length);
  out[0] = bytes[0] as number;
  out.set(prefix, 1);
  let at = 1 + prefix.length;
  out.set(bytes.subarray(1, cut), at);
  at += cut - 1;
  out.set(revision, at);
  at += revision.length;
  out.set(bytes.subarray(cut), at);
  out.set(tail, at + bytes.length - cut);
  return out;
}
