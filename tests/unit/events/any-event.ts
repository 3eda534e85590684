import fc from 'fast-check';

const text = (): fc.Arbitrary<string> =>
  fc.oneof(fc.string(), fc.string({ unit: 'grapheme' })).filter((value) => !/\p{Surrogate}/u.test(value));

const moment = (pattern: RegExp): fc.Arbitrary<string> => fc.stringMatching(pattern);
const micro = (): fc.Arbitrary<string> =>
  moment(/^20[0-9]{2}-0[1-9]-[12][0-8]T[01][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]0[0-9]:[0-5][0-9])$/);
const int32 = (): fc.Arbitrary<number> => fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const texts = (): fc.Arbitrary<Record<string, string>> =>
  fc.dictionary(fc.oneof(text(), fc.constantFrom('__proto__', 'constructor', '10', '9')), text(), { maxKeys: 4 });

const reference = (): fc.Arbitrary<object> =>
  fc.record(
    {
      kind: text(),
      namespace: text(),
      name: text(),
      uid: text(),
      apiVersion: text(),
      resourceVersion: text(),
      fieldPath: text(),
    },
    { requiredKeys: [] },
  );

const owner = (): fc.Arbitrary<object> =>
  fc.record(
    {
      apiVersion: text(),
      kind: text(),
      name: text(),
      uid: text(),
      controller: fc.boolean(),
      blockOwnerDeletion: fc.boolean(),
    },
    { requiredKeys: ['apiVersion', 'kind', 'name', 'uid'] },
  );

const metadata = (): fc.Arbitrary<object> =>
  fc.record(
    {
      name: text(),
      generateName: text(),
      namespace: text(),
      uid: text(),
      resourceVersion: text(),
      generation: fc.maxSafeInteger(),
      creationTimestamp: micro(),
      deletionTimestamp: micro(),
      deletionGracePeriodSeconds: fc.maxSafeInteger(),
      labels: texts(),
      annotations: texts(),
      ownerReferences: fc.array(owner(), { maxLength: 2 }),
      finalizers: fc.array(text(), { maxLength: 2 }),
      managedFields: fc.array(
        fc.record(
          { manager: text(), operation: text(), time: micro(), fieldsV1: fc.dictionary(text(), fc.constant({})) },
          { requiredKeys: [] },
        ),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: [] },
  );

/** Events of the right types, with values of all kinds. */
export function anyEvent(): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(
    {
      metadata: metadata(),
      eventTime: fc.oneof(micro(), fc.constant(null)),
      series: fc.record({ count: int32(), lastObservedTime: fc.oneof(micro(), fc.constant(null)) }),
      reportingController: text(),
      reportingInstance: text(),
      action: text(),
      reason: text(),
      regarding: reference(),
      related: reference(),
      note: text(),
      type: text(),
      deprecatedSource: fc.record({ component: text(), host: text() }, { requiredKeys: [] }),
      deprecatedFirstTimestamp: fc.oneof(micro(), fc.constant(null)),
      deprecatedLastTimestamp: fc.oneof(micro(), fc.constant(null)),
      deprecatedCount: int32(),
    },
    { requiredKeys: ['metadata'] },
  );
}
