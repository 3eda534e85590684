import type { UsualObject } from '../../api/decode/decode-body.js';
import { parseTime } from '../../api/decode/parse-time.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * A new event as nearly all reporters send it: every field `events/v1` asks for, with a value, no others than a few labels,
 * and the empty ones Go's clients write. With constant names, and parts taken over as they were parsed: 1 µs instead of the
 * 3 of the decoder that goes along the shape, which gets everything else. Tests hold the two together.
 *
 * @param value an object, fresh from `JSON.parse`, that says `kind` and `apiVersion`. It is used up.
 */
export function decodeUsualEvent(value: object): UsualObject | undefined {
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
  if (!isText(reportingController) || !isText(reportingInstance) || !isText(action) || !isText(reason))
    return undefined;
  if (!isText(note) || !isText(type) || !isText(eventTime) || !isObject(sent) || !isObject(regarding)) return undefined;

  const time = parseTime(eventTime, 'micro-time');
  if ('error' in time || time.value === null) return undefined;
  const known = FIELDS + emptyFields(body);
  if (Object.keys(body).length !== known) return undefined;
  const references = referenceFields(regarding);
  if (references === 0) return undefined;

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
    eventTime: time.value,
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
  return { object, keys: known + references + inMetadata + labelled };
}

/** `kind`, `apiVersion` and the nine above. */
const FIELDS = 11;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How many fields there are that Go writes without a value. */
function emptyFields({ deprecatedSource, deprecatedFirstTimestamp, deprecatedLastTimestamp }: Members): number {
  return (
    (isObject(deprecatedSource) && Object.keys(deprecatedSource).length === 0 ? 1 : 0) +
    (deprecatedFirstTimestamp === null ? 1 : 0) +
    (deprecatedLastTimestamp === null ? 1 : 0)
  );
}

/** How many fields a reference has; 0 where it has unusual ones. */
function referenceFields(reference: Members): number {
  const { kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath } = reference;
  const count =
    (isText(kind) ? 1 : 0) +
    (isText(namespace) ? 1 : 0) +
    (isText(name) ? 1 : 0) +
    (isText(uid) ? 1 : 0) +
    (isText(apiVersion) ? 1 : 0) +
    (isText(resourceVersion) ? 1 : 0) +
    (isText(fieldPath) ? 1 : 0);
  return Object.keys(reference).length === count ? count : 0;
}

/** How many texts a map has; undefined where it is empty or has other things. */
function textsIn(map: unknown): number | undefined {
  if (!isObject(map)) return undefined;
  const keys = Object.keys(map);
  for (const key of keys) if (typeof map[key] !== 'string') return undefined;
  return keys.length === 0 ? undefined : keys.length;
}
