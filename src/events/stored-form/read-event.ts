import { MANAGED, MANAGED_OPEN } from '../../api/decode/known-managed-fields.js';
import type { Event } from '../../model/event.js';
import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import type { EncodedEvent } from '../../store/contract/record.js';
import { sharesFields } from '../codec/compare-events.js';
import { FIRST_FIELD, REST } from '../codec/write-event.js';
import { writeEvent, type EventText } from './encode-event.js';
import { decodeUtf8 } from '../../json/utf8.js';

export interface ReadEvent {
  readonly event: Event;
  readonly text: string;
  /** The text from {@link REST} on, without the last brace; absent for an event without managed fields. */
  readonly rest?: string;
}

/** Larger events are read into new memory. */
const MAX_SIZE = 16_384;

/** Finds the entries with this JSON, see `FieldTracker`. */
type EntriesOf = (json: string) => readonly ManagedFieldsEntry[] | undefined;

/** Copies events into one buffer to read them: a separate buffer takes 1.5 µs per event. */
export function createEventReader(entriesOf: EntriesOf): (event: EncodedEvent) => ReadEvent {
  let space: Uint8Array | undefined;

  const textOf = (event: EncodedEvent): string => {
    const { size = MAX_SIZE } = event;
    if (size >= MAX_SIZE || !event.copyApart) return decodeUtf8(event.bytes);
    space ??= new Uint8Array(MAX_SIZE);
    event.copyApart(space, 0, 0, 0);
    return decodeUtf8(space.subarray(0, size));
  };

  return (event) => readText(textOf(event), entriesOf);
}

const AFTER_MANAGED = `]},${FIRST_FIELD}`;
const COMMA = 0x2c;

/**
 * Parses an event that will be written again. Managed fields, a third of the text, are looked up by their text (see
 * `EntryLists`). They are the last part of metadata. As quotes in values are escaped, both delimiters enclose them.
 */
function readText(text: string, entriesOf: EntriesOf): ReadEvent {
  const at = text.indexOf(MANAGED);
  const end = at === -1 ? -1 : text.indexOf(AFTER_MANAGED, at + MANAGED_OPEN);
  const entries = end === -1 ? undefined : entriesOf(text.slice(at + MANAGED_OPEN, end + 1));
  if (!entries) return { event: JSON.parse(text) as Event, text };
  const before = text.charCodeAt(at - 2) === COMMA ? at - 2 : at - 1;
  const event = JSON.parse(text.slice(0, before) + text.slice(end + 1)) as Event;
  event.metadata.managedFields = entries as ManagedFieldsEntry[];
  return { event, text, rest: text.slice(text.indexOf(REST, end), -1) };
}

/** Writes an event made from a stored one. Reuses the text of the fields that updates cannot change. */
export function rewriteEvent(
  event: Event,
  managedFields: string | undefined,
  { event: previous, rest }: ReadEvent,
): EventText {
  return writeEvent(event, managedFields, sharesFields(event, previous) ? rest : undefined);
}
