import type { Event } from '../../model/event.js';
import type { ByteHints, ByteRange } from '../../store/contract/record.js';
import { COMMON_SUFFIX } from '../codec/write-event.js';
import type { EventText } from './encode-event.js';

/** Where the name stands, in an event that has one. */
const NAME = '{"metadata":{"name":"'.length;
const NAME_TO_NAMESPACE = '","namespace":"'.length;
/** From the end of the uid to the place of the revision. */
const UID_TO_CUT = '",'.length;
const VERSION = '"resourceVersion":"';
/** How many bytes before the managed fields may be shared with them: a time, and a few labels that many events have. */
const CLOSE = 160;

const encoder = new TextEncoder();

/**
 * Where the stored form of an event repeats its key, and what other events have: the managed fields are a third of an
 * event, and equal for all events of one client, form and second. `cut`: as in `EncodedEvent`.
 */
export function byteHints(event: Event, written: EventText, bytes: Uint8Array, cut: number): ByteHints {
  const { metadata, regarding } = event;
  const { name = '', generateName, uid } = metadata;
  const { text, opening, managed, fields } = written;
  const version = regarding?.resourceVersion ? text.indexOf(VERSION, fields) + VERSION.length : -1;
  const places = bytes.length === text.length ? { managed, fields, version } : inBytes(text, managed, fields, version);
  const end = places.fields;
  const shared: ByteRange[] = [];
  if (managed < fields) {
    // The time of a creation is that of its managed fields: all creations of a second share both, and labels that agree.
    if (managed > opening.length && managed - opening.length <= CLOSE) shared.push({ start: cut, end });
    shared.push({ start: places.managed, end });
  }
  return {
    name: generateName ? -1 : NAME,
    namespace: generateName ? -1 : NAME + name.length + NAME_TO_NAMESPACE,
    uid: uid ? cut - UID_TO_CUT - uid.length : -1,
    regardingVersion: places.version,
    shared,
    suffix: text.endsWith(COMMON_SUFFIX) ? bytes.length - COMMON_SUFFIX.length : -1,
  };
}

type Places = Pick<EventText, 'managed' | 'fields'> & { readonly version: number };

/** The same places in bytes. Notes come after all of them, and so mostly all before them is ASCII. */
function inBytes(text: string, managed: number, fields: number, version: number): Places {
  const last = Math.max(fields, version);
  if (byteLength(text, last) === last) return { managed, fields, version };
  return {
    managed: byteLength(text, managed),
    fields: byteLength(text, fields),
    version: version < 0 ? version : byteLength(text, version),
  };
}

const byteLength = (text: string, end: number): number => encoder.encode(text.slice(0, end)).length;
