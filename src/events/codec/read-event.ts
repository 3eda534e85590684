// Written by `npm run generate` from events/resource/schema.ts. Change the schema, not this file.

import type { Event, EventSeries, ObjectReference } from '../../model/event.js';
import type { ObjectMeta } from '../../model/object-meta.js';
import { CLOSE, integer, opened, quotedText, type TextReader } from '../../json/text-reader.js';

/** Finds the labels with this JSON, which is an object of texts. Not to be changed: events share them. */
export type LabelTexts = (json: string) => Readonly<Record<string, string>>;

/** An event, and where in its text the fields begin and end that updates may change. */
export interface ReadFields {
  readonly event: Event;
  readonly places: readonly number[];
}

/** How the fields after metadata begin. */
export const FIRST_FIELD = '"eventTime":';

/**
 * Reads the fields of an event as most are from its text: 1 µs where `JSON.parse` takes 2.5, and it tells where the
 * fields stand. Undefined for any other event, and wherever something is escaped.
 *
 * @param start the place of {@link FIRST_FIELD}; the text ends with the event
 */
export function readFields(text: string, metadata: ObjectMeta, start: number): ReadFields | undefined {
  if (text.includes('\\', start)) return undefined;
  const reader: TextReader = { text, at: start };
  const eventTime = quotedText(reader, '"eventTime":"');
  if (eventTime === undefined) return undefined;
  const event: Event = { metadata, eventTime };
  const seriesFrom = reader.at;
  if (opened(reader, ',"series":{')) {
    const series = readEventSeries(reader);
    if (!series) return undefined;
    event.series = series;
  }
  const seriesTo = reader.at;
  const reportingController = quotedText(reader, ',"reportingController":"');
  if (reportingController !== undefined) event.reportingController = reportingController;
  const reportingInstance = quotedText(reader, ',"reportingInstance":"');
  if (reportingInstance !== undefined) event.reportingInstance = reportingInstance;
  const action = quotedText(reader, ',"action":"');
  if (action !== undefined) event.action = action;
  const reason = quotedText(reader, ',"reason":"');
  if (reason !== undefined) event.reason = reason;
  if (!opened(reader, ',"regarding":{')) return undefined;
  const regarding = readObjectReference(reader);
  if (!regarding) return undefined;
  event.regarding = regarding;
  if (opened(reader, ',"related":{')) {
    const related = readObjectReference(reader);
    if (!related) return undefined;
    event.related = related;
  }
  const note = quotedText(reader, ',"note":"');
  if (note !== undefined) event.note = note;
  const type = quotedText(reader, ',"type":"');
  if (type !== undefined) event.type = type;
  if (!opened(reader, ',"deprecatedSource":{},"deprecatedFirstTimestamp":null,"deprecatedLastTimestamp":null'))
    return undefined;
  event.deprecatedSource = {};
  event.deprecatedFirstTimestamp = null;
  event.deprecatedLastTimestamp = null;
  const deprecatedCount = integer(reader, ',"deprecatedCount":');
  if (deprecatedCount !== undefined) event.deprecatedCount = deprecatedCount;
  if (reader.at !== text.length - 1) return undefined;
  return { event, places: [seriesFrom, seriesTo] };
}

/** Metadata without managed fields, and where the place of the revision is. */
export interface ReadMetadata {
  readonly metadata: ObjectMeta;
  readonly cut: number;
}

/**
 * Reads what stands before the managed fields of an event as most are. Undefined for any other.
 *
 * @param end the place of `"managedFields"`
 */
export function readMetadata(text: string, end: number, labelsOf: LabelTexts): ReadMetadata | undefined {
  const reader: TextReader = { text, at: 0 };
  const name = quotedText(reader, '{"metadata":{"name":"');
  const namespace = quotedText(reader, ',"namespace":"');
  const uid = quotedText(reader, ',"uid":"');
  const cut = reader.at + 1;
  const creationTimestamp = quotedText(reader, ',"creationTimestamp":"');
  if (name === undefined || namespace === undefined || uid === undefined || creationTimestamp === undefined)
    return undefined;
  const metadata: ObjectMeta = { name, namespace, uid, creationTimestamp };
  const { at } = reader;
  if (text.startsWith(MAP, at)) {
    // Texts only: the first brace that is not within one ends them.
    const close = text.indexOf('},', at);
    if (close !== end - 2) return undefined;
    metadata.labels = labelsOf(text.slice(at + MAP.length - 1, close + 1));
  } else if (at !== end - 1) return undefined;
  // Names do not have it, but nobody looks after what a store returns.
  const escaped = text.indexOf('\\');
  return escaped === -1 || escaped > at ? { metadata, cut } : undefined;
}

const MAP = ',"labels":{';

/** After the opening brace. */
function readEventSeries(reader: TextReader): EventSeries | undefined {
  const { text } = reader;

  const count = integer(reader, '"count":');
  if (count === undefined) return undefined;

  const lastObservedTime = quotedText(reader, ',"lastObservedTime":"');
  if (lastObservedTime === undefined) return undefined;

  if (text.charCodeAt(reader.at) !== CLOSE) return undefined;
  reader.at++;
  return { count, lastObservedTime };
}

/** After the opening brace. */
function readObjectReference(reader: TextReader): ObjectReference | undefined {
  const { text } = reader;
  const value: ObjectReference = {};
  if (text.charCodeAt(reader.at) === CLOSE) {
    reader.at++;
    return value;
  }
  // Most have the first field; those without are read as JSON.
  const kind = quotedText(reader, '"kind":"');
  if (kind === undefined) return undefined;
  value.kind = kind;
  const namespace = quotedText(reader, ',"namespace":"');
  if (namespace !== undefined) value.namespace = namespace;
  const name = quotedText(reader, ',"name":"');
  if (name !== undefined) value.name = name;
  const uid = quotedText(reader, ',"uid":"');
  if (uid !== undefined) value.uid = uid;
  const apiVersion = quotedText(reader, ',"apiVersion":"');
  if (apiVersion !== undefined) value.apiVersion = apiVersion;
  const resourceVersion = quotedText(reader, ',"resourceVersion":"');
  if (resourceVersion !== undefined) value.resourceVersion = resourceVersion;
  const fieldPath = quotedText(reader, ',"fieldPath":"');
  if (fieldPath !== undefined) value.fieldPath = fieldPath;
  if (text.charCodeAt(reader.at) !== CLOSE) return undefined;
  reader.at++;
  return value;
}
