// Written by `npm run generate` from events/resource/schema.ts. Change the schema, not this file.

import { isText, textsIn, type QuickObject } from '../../api/decode/quick-object.js';
import { isObject } from '../../json/json-tree.js';
import { parseTime } from '../../time/parse-time.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * A new event as nearly all reporters send it: every field they should send, with a value, no others than a few labels, and
 * the empty ones Go's clients write. With constant names, and parts taken over as they were parsed: 1 µs instead of the 3 of
 * the decoder that goes along the shape, which gets everything else.
 *
 * @param value an object, fresh from `JSON.parse`, that says `kind` and `apiVersion`. It is consumed.
 */
export function decodeNewEvent(value: object): QuickObject | undefined {
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
  } = body;
  if (!isObject(sent)) return undefined;
  const eventTimeRead = isText(eventTime) ? parseTime(eventTime, 'micro-time') : undefined;
  if (!eventTimeRead || 'error' in eventTimeRead || eventTimeRead.value === null) return undefined;
  if (!isText(reportingController)) return undefined;
  if (!isText(reportingInstance)) return undefined;
  if (!isText(action)) return undefined;
  if (!isText(reason)) return undefined;
  const regardingFields = isObject(regarding) ? fieldsOfObjectReference(regarding) : 0;
  if (regardingFields === 0) return undefined;
  if (!isText(note)) return undefined;
  if (!isText(type)) return undefined;
  const known = 11 + emptyFields(body);
  if (Object.keys(body).length !== known) return undefined;

  const { name, namespace, labels } = sent;
  if (!isText(name) || !isText(namespace)) return undefined;
  const labelled = labels === undefined ? 0 : textsIn(labels);
  if (labelled === undefined) return undefined;
  const inMetadata = 2 + (labels === undefined ? 0 : 1) + (sent['creationTimestamp'] === null ? 1 : 0);
  if (Object.keys(sent).length !== inMetadata) return undefined;
  const metadata: Record<string, unknown> = { name, namespace };
  // In place, as the careful decoder has it: keys are the client's. After they are there it stays an object with fast keys.
  if (labels !== undefined) metadata['labels'] = Object.setPrototypeOf(labels, null);
  const object = {
    metadata,
    eventTime: eventTimeRead.value,
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
  return { object, keys: known + inMetadata + labelled + regardingFields };
}

/** How many fields there are that Go writes without a value. */
function emptyFields({ deprecatedSource, deprecatedFirstTimestamp, deprecatedLastTimestamp }: Members): number {
  return (
    (isObject(deprecatedSource) && Object.keys(deprecatedSource).length === 0 ? 1 : 0) +
    (deprecatedFirstTimestamp === null ? 1 : 0) +
    (deprecatedLastTimestamp === null ? 1 : 0)
  );
}

/** How many fields it has; 0 where it has unusual ones. */
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
