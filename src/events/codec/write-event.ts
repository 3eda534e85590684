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
  let before = '';
  if (metadata.name) before += `"name":${quoted(metadata.name)}`;
  if (metadata.generateName) before += `${before === '' ? '' : ','}"generateName":${quoted(metadata.generateName)}`;
  if (metadata.namespace) before += `${before === '' ? '' : ','}"namespace":${quoted(metadata.namespace)}`;
  if (metadata.uid) before += `${before === '' ? '' : ','}"uid":${quoted(metadata.uid)}`;
  let after = '';
  if (metadata.generation) after += `"generation":${metadata.generation}`;
  if (metadata.creationTimestamp)
    after += `${after === '' ? '' : ','}"creationTimestamp":${quoted(metadata.creationTimestamp)}`;
  if (metadata.deletionTimestamp != null)
    after += `${after === '' ? '' : ','}"deletionTimestamp":${quoted(metadata.deletionTimestamp)}`;
  if (metadata.deletionGracePeriodSeconds != null)
    after += `${after === '' ? '' : ','}"deletionGracePeriodSeconds":${metadata.deletionGracePeriodSeconds}`;
  const labelsText = metadata.labels ? writeTexts(metadata.labels) : '{}';
  if (labelsText !== '{}') after += `${after === '' ? '' : ','}"labels":${labelsText}`;
  const annotationsText = metadata.annotations ? writeTexts(metadata.annotations) : '{}';
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
  let out = '';
  out += `"eventTime":${nullable(event.eventTime)}`;
  if (event.series) out += `,"series":${writeEventSeries(event.series)}`;
  if (event.reportingController) out += `,"reportingController":${quoted(event.reportingController)}`;
  if (event.reportingInstance) out += `,"reportingInstance":${quoted(event.reportingInstance)}`;
  if (event.action) out += `,"action":${quoted(event.action)}`;
  if (event.reason) out += `,"reason":${quoted(event.reason)}`;
  if (rest !== undefined) return out + rest;
  out += `,"regarding":${writeObjectReference(event.regarding)}`;
  if (event.related) out += `,"related":${writeObjectReference(event.related)}`;
  if (event.note) out += `,"note":${quoted(event.note)}`;
  if (event.type) out += `,"type":${quoted(event.type)}`;
  out += `,"deprecatedSource":${writeEventSource(event.deprecatedSource)}`;
  out += `,"deprecatedFirstTimestamp":${nullable(event.deprecatedFirstTimestamp)}`;
  out += `,"deprecatedLastTimestamp":${nullable(event.deprecatedLastTimestamp)}`;
  if (event.deprecatedCount) out += `,"deprecatedCount":${event.deprecatedCount}`;
  return out;
}

/** EventSeries as JSON. */
export function writeEventSeries(value: EventSeries | undefined): string {
  if (!value) return '{}';
  let out = '';
  out += `"count":${value.count ?? 0}`;
  out += `,"lastObservedTime":${nullable(value.lastObservedTime)}`;
  return `{${out}}`;
}

/** ObjectReference as JSON. */
export function writeObjectReference(value: ObjectReference | undefined): string {
  if (!value) return '{}';
  let out = '';
  if (value.kind) out += `"kind":${quoted(value.kind)}`;
  if (value.namespace) out += `${out === '' ? '' : ','}"namespace":${quoted(value.namespace)}`;
  if (value.name) out += `${out === '' ? '' : ','}"name":${quoted(value.name)}`;
  if (value.uid) out += `${out === '' ? '' : ','}"uid":${quoted(value.uid)}`;
  if (value.apiVersion) out += `${out === '' ? '' : ','}"apiVersion":${quoted(value.apiVersion)}`;
  if (value.resourceVersion) out += `${out === '' ? '' : ','}"resourceVersion":${quoted(value.resourceVersion)}`;
  if (value.fieldPath) out += `${out === '' ? '' : ','}"fieldPath":${quoted(value.fieldPath)}`;
  return `{${out}}`;
}

/** EventSource as JSON. */
export function writeEventSource(value: EventSource | undefined): string {
  if (!value) return '{}';
  let out = '';
  if (value.component) out += `"component":${quoted(value.component)}`;
  if (value.host) out += `${out === '' ? '' : ','}"host":${quoted(value.host)}`;
  return `{${out}}`;
}

const metadataOwnerReferences = lazy(() => fieldWriter(eventShape(), 'metadata', 'ownerReferences'));
const metadataFinalizers = lazy(() => fieldWriter(eventShape(), 'metadata', 'finalizers'));
const metadataManagedFields = lazy(() => fieldWriter(eventShape(), 'metadata', 'managedFields'));

/** A time that is not set is written as null. */
const nullable = (text: string | null | undefined): string =>
  text === null || text === undefined ? 'null' : quoted(text);

/** The fields of an event that field selectors can use, by name; empty values are left out. */
export function selectorFields(event: Event): Record<string, string> {
  const source = event.deprecatedSource?.component || event.reportingController;
  const fields: Record<string, string> = {};
  if (event.metadata.name) fields['metadata.name'] = event.metadata.name;
  if (event.metadata.namespace) fields['metadata.namespace'] = event.metadata.namespace;
  if (event.reason) fields['reason'] = event.reason;
  if (event.type) fields['type'] = event.type;
  if (event.reportingController) fields['reportingController'] = event.reportingController;
  if (source) fields['source'] = source;
  if (event.regarding?.kind) fields['regarding.kind'] = event.regarding.kind;
  if (event.regarding?.namespace) fields['regarding.namespace'] = event.regarding.namespace;
  if (event.regarding?.name) fields['regarding.name'] = event.regarding.name;
  if (event.regarding?.uid) fields['regarding.uid'] = event.regarding.uid;
  if (event.regarding?.apiVersion) fields['regarding.apiVersion'] = event.regarding.apiVersion;
  if (event.regarding?.resourceVersion) fields['regarding.resourceVersion'] = event.regarding.resourceVersion;
  if (event.regarding?.fieldPath) fields['regarding.fieldPath'] = event.regarding.fieldPath;
  return fields;
}
