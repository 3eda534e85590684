// Written by `npm run generate` from events/resource/schema.ts. Change the schema, not this file.

/** The fields that field selectors can use. Stored sidecars depend on the order, so names are only appended. */
export const SELECTOR_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'reason',
  'type',
  'reportingController',
  'source',
  'regarding.kind',
  'regarding.namespace',
  'regarding.name',
  'regarding.uid',
  'regarding.apiVersion',
  'regarding.resourceVersion',
  'regarding.fieldPath',
] as const;

/** Those of them in which many events have the same value. */
export const COMMON_FIELDS = [
  'metadata.namespace',
  'reason',
  'type',
  'reportingController',
  'source',
  'regarding.kind',
  'regarding.namespace',
  'regarding.apiVersion',
  'regarding.fieldPath',
] as const;

/** The end of the JSON of nearly every event that a current client has written. */
export const COMMON_SUFFIX = ',"deprecatedSource":{},"deprecatedFirstTimestamp":null,"deprecatedLastTimestamp":null}';
