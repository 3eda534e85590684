// Written by `npm run generate` from events/resource/schema.ts. Change the schema, not this file.

import { fieldWriter, quoted, writeTexts } from '../../api/encode/encode-json.js';
import { lazy } from '../../api/schema/lazy.js';
import type { Event, EventSeries, EventSource, ObjectReference } from '../../model/event.js';
import type { ObjectMeta } from '../../model/object-meta.js';
import { eventShape } from '../resource/schema.js';

/** The text of metadata before and after the revision, without commas at the ends. Either may be empty. */
export interface MetadataText {
  readonly before: string;
  readonly after: string;
  /** The length of the managed fields, which end `after`. */
  readonly managed: number;
}

/** Writes the metadata without the revision. `managedFields`: their JSON, if it is known. */
export function writeMetadata(metadata: ObjectMeta, managedFields: string | undefined): MetadataText {
  const {
    name,
    generateName,
    namespace,
    uid,
    generation,
    creationTimestamp,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    labels,
    annotations,
  } = metadata;
  let before = '';
  if (name) before += `"name":${quoted(name)}`;
  if (generateName) before += `${before === '' ? '' : ','}"generateName":${quoted(generateName)}`;
  if (namespace) before += `${before === '' ? '' : ','}"namespace":${quoted(namespace)}`;
  if (uid) before += `${before === '' ? '' : ','}"uid":${quoted(uid)}`;
  let after = '';
  if (generation) after += `"generation":${generation}`;
  if (creationTimestamp) after += `${after === '' ? '' : ','}"creationTimestamp":${quoted(creationTimestamp)}`;
  if (deletionTimestamp != null) after += `${after === '' ? '' : ','}"deletionTimestamp":${quoted(deletionTimestamp)}`;
  if (deletionGracePeriodSeconds != null)
    after += `${after === '' ? '' : ','}"deletionGracePeriodSeconds":${deletionGracePeriodSeconds}`;
  const labelsText = labels ? writeTexts(labels) : '{}';
  if (labelsText !== '{}') after += `${after === '' ? '' : ','}"labels":${labelsText}`;
  const annotationsText = annotations ? writeTexts(annotations) : '{}';
  if (annotationsText !== '{}') after += `${after === '' ? '' : ','}"annotations":${annotationsText}`;
  const ownerReferencesText = metadata.ownerReferences === undefined ? '' : metadataOwnerReferences()(metadata);
  if (ownerReferencesText !== '') after += `${after === '' ? '' : ','}${ownerReferencesText}`;
  const finalizersText = metadata.finalizers === undefined ? '' : metadataFinalizers()(metadata);
  if (finalizersText !== '') after += `${after === '' ? '' : ','}${finalizersText}`;
  const managed = managedFields === undefined ? metadataManagedFields()(metadata) : `"managedFields":${managedFields}`;
  if (managed !== '') after += after === '' ? managed : `,${managed}`;
  return { before, after, managed: managed.length };
}

/** The beginning of the text of the fields after metadata. */
export const FIRST_FIELD = '"eventTime":';

/** The beginning of the rest of an event: the part that no update changes. */
export const REST = ',"regarding":';

/** Writes the fields after metadata, without braces. `rest`: the text from {@link REST} on, if it is known. */
export function writeFields(event: Event, rest?: string): string {
  const {
    eventTime,
    series,
    reportingController,
    reportingInstance,
    action,
    reason,
    regarding,
    related,
    note,
    type,
    deprecatedSource,
    deprecatedFirstTimestamp,
    deprecatedLastTimestamp,
    deprecatedCount,
  } = event;
  let out = '';
  out += `"eventTime":${nullable(eventTime)}`;
  if (series) out += `,"series":${writeEventSeries(series)}`;
  if (reportingController) out += `,"reportingController":${quoted(reportingController)}`;
  if (reportingInstance) out += `,"reportingInstance":${quoted(reportingInstance)}`;
  if (action) out += `,"action":${quoted(action)}`;
  if (reason) out += `,"reason":${quoted(reason)}`;
  if (rest !== undefined) return out + rest;
  out += `,"regarding":${writeObjectReference(regarding)}`;
  if (related) out += `,"related":${writeObjectReference(related)}`;
  if (note) out += `,"note":${quoted(note)}`;
  if (type) out += `,"type":${quoted(type)}`;
  out += `,"deprecatedSource":${writeEventSource(deprecatedSource)}`;
  out += `,"deprecatedFirstTimestamp":${nullable(deprecatedFirstTimestamp)}`;
  out += `,"deprecatedLastTimestamp":${nullable(deprecatedLastTimestamp)}`;
  if (deprecatedCount) out += `,"deprecatedCount":${deprecatedCount}`;
  return out;
}

/** EventSeries as JSON. */
export function writeEventSeries(value: EventSeries | undefined): string {
  if (!value) return '{}';
  const { count, lastObservedTime } = value;
  let out = '';
  out += `"count":${count ?? 0}`;
  out += `,"lastObservedTime":${nullable(lastObservedTime)}`;
  return `{${out}}`;
}

/** ObjectReference as JSON. */
export function writeObjectReference(value: ObjectReference | undefined): string {
  if (!value) return '{}';
  const { kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath } = value;
  let out = '';
  if (kind) out += `"kind":${quoted(kind)}`;
  if (namespace) out += `${out === '' ? '' : ','}"namespace":${quoted(namespace)}`;
  if (name) out += `${out === '' ? '' : ','}"name":${quoted(name)}`;
  if (uid) out += `${out === '' ? '' : ','}"uid":${quoted(uid)}`;
  if (apiVersion) out += `${out === '' ? '' : ','}"apiVersion":${quoted(apiVersion)}`;
  if (resourceVersion) out += `${out === '' ? '' : ','}"resourceVersion":${quoted(resourceVersion)}`;
  if (fieldPath) out += `${out === '' ? '' : ','}"fieldPath":${quoted(fieldPath)}`;
  return `{${out}}`;
}

/** EventSource as JSON. */
export function writeEventSource(value: EventSource | undefined): string {
  if (!value) return '{}';
  const { component, host } = value;
  let out = '';
  if (component) out += `"component":${quoted(component)}`;
  if (host) out += `${out === '' ? '' : ','}"host":${quoted(host)}`;
  return `{${out}}`;
}

const metadataOwnerReferences = lazy(() => fieldWriter(eventShape(), 'metadata', 'ownerReferences'));
const metadataFinalizers = lazy(() => fieldWriter(eventShape(), 'metadata', 'finalizers'));
const metadataManagedFields = lazy(() => fieldWriter(eventShape(), 'metadata', 'managedFields'));

/** A time that is not set is written as null. */
const nullable = (text: string | null | undefined): string =>
  text === null || text === undefined ? 'null' : quoted(text);
