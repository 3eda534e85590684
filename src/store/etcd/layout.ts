import { compareBytes, keyText, sameBytes } from '../contract/keys.js';
import { eventWithSidecar, encodeSidecar } from '../sidecar/sidecar.js';
import type { EncodedEvent, EventKey, EventRecord, Revision } from '../contract/record.js';
import { put, type KeyValue, type TxnRequest, type WatchRequest } from './connection.js';

type KeyRange = Pick<WatchRequest, 'key' | 'rangeEnd'>;

export interface DueEntry {
  readonly indexKey: Uint8Array;
  readonly objectKey: Uint8Array;
  readonly revision: Revision;
}

export type Layout = ReturnType<typeof createLayout>;

/** The version of the layout. A newer one is refused. */
export const FORMAT = 1;

const NEWLINE = 10;
const SLASH = '/'.charCodeAt(0);
const DIGITS = 16;
const LATEST: number = Number.MAX_SAFE_INTEGER;

/**
 * The keys that the store uses below a prefix, and their values:
 *
 * - `<prefix>/<namespace>/<name>`: the event's JSON, a newline, when it expires, and its sidecar
 * - `<prefix>.expiry/<when, 16 digits>/<namespace>/<name>`: empty, written and deleted in one transaction with its
 *   event
 * - `<prefix>.fence`: empty; written to end creates that are on their way, see `createFence`
 * - `<prefix>.store`: the version of this layout; the revision it was created at is where the store begins
 * - `<prefix>.tick`: empty; feeds write it to prove that they are complete
 * - `<prefix>.uplift`: the lift, how far revisions are above etcd's, see `createLiftedClient`
 */
export function createLayout(prefix: string) {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const bytes = (text: string): Uint8Array => encoder.encode(text);
  const root = `${prefix}/`;
  const rootLength = bytes(root).length;
  const index = `${prefix}.expiry/`;
  const indexLength = bytes(index).length;
  const storeKey = bytes(`${prefix}.store`);
  const tickKey = bytes(`${prefix}.tick`);
  const liftKey = bytes(`${prefix}.uplift`);

  /** A moment in the index: rounded up, so that nothing is due too early, and limited to its digits. */
  const moment = (time: number): string => String(Math.min(Math.max(Math.ceil(time), 0), LATEST)).padStart(DIGITS, '0');

  const eventKeyOf = (key: Uint8Array): EventKey | undefined => {
    const slash = key.indexOf(SLASH, rootLength);
    if (slash < 0) return undefined;
    return {
      namespace: decoder.decode(key.subarray(rootLength, slash)),
      name: decoder.decode(key.subarray(slash + 1)),
    };
  };

  return {
    fenceKey: bytes(`${prefix}.fence`) as Uint8Array,
    storeKey: storeKey as Uint8Array,
    /** Marks the beginning of the store, unless it is marked. */
    mark: {
      compare: [{ key: storeKey, revision: 0 }],
      success: [put(storeKey, bytes(JSON.stringify({ format: FORMAT })))],
    } as TxnRequest,
    tickKey: tickKey as Uint8Array,
    liftKey: liftKey as Uint8Array,
    /** All events, the tick and the lift: these two sort after the other keys of the store and before the events. */
    watched: { key: tickKey, rangeEnd: bytes(`${prefix}0`) } as KeyRange,
    /** The event of an object key; undefined for keys of other programs. */
    keyOf: (objectKey: Uint8Array): EventKey | undefined => eventKeyOf(objectKey),
    isTick: (key: Uint8Array): boolean => sameBytes(key, tickKey),
    isLift: (key: Uint8Array): boolean => sameBytes(key, liftKey),
    objectKey: (key: EventKey): Uint8Array => bytes(`${root}${keyText(key)}`),
    indexKey: (key: EventKey, expiresAt: number): Uint8Array => bytes(`${index}${moment(expiresAt)}/${keyText(key)}`),
    objects(namespace: string | undefined, after: EventKey | undefined): KeyRange {
      const scope = namespace === undefined ? root : `${root}${namespace}/`;
      const start = bytes(scope);
      const rangeEnd = bytes(`${scope.slice(0, -1)}0`);
      if (after === undefined) return { key: start, rangeEnd };
      const next = bytes(`${root}${keyText(after)}\0`);
      return { key: compareBytes(next, start) > 0 ? next : start, rangeEnd };
    },
    dueAt: (now: number): KeyRange => ({
      key: bytes(index),
      rangeEnd: bytes(`${index}${moment(Math.floor(now) + 1)}`),
    }),
    /** An entry of the index; undefined where another program wrote it. */
    dueEntry({ key, modRevision }: KeyValue): DueEntry | undefined {
      const path = key.subarray(indexLength + DIGITS + 1);
      if (key[indexLength + DIGITS] !== SLASH) return undefined;
      const objectKey = new Uint8Array(rootLength + path.length);
      objectKey.set(bytes(root));
      objectKey.set(path, rootLength);
      return { indexKey: key, objectKey, revision: modRevision };
    },
    value(event: EncodedEvent, expiresAt: number): Uint8Array {
      const tail = bytes(`\n${expiresAt} ${encodeSidecar(event)}`);
      const value = new Uint8Array(event.bytes.length + tail.length);
      value.set(event.bytes);
      value.set(tail, event.bytes.length);
      return value;
    },
    /** The record of a key and value; `undefined` if another program wrote it. `revision`: instead of the key's own. */
    record({ key: path, value, modRevision }: KeyValue, revision: Revision = modRevision): EventRecord | undefined {
      const key = eventKeyOf(path);
      // The sidecar is one line; the event's bytes may hold anything.
      const end = value.lastIndexOf(NEWLINE);
      if (key === undefined || end < 0) return undefined;
      const line = decoder.decode(value.subarray(end + 1));
      const space = line.indexOf(' ');
      const expiresAt = space > 0 ? Number(line.slice(0, space)) : Number.NaN;
      if (Number.isNaN(expiresAt)) return undefined;
      try {
        // A plain view, also of a Buffer.
        const json = new Uint8Array(value.buffer, value.byteOffset, end);
        return { key, revision, event: eventWithSidecar(json, line.slice(space + 1)), expiresAt };
      } catch {
        return undefined;
      }
    },
  };
}
