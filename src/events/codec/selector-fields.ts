// Written by `npm run generate` from events/resource/schema.ts. Change the schema, not this file.

import type { Event } from '../../model/event.js';

/** The fields of an event that field selectors can use, by name; empty values are left out. */
export function selectorFields(event: Event): Record<string, string> {
  const metadataName = event.metadata.name;
  const metadataNamespace = event.metadata.namespace;
  const reason = event.reason;
  const type = event.type;
  const reportingController = event.reportingController;
  const derived = event.deprecatedSource?.component || event.reportingController;
  const regardingKind = event.regarding?.kind;
  const regardingNamespace = event.regarding?.namespace;
  const regardingName = event.regarding?.name;
  const regardingUid = event.regarding?.uid;
  const regardingApiVersion = event.regarding?.apiVersion;
  const regardingResourceVersion = event.regarding?.resourceVersion;
  const regardingFieldPath = event.regarding?.fieldPath;
  const fields: Record<string, string> = {};
  if (metadataName) fields['metadata.name'] = metadataName;
  if (metadataNamespace) fields['metadata.namespace'] = metadataNamespace;
  if (reason) fields['reason'] = reason;
  if (type) fields['type'] = type;
  if (reportingController) fields['reportingController'] = reportingController;
  if (derived) fields['source'] = derived;
  if (regardingKind) fields['regarding.kind'] = regardingKind;
  if (regardingNamespace) fields['regarding.namespace'] = regardingNamespace;
  if (regardingName) fields['regarding.name'] = regardingName;
  if (regardingUid) fields['regarding.uid'] = regardingUid;
  if (regardingApiVersion) fields['regarding.apiVersion'] = regardingApiVersion;
  if (regardingResourceVersion) fields['regarding.resourceVersion'] = regardingResourceVersion;
  if (regardingFieldPath) fields['regarding.fieldPath'] = regardingFieldPath;
  return fields;
}
