// Written by `npm run generate` from events/resource/schema.ts. Change the schema, not this file.

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

/** Those of them that a great many events have in common. */
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

/** How nearly every event ends that was written by a client of today. */
export const COMMON_SUFFIX = ',"deprecatedSource":{},"deprecatedFirstTimestamp":null,"deprecatedLastTimestamp":null}';

type Texts = Readonly<Record<string, string>>;

/** Whether two events agree in all of {@link COMMON_FIELDS}. With constant names: a loop takes 0.3 µs more. */
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
