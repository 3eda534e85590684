// Written by `npm run generate` from events/resource/schema.ts. Change the schema, not this file.

import { isCount, isText, textsIn, timeOf, type QuickObject } from '../../api/decode/quick-object.js';
import { isObject } from '../../json/json-tree.js';
import type { ManagedFieldsEntry } from '../../model/object-meta.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * Decodes an event in the form that nearly all clients send, in 1 µs: names are constants and the parsed parts become
 * parts of the result. For any other event the result is undefined, and the caller uses the decoder that follows the
 * shape, which takes 3 µs for a new event and 6 µs for one that was read from the server.
 *
 * @param value an object with `kind` and `apiVersion`, just returned by `JSON.parse`; it must not be used afterwards
 * @param managed the managed fields, where the value has the number 0 in their place
 */
export function decodeCommonEvent(value: object, managed?: readonly ManagedFieldsEntry[]): QuickObject | undefined {
  const body = value as Members;
  const {
    metadata: sent,
    eventTime,
    reportingController,
    reportingInstance,
    action,
    reason,
    regarding,
    note,
    type,
    series,
    related,
  } = body;
  if (!isObject(sent)) return undefined;
  const eventTimeRead = timeOf(eventTime, 'micro-time');
  if (eventTimeRead === undefined) return undefined;
  if (!isText(reportingController)) return undefined;
  if (!isText(reportingInstance)) return undefined;
  if (!isText(action)) return undefined;
  if (!isText(reason)) return undefined;
  const regardingFields = isObject(regarding) ? fieldsOfObjectReference(regarding) : 0;
  if (regardingFields === 0) return undefined;
  if (!isText(note)) return undefined;
  if (!isText(type)) return undefined;

  const seriesFields = series === undefined ? 0 : isObject(series) ? fieldsOfEventSeries(series) : 0;
  if (series !== undefined && seriesFields === 0) return undefined;

  const relatedFields = related === undefined ? 0 : isObject(related) ? fieldsOfObjectReference(related) : 0;
  if (related !== undefined && relatedFields === 0) return undefined;
  const known = 11 + emptyFields(body) + (series === undefined ? 0 : 1) + (related === undefined ? 0 : 1);
  if (Object.keys(body).length !== known) return undefined;

  const { name, namespace, uid, resourceVersion, creationTimestamp, labels, annotations, managedFields } = sent;
  if (!isText(name) || !isText(namespace)) return undefined;
  if (uid !== undefined && !isText(uid)) return undefined;
  if (resourceVersion !== undefined && !isText(resourceVersion)) return undefined;
  const creationTimestampRead =
    creationTimestamp === undefined || creationTimestamp === null ? null : timeOf(creationTimestamp, 'time');
  if (creationTimestampRead === undefined) return undefined;
  const labelsRead = labels === undefined ? 0 : textsIn(labels);
  if (labelsRead === undefined) return undefined;
  const annotationsRead = annotations === undefined ? 0 : textsIn(annotations);
  if (annotationsRead === undefined) return undefined;
  if (managedFields !== undefined && (managedFields !== 0 || managed === undefined)) return undefined;
  const inMetadata =
    2 +
    (uid === undefined ? 0 : 1) +
    (resourceVersion === undefined ? 0 : 1) +
    (creationTimestamp === undefined ? 0 : 1) +
    (labels === undefined ? 0 : 1) +
    (annotations === undefined ? 0 : 1) +
    (managedFields === undefined ? 0 : 1);
  if (Object.keys(sent).length !== inMetadata) return undefined;
  const inMaps = labelsRead + annotationsRead;
  const metadata: Record<string, unknown> = { name, namespace };
  // The keys of maps come from the client, so maps have no prototype, as in the other decoder. It is removed from the
  // parsed map, when all keys are there: that leaves access to them fast.
  if (uid !== undefined) metadata['uid'] = uid;
  if (resourceVersion !== undefined) metadata['resourceVersion'] = resourceVersion;
  if (creationTimestampRead !== null) metadata['creationTimestamp'] = creationTimestampRead;
  if (labels !== undefined) metadata['labels'] = Object.setPrototypeOf(labels, null);
  if (annotations !== undefined) metadata['annotations'] = Object.setPrototypeOf(annotations, null);
  if (managedFields !== undefined) metadata['managedFields'] = managed;
  const object: Record<string, unknown> = {
    metadata,
    eventTime: eventTimeRead,
    reportingController,
    reportingInstance,
    action,
    reason,
    regarding,
    note,
    type,
    deprecatedSource: {},
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
  };
  if (series !== undefined) object['series'] = series;
  if (related !== undefined) object['related'] = related;
  return { object, keys: known + inMetadata + inMaps + regardingFields + seriesFields + relatedFields };
}

/** The number of empty fields that clients written in Go send. */
function emptyFields({ deprecatedSource, deprecatedFirstTimestamp, deprecatedLastTimestamp }: Members): number {
  return (
    (isObject(deprecatedSource) && Object.keys(deprecatedSource).length === 0 ? 1 : 0) +
    (deprecatedFirstTimestamp === null ? 1 : 0) +
    (deprecatedLastTimestamp === null ? 1 : 0)
  );
}

/** The number of its fields; 0 if there are unusual ones. */
function fieldsOfObjectReference(value: Members): number {
  const { kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath } = value;
  const count =
    (isText(kind) ? 1 : 0) +
    (isText(namespace) ? 1 : 0) +
    (isText(name) ? 1 : 0) +
    (isText(uid) ? 1 : 0) +
    (isText(apiVersion) ? 1 : 0) +
    (isText(resourceVersion) ? 1 : 0) +
    (isText(fieldPath) ? 1 : 0);
  return Object.keys(value).length === count ? count : 0;
}

/** The number of its fields; 0 if there are unusual ones. */
function fieldsOfEventSeries(value: Members): number {
  const { count, lastObservedTime } = value;
  const isCommon =
    isCount(count) && timeOf(lastObservedTime, 'micro-time') === lastObservedTime && Object.keys(value).length === 2;
  return isCommon ? 2 : 0;
}
