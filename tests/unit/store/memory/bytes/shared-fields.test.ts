import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createSharedFields,
  joinFields,
  OWN,
  type SharedFields,
} from '../../../../../src/store/memory/bytes/shared-fields.js';
import type { EncodedEvent } from '../../../../../src/store/contract/record.js';

const NAME = 'a';
const VERSION = '7';
/** The version of the regarding object stands at its fourth byte. */
const BYTES = new TextEncoder().encode('...7...');

type Strings = Readonly<Record<string, string>>;

const anyEvent = (): fc.Arbitrary<EncodedEvent & { readonly keepUid: boolean }> => {
  // Few values, so that events agree in some of them and often in all.
  const value = fc.constantFrom('x', 'y');
  const fields = fc.record(
    {
      'metadata.name': fc.constantFrom(NAME, NAME, 'b'),
      reason: fc.constantFrom('x', 'x', 'y', ''),
      'regarding.name': fc.constantFrom('x', ''),
      'regarding.uid': value,
      'regarding.resourceVersion': fc.constantFrom(VERSION, VERSION, '8'),
    },
    { requiredKeys: [] },
  );
  const labels = fc.oneof(fc.constant({}), fc.record({ app: value, 'x1:x': value }, { requiredKeys: [] }));
  const hints = {
    name: -1,
    namespace: -1,
    uid: -1,
    regardingVersion: 3,
    shared: [],
    suffix: -1,
  };
  return fc.tuple(fields, labels, value, fc.integer({ min: 0, max: 9 })).map(([given, labelled, uid, kind]) => ({
    bytes: BYTES,
    cut: 1,
    uid,
    // Now and then one that is no field of the library's.
    fields: { ...given, ...(kind === 2 && { unknown: 'x' }) } as Strings,
    labels: labelled as Strings,
    ...(kind > 0 && { hints }),
    keepUid: kind === 1,
  }));
};

test('a set returns the fields, labels and uid of each of its events, whatever came before', () => {
  fc.assert(
    fc.property(fc.array(anyEvent(), { maxLength: 40, size: 'max' }), (events) => {
      const sets = createSharedFields([]);
      const given: [EncodedEvent & { readonly keepUid: boolean }, SharedFields][] = [];
      // Twice each: the second time by what is remembered of the last.
      for (const event of events) {
        for (let times = 0; times < 2; times++) given.push([event, sets.of(event, NAME, event.keepUid)]);
      }
      for (const [event, set] of given) {
        const own = OWN.map((field) => (set.split ? event.fields[field] : undefined));
        expect(set.split ? joinFields(set, NAME, own) : set.fields).toEqual(event.fields);
        expect(set.labels).toEqual(event.labels);
        expect(set.uid).toBe(event.keepUid ? event.uid : undefined);
        expect(set.versioned).toBe(set.split && event.fields['regarding.resourceVersion'] !== undefined);
      }
      const shared = given.filter(([{ keepUid }, { split }]) => split && !keepUid);
      for (const [one, set] of shared) {
        for (const [other, otherSet] of shared) {
          if (other === one) expect(otherSet).toBe(set);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('a set of long labels is not cached, and one of many texts is evicted for others', () => {
  const sets = createSharedFields([]);
  const of = (label: string): SharedFields =>
    sets.of({ bytes: BYTES, cut: 1, uid: '', fields: { reason: 'x' }, labels: { label } }, NAME, false);
  const long = 'l'.repeat(1024);
  expect(of(long)).not.toBe(of(long));
  expect(of('short')).toBe(of('short'));
  // The length of what is cached is limited: a thousand texts of a thousand characters fit, two thousand do not.
  const first = of('0'.repeat(1000));
  for (let i = 1; i < 900; i++) of(String(i).repeat(1000).slice(0, 900));
  expect(of('0'.repeat(1000))).toBe(first);
  for (let i = 1; i < 3000; i++) of(String(i).padStart(900, '-'));
  expect(of('1'.padStart(900, '-'))).not.toBe(first);
  expect(of('0'.repeat(1000)).labels).toEqual({ label: '0'.repeat(1000) });
});

test('a set keeps copies, which cannot be changed', () => {
  const labels = { app: 'x' };
  const fields = { unknown: 'x', reason: 'y' };
  const set = createSharedFields([]).of({ bytes: BYTES, cut: 1, uid: '', fields, labels }, NAME, false);
  labels.app = 'changed';
  fields.unknown = 'changed';
  expect([set.labels, set.fields]).toEqual([{ app: 'x' }, { unknown: 'x', reason: 'y' }]);
  expect([set.labels, set.fields].map(Object.isFrozen)).toEqual([true, true]);
});

test('the cost of a set grows with its texts, and labels are not counted twice for an event with a uid of its own', () => {
  const sets = createSharedFields([]);
  const event = { bytes: BYTES, cut: 1, uid: 'u', fields: { reason: 'x' } };
  const small = sets.of({ ...event, labels: {} }, NAME, false);
  const labelled = sets.of({ ...event, labels: { app: 'x'.repeat(500) } }, NAME, false);
  expect(labelled.cost - small.cost).toBeGreaterThanOrEqual(503);
  expect(sets.of({ ...event, labels: { app: 'x'.repeat(500) } }, NAME, true).cost).toBeLessThan(labelled.cost);
  expect(sets.of({ ...event, fields: { reason: 'x'.repeat(300) }, labels: {} }, NAME, false).cost - small.cost).toBe(
    299,
  );
});
