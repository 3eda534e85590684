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

type Texts = Readonly<Record<string, string>>;

/** Whether two events agree in all of {@link COMMON_FIELDS}. A loop over the names would take 0.3 µs more. */
export function agreeInCommonFields(one: Texts, other: Texts): boolean {
  return (
    one['metadata.namespace'] === other['metadata.namespace'] &&
    one['reason'] === other['reason'] &&
    one['type'] === other['type'] &&
    one['reportingController'] === other['reportingController'] &&
    one['source'] === other['source'] &&
    one['regarding.kind'] === other['regarding.kind'] &&
    one['regarding.namespace'] === other['regarding.namespace'] &&
    one['regarding.apiVersion'] === other['regarding.apiVersion'] &&
    one['regarding.fieldPath'] === other['regarding.fieldPath']
  );
}
