import type { ByteHints } from '../../contract/byte-hints.js';
import { matchesAt } from '../../contract/keys.js';
import { MAX_OFFSET } from './arena-entry.js';

/** The maximum number of table entries, and length of one: an encoder needs few, and none is ever removed. */
const MAX_COUNT = 16;
const MAX_BYTES = 1024;

/** Bytes that nearly all events have. Omitting them and the key saves 184 MB of a million, for 0.1 µs per read. */
export interface CommonBytes {
  readonly first: Uint8Array;
  readonly second: Uint8Array;
  readonly suffix: Uint8Array;
}

/** The part of an event's bytes that follows from its key and the {@link CommonBytes} at `index` of the table. */
export interface FoundCommonBytes {
  readonly index: number;
  /** How many bytes at the beginning; 0 when name and namespace do not occur there exactly as in the key. */
  readonly prefix: number;
  readonly suffix: number;
}

const NOTHING = new Uint8Array(0);
const NONE: CommonBytes = { first: NOTHING, second: NOTHING, suffix: NOTHING };
const NOT_FOUND: FoundCommonBytes = { index: 0, prefix: 0, suffix: 0 };

/** True when the bytes at `at` are the characters of `text` from `start` up to `end`, all of them ASCII. */
export function textMatchesAt(
  bytes: Uint8Array,
  at: number,
  text: string,
  start = 0,
  end: number = text.length,
): boolean {
  if (at < 0 || at + end - start > bytes.length) return false;
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f || bytes[at + i - start] !== unit) return false;
  }
  return true;
}

/** Creates the table of the {@link CommonBytes} of a store. At first it has only index 0, which stands for no bytes. */
export function createCommonBytesTable() {
  const table: CommonBytes[] = [NONE];

  return {
    /** Entries are only ever appended. */
    all: table as readonly CommonBytes[],
    find(bytes: Uint8Array, { name, namespace, suffix }: ByteHints, sortKey: string): FoundCommonBytes {
      const slash = sortKey.indexOf('/');
      const nameEnd = name + sortKey.length - slash - 1;
      const keyed =
        name >= 0 &&
        nameEnd <= namespace &&
        namespace + slash <= MAX_OFFSET &&
        textMatchesAt(bytes, name, sortKey, slash + 1) &&
        textMatchesAt(bytes, namespace, sortKey, 0, slash);
      const prefix = keyed ? namespace + slash : 0;
      const end = suffix >= prefix && suffix < bytes.length ? suffix : bytes.length;
      const first = keyed ? name : 0;
      const second = keyed ? namespace - nameEnd : 0;
      const last = bytes.length - end;
      for (let index = 1; index < table.length; index++) {
        const known = table[index] as CommonBytes;
        if (known.first.length !== first || known.second.length !== second || known.suffix.length !== last) continue;
        if (
          matchesAt(bytes, 0, known.first) &&
          matchesAt(bytes, nameEnd, known.second) &&
          matchesAt(bytes, end, known.suffix)
        ) {
          return { index, prefix, suffix: last };
        }
      }
      if (table.length > MAX_COUNT || first + second + last > MAX_BYTES || prefix + last === 0) return NOT_FOUND;
      table.push({
        first: new Uint8Array(bytes.subarray(0, first)),
        second: new Uint8Array(bytes.subarray(nameEnd, nameEnd + second)),
        suffix: new Uint8Array(bytes.subarray(end)),
      });
      return { index: table.length - 1, prefix, suffix: last };
    },
  };
}

/** Writes what precedes an event's own bytes. Byte by byte: for so few a TextEncoder or a second copy takes longer. */
export function writePrefix({ first, second }: CommonBytes, sortKey: string, target: Uint8Array, at: number): void {
  const slash = sortKey.indexOf('/');
  let to = at;
  for (let i = 0; i < first.length; i++) target[to++] = first[i] as number;
  for (let i = slash + 1; i < sortKey.length; i++) target[to++] = sortKey.charCodeAt(i);
  for (let i = 0; i < second.length; i++) target[to++] = second[i] as number;
  for (let i = 0; i < slash; i++) target[to++] = sortKey.charCodeAt(i);
}
