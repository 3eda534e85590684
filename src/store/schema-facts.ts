// Written by `npm run generate` from events/schema.ts. Change the schema, not this file.

/**
 * What field selectors read, by place. Stored descriptions depend on the order: names are only ever appended.
 */
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

/** How nearly every event ends that was written by a client of today. */
export const COMMON_ENDING = ',"deprecatedSource":{},"deprecatedFirstTimestamp":null,"deprecatedLastTimestamp":null}';
