import type { ByteHints, ByteRange } from '../../contract/byte-hints.js';
import type { EncodedEvent, EventKey } from '../../contract/record.js';
import { COMMON_SUFFIX } from '../../contract/schema-facts.js';

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

const NAME = '{"metadata":{"name":"'.length;
const NAME_TO_NAMESPACE = '","namespace":"'.length;
const UID_TO_CUT = '",'.length;
const MANAGED = /* @__PURE__ */ bytesOf('"managedFields":[');
const MANAGED_END = /* @__PURE__ */ bytesOf(']},"');
const VERSION = /* @__PURE__ */ bytesOf('"resourceVersion":"');
const SUFFIX = /* @__PURE__ */ bytesOf(COMMON_SUFFIX);
/** How many bytes before the managed fields may be shared with them, as in the hints of an encoder. */
const CLOSE = 160;

/** Where `part` stands first in `bytes` from `from` up to `end`; -1: nowhere. */
function find(bytes: Uint8Array, part: Uint8Array, from: number, end: number): number {
  const [first] = part;
  const last = end - part.length;
  search: for (let at = bytes.indexOf(first as number, from); at >= 0 && at <= last;) {
    for (let i = 1; i < part.length; i++) {
      if (bytes[at + i] !== part[i]) {
        at = bytes.indexOf(first as number, at + 1);
        continue search;
      }
    }
    return at;
  }
  return -1;
}

/**
 * The hints that an encoder gives with an event, for one that comes from another store, which does not keep them: without
 * them an event takes half as much again. Places are guessed from the stored form; who uses them checks what is there.
 */
export function findHints({ name }: EventKey, { bytes, cut, uid, fields }: EncodedEvent): ByteHints {
  const managed = find(bytes, MANAGED, cut, bytes.length);
  const managedEnd = managed < 0 ? -1 : find(bytes, MANAGED_END, managed, bytes.length);
  const shared: ByteRange[] = [];
  if (managedEnd > 0) {
    const end = managedEnd + MANAGED_END.length - 1;
    if (managed > cut && managed - cut <= CLOSE) shared.push({ start: cut, end });
    shared.push({ start: managed, end });
  }
  const version = fields['regarding.resourceVersion']
    ? find(bytes, VERSION, Math.max(managedEnd, cut), bytes.length)
    : -1;
  return {
    name: NAME,
    namespace: NAME + name.length + NAME_TO_NAMESPACE,
    uid: uid ? cut - UID_TO_CUT - uid.length : -1,
    regardingVersion: version < 0 ? -1 : version + VERSION.length,
    shared,
    suffix: find(bytes, SUFFIX, Math.max(cut, bytes.length - SUFFIX.length), bytes.length),
  };
}
