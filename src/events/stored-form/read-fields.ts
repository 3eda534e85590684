import type { Event, EventSeries, ObjectReference } from '../../model/event.js';
import type { ObjectMeta } from '../../model/object-meta.js';
import type { LabelTexts } from './label-texts.js';

/** An event, and where in its text stands what follows the series. */
export interface FieldsText {
  readonly event: Event;
  readonly tail: number;
}

/** How nearly every event ends that was written by a client of today. */
const ENDING = ',"deprecatedSource":{},"deprecatedFirstTimestamp":null,"deprecatedLastTimestamp":null}';
const TIME = '"eventTime":"';
const SERIES = ',"series":{"count":';
const OBSERVED = ',"lastObservedTime":"';
const REGARDING = ',"regarding":{';

/** Where the next character is read. */
interface Reader {
  readonly text: string;
  at: number;
}

/**
 * Reads the fields of a usual event from its text, in the order `writeFields` writes them: 1 µs where `JSON.parse` takes
 * 2.5, and it tells where the parts stand. Undefined for any other event, and wherever something is escaped.
 *
 * @param start the place of `"eventTime"`; the text ends with the event
 */
export function readFields(text: string, metadata: ObjectMeta, start: number): FieldsText | undefined {
  if (!text.startsWith(TIME, start) || !text.endsWith(ENDING) || text.includes('\\', start)) return undefined;
  const reader: Reader = { text, at: start + TIME.length };
  const event: Event = { metadata, eventTime: rest(reader) };
  if (text.startsWith(SERIES, reader.at)) {
    const series = readSeries(reader);
    if (!series) return undefined;
    event.series = series;
  }
  const tail = reader.at;
  const reportingController = member(reader, ',"reportingController":"');
  if (reportingController !== undefined) event.reportingController = reportingController;
  const reportingInstance = member(reader, ',"reportingInstance":"');
  if (reportingInstance !== undefined) event.reportingInstance = reportingInstance;
  const action = member(reader, ',"action":"');
  if (action !== undefined) event.action = action;
  const reason = member(reader, ',"reason":"');
  if (reason !== undefined) event.reason = reason;
  const regarding = readRegarding(reader);
  if (!regarding) return undefined;
  event.regarding = regarding;
  const note = member(reader, ',"note":"');
  if (note !== undefined) event.note = note;
  const type = member(reader, ',"type":"');
  if (type !== undefined) event.type = type;
  if (reader.at !== text.length - ENDING.length) return undefined;
  event.deprecatedSource = {};
  event.deprecatedFirstTimestamp = null;
  event.deprecatedLastTimestamp = null;
  return { event, tail };
}

/** Metadata without managed fields, and where the place of the revision is. */
export interface MetadataFields {
  readonly metadata: ObjectMeta;
  readonly cut: number;
}

/**
 * Reads what stands before the managed fields of a usual event. Undefined for any other.
 *
 * @param end the place of `"managedFields"`
 */
export function readMetadata(text: string, end: number, labelsOf: LabelTexts): MetadataFields | undefined {
  const reader: Reader = { text, at: 0 };
  const name = member(reader, '{"metadata":{"name":"');
  const namespace = member(reader, ',"namespace":"');
  const uid = member(reader, ',"uid":"');
  const cut = reader.at + 1;
  const creationTimestamp = member(reader, ',"creationTimestamp":"');
  if (name === undefined || namespace === undefined || uid === undefined || creationTimestamp === undefined) {
    return undefined;
  }
  const metadata: ObjectMeta = { name, namespace, uid, creationTimestamp };
  const { at } = reader;
  if (text.startsWith(LABELS, at)) {
    // Texts only: the first brace that is not within one ends them.
    const close = text.indexOf('},', at);
    if (close !== end - 2) return undefined;
    metadata.labels = labelsOf(text.slice(at + LABELS.length - 1, close + 1));
  } else if (at !== end - 1) return undefined;
  // Names do not have it, but nobody looks after what a store returns.
  const escaped = text.indexOf('\\');
  return escaped === -1 || escaped > at ? { metadata, cut } : undefined;
}

const LABELS = ',"labels":{';

/** The text up to the next quote; there always is one. */
function rest(reader: Reader): string {
  const { text, at } = reader;
  const end = text.indexOf('"', at);
  reader.at = end + 1;
  return text.slice(at, end);
}

function member(reader: Reader, opening: string): string | undefined {
  if (!reader.text.startsWith(opening, reader.at)) return undefined;
  reader.at += opening.length;
  return rest(reader);
}

/** A count is written as `JSON.stringify` does it, and small enough for that to be digits. */
function readSeries(reader: Reader): EventSeries | undefined {
  const { text } = reader;
  const start = reader.at + SERIES.length;
  const end = text.indexOf(',', start);
  const count = Number(text.slice(start, end));
  reader.at = end;
  const lastObservedTime = member(reader, OBSERVED);
  if (lastObservedTime === undefined || !Number.isInteger(count) || text.charCodeAt(reader.at) !== CLOSE)
    return undefined;
  reader.at++;
  return { count, lastObservedTime };
}

/** All of it but a first member's comma is as after any other. */
function readRegarding(reader: Reader): ObjectReference | undefined {
  const { text } = reader;
  if (!text.startsWith(REGARDING, reader.at)) return undefined;
  reader.at += REGARDING.length;
  const regarding: ObjectReference = {};
  if (text.charCodeAt(reader.at) === CLOSE) {
    reader.at++;
    return regarding;
  }
  // Most have all of them, and a kind first; those without one are read the plain way.
  const kind = member(reader, '"kind":"');
  if (kind === undefined) return undefined;
  regarding.kind = kind;
  const namespace = member(reader, ',"namespace":"');
  if (namespace !== undefined) regarding.namespace = namespace;
  const name = member(reader, ',"name":"');
  if (name !== undefined) regarding.name = name;
  const uid = member(reader, ',"uid":"');
  if (uid !== undefined) regarding.uid = uid;
  const apiVersion = member(reader, ',"apiVersion":"');
  if (apiVersion !== undefined) regarding.apiVersion = apiVersion;
  const resourceVersion = member(reader, ',"resourceVersion":"');
  if (resourceVersion !== undefined) regarding.resourceVersion = resourceVersion;
  const fieldPath = member(reader, ',"fieldPath":"');
  if (fieldPath !== undefined) regarding.fieldPath = fieldPath;
  if (text.charCodeAt(reader.at) !== CLOSE) return undefined;
  reader.at++;
  return regarding;
}

const CLOSE = 0x7d;
