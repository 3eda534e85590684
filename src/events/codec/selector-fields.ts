// Written by `npm run generate` from events/resource/schema.ts. Change the schema, not this file.

import type { Event } from '../../model/event.js';

/**
 * What field selectors read of an event; empty values are left out. Made at once where an event has what nearly all have,
 * because each field that is added takes 0.05 µs.
 */
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
  if (
    metadataName &&
    metadataNamespace &&
    reason &&
    type &&
    reportingController &&
    derived &&
    regardingKind &&
    regardingNamespace &&
    regardingName &&
    regardingUid &&
    regardingApiVersion
  ) {
    const fields: Record<string, string> = {
      'metadata.name': metadataName,
      'metadata.namespace': metadataNamespace,
      reason: reason,
      type: type,
      reportingController: reportingController,
      source: derived,
      'regarding.kind': regardingKind,
      'regarding.namespace': regardingNamespace,
      'regarding.name': regardingName,
      'regarding.uid': regardingUid,
      'regarding.apiVersion': regardingApiVersion,
    };
    if (regardingResourceVersion) fields['regarding.resourceVersion'] = regardingResourceVersion;
    if (regardingFieldPath) fields['regarding.fieldPath'] = regardingFieldPath;
    return fields;
  }
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
