import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareObjects, differenceText } from '../../../../src/api/managed-fields/compare.js';
import { toFieldsV1 } from '../../../../src/api/managed-fields/field-set.js';
import { anyEvent } from '../../events/any-event.js';
import { version, wire } from './tracked-event.js';

it('differenceText is equal for equal comparisons only, and empty where nothing differs', () => {
  const compared = new Map<string, string>();
  const check = (live: Record<string, unknown>, next: Record<string, unknown>): void => {
    const text = differenceText(live, next, version.shape);
    if (text === undefined) return;
    const { changed, removed } = compareObjects(live, next, version.shape);
    const fields = JSON.stringify([toFieldsV1(changed), toFieldsV1(removed)]);
    expect(text === '').toBe(fields === '[{},{}]');
    expect(compared.get(text) ?? fields).toBe(fields);
    compared.set(text, fields);
  };
  const labels = fc.dictionary(
    fc.constantFrom('a', 'managedFields', '__proto__', '",+"c'),
    fc.constantFrom('', '1', '2'),
  );
  fc.assert(
    fc.property(anyEvent(), anyEvent(), labels, labels, (one, other, some, more) => {
      const [live, next] = [wire(one), wire(other)];
      check(live, next);
      check(live, live);
      check(live, wire({ ...one, note: 'changed' }));
      check(wire({ metadata: { labels: some } }), wire({ metadata: { labels: more } }));
    }),
    { numRuns: 200 },
  );
});

it('differenceText is undefined for lists in which some items differ', () => {
  const live = wire({ metadata: { finalizers: ['a'] } });
  expect(differenceText(live, wire({ metadata: { finalizers: ['a', 'b'] } }), version.shape)).toBeUndefined();
  expect(differenceText(live, wire({ metadata: { finalizers: ['a'] } }), version.shape)).toBe('');
});
