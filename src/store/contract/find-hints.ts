import { MANAGED_TYPE, NAME_AT, NAME_TO_NAMESPACE, SHARED_BEFORE, UID_TO_CUT } from './byte-hints.js';
import type { ByteHints, ByteRange } from './byte-hints.js';
import { matchesAt } from './keys.js';
import type { EncodedEvent, EventKey } from './record.js';
import { COMMON_SUFFIX } from './schema-facts.js';

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

const MANAGED = /* @__PURE__ */ bytesOf('"managedFields":[');
const MANAGED_END = /* @__PURE__ */ bytesOf(']},"');
const MANAGED_ANCHOR = /* @__PURE__ */ '"managedFields":['.indexOf('F');
const TYPE = /* @__PURE__ */ bytesOf(MANAGED_TYPE);
const TYPE_ANCHOR = /* @__PURE__ */ MANAGED_TYPE.indexOf('T');
const VERSION_ANCHOR = /* @__PURE__ */ '"resourceVersion":"'.indexOf('V');
const VERSION = /* @__PURE__ */ bytesOf('"resourceVersion":"');
const SUFFIX = /* @__PURE__ */ bytesOf(COMMON_SUFFIX);

/**
 * Where `part` first occurs from `from` on, or -1. Searches for the byte at `anchor`, which is rare in events: the
 * quote that most parts begin with would take four times as long.
 */
function find(bytes: Uint8Array, part: Uint8Array, anchor: number, from: number): number {
  const rare = part[anchor] as number;
  for (let at = bytes.indexOf(rare, from + anchor); at >= 0; at = bytes.indexOf(rare, at + 1)) {
    if (matchesAt(bytes, at - anchor, part)) return at - anchor;
  }
  return -1;
}

/** The hints for an event from another store, which save a third of its memory: guessed, and checked in use. */
export function findHints({ name }: EventKey, { bytes, cut, uid, fields }: EncodedEvent): ByteHints {
  const managed = find(bytes, MANAGED, MANAGED_ANCHOR, cut);
  const managedEnd = managed < 0 ? -1 : find(bytes, MANAGED_END, 0, managed);
  const shared: ByteRange[] = [];
  if (managedEnd > 0) {
    const end = managedEnd + MANAGED_END.length - 1;
    if (managed > cut && managed - cut <= SHARED_BEFORE) shared.push({ start: cut, end });
    shared.push({ start: managed, end });
    const type = find(bytes, TYPE, TYPE_ANCHOR, managed);
    if (type > 0) shared.push({ start: type, end });
  }
  const suffix = bytes.length - SUFFIX.length;
  const version = fields['regarding.resourceVersion']
    ? find(bytes, VERSION, VERSION_ANCHOR, Math.max(managedEnd, cut))
    : -1;
  return {
    name: NAME_AT,
    namespace: NAME_AT + name.length + NAME_TO_NAMESPACE,
    uid: uid ? cut - UID_TO_CUT - uid.length : -1,
    regardingVersion: version < 0 ? -1 : version + VERSION.length,
    shared,
    suffix: matchesAt(bytes, suffix, SUFFIX) ? suffix : -1,
  };
}
