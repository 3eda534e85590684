import type { Event } from '../../model/event.js';
import type { EncodedEvent } from '../../store/contract/record.js';
import { selectorFields } from '../codec/selector-fields.js';
import { writeFields, writeMetadata } from '../codec/write-event.js';
import { byteHints } from './byte-hints.js';
import type { TextBytes } from './text-bytes.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The form events are stored in: `kind`, `apiVersion` and `metadata.resourceVersion` are left out, whatever the event
 * has. An event to be stored has a uid and a creationTimestamp; one without them (a dry run's) gives valid JSON, into
 * which no revision can be put.
 *
 * @param managedFields the event's own managed fields as JSON, where that is known: half of a usual event need not be
 * written again (5 µs of 13)
 * @param toBytes where the bytes come from; memory of their own if it is left out
 */
export function encodeEvent(event: Event, managedFields?: string, toBytes?: TextBytes): EncodedEvent {
  return encodeText(event, writeEvent(event, managedFields), toBytes);
}

/** An event's stored form as text. */
export interface EventText {
  readonly text: string;
  /** What stands before the place of the revision. */
  readonly opening: string;
  /** Where the managed fields begin, and where metadata has ended and the next field begins. The same: there are none. */
  readonly managed: number;
  readonly fields: number;
}

/**
 * The first half of {@link encodeEvent}. Texts are compared to know whether anything changed.
 *
 * @param rest see {@link writeFields}
 */
export function writeEvent(event: Event, managedFields?: string, rest?: string): EventText {
  const { before, after, managed } = writeMetadata(event.metadata, managedFields);
  const opening = `{"metadata":{${before}${before !== '' && after !== '' ? ',' : ''}`;
  const metadata = `${opening}${after}},`;
  const fields = metadata.length;
  return {
    text: `${metadata}${writeFields(event, rest)}}`,
    opening,
    managed: managed === 0 ? fields : fields - 2 - managed,
    fields,
  };
}

/**
 * The second half of {@link encodeEvent}.
 *
 * @param labels the event's labels, where they are at hand as stores have them
 */
export function encodeText(
  event: Event,
  written: EventText,
  toBytes: TextBytes = encode,
  labels: EncodedEvent['labels'] = labelsOf(event),
): EncodedEvent {
  const { text, opening } = written;
  const bytes = toBytes(text);
  const cut = bytes.length === text.length ? opening.length : encode(opening).length;
  const fields = selectorFields(event);
  return { bytes, cut, uid: event.metadata.uid ?? '', fields, labels, hints: byteHints(event, written, bytes, cut) };
}

const encode = (text: string): Uint8Array => encoder.encode(text);

/** A stored event as an object of its own. The bytes are trusted: they were made by {@link encodeEvent}. */
export function decodeEvent(bytes: Uint8Array): Event {
  return JSON.parse(decoder.decode(bytes)) as Event;
}

const NO_LABELS: Readonly<Record<string, string>> = Object.freeze(Object.create(null) as Record<string, string>);

/** Without a prototype, as decoded bodies have them: label keys are the client's, and `constructor` is one. */
function labelsOf({ metadata: { labels } }: Event): Readonly<Record<string, string>> {
  if (!labels) return NO_LABELS;
  if (Object.getPrototypeOf(labels) === null) return labels;
  return Object.assign(Object.create(null) as Record<string, string>, labels);
}
