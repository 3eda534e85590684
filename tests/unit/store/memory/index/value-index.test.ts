import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryState } from '../../../../../src/store/memory/state/state.js';
import { fakeClock } from '../../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../../src/testing/sample-event.js';

const NAMES = ['pod-1', 'pod-2'];
const UIDS = ['uid-1', 'uid-2', 'uid-3'];

test('the value index finds the events with a name or uid at every readable revision, after any changes', () => {
  const action = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    regarding: fc.constantFrom('', ...NAMES),
    uid: fc.constantFrom('', ...UIDS),
    what: fc.constantFrom('put', 'put', 'remove', 'prune', 'prune-one'),
  });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40, size: 'max' }), (actions) => {
      const state = createMemoryState(100, fakeClock());
      /** By sequence number: what each key carried then. */
      const states = new Map<number, ReadonlyMap<string, readonly string[]>>([[0, new Map()]]);
      actions.forEach(({ name, regarding, uid, what }) => {
        const key = { namespace: 'default', name };
        const found = state.find(key);
        const carried = new Map(states.get(state.log.latest()));
        if (what === 'put') {
          const { 'regarding.name': _, 'regarding.uid': __, ...rest } = sampleEvent(key).fields;
          const own = { ...(regarding && { 'regarding.name': regarding }), ...(uid && { 'regarding.uid': uid }) };
          const event = { ...sampleEvent(key), fields: { ...rest, ...own } };
          state.put(state.slotOf(key), event, 1e9);
          carried.set(name, [regarding, uid]);
        } else if (what === 'prune') {
          while (state.log.oldest() !== undefined) state.pruneOldest();
        } else if (what === 'prune-one') {
          state.pruneOldest();
        } else if (found !== undefined) {
          state.remove(found);
          carried.delete(name);
        }
        states.set(state.log.latest(), carried);
        for (let sequence = state.log.floor(); sequence <= state.log.latest(); sequence++) {
          const namesWith = (field: string, value: string): string[] | undefined =>
            state.valueIndex
              .find([{ field, value }], sequence)
              ?.map((version) => version.slot.sortKey)
              .sort();
          const expected = (value: string): string[] =>
            [...(states.get(sequence) ?? [])]
              .filter(([, values]) => values.includes(value))
              .map(([one]) => `default/${one}`)
              .sort();
          for (const value of NAMES) expect(namesWith('regarding.name', value)).toEqual(expected(value));
          for (const value of UIDS) expect(namesWith('regarding.uid', value)).toEqual(expected(value));
        }
      });
    }),
  );
});

test('the value index finds the events that are left of a frequent value when most were removed', () => {
  const state = createMemoryState(100, fakeClock());
  const keys = Array.from({ length: 40 }, (_, index) => ({ namespace: 'default', name: `event-${index + 10}` }));
  for (const key of keys) {
    const event = sampleEvent(key);
    const fields = { ...event.fields, 'regarding.name': 'frequent' };
    state.put(state.slotOf(key), { ...event, fields }, 1e9);
  }
  for (const key of keys.slice(15)) {
    const found = state.find(key);
    if (found !== undefined) state.remove(found);
    while (state.log.oldest() !== undefined) state.pruneOldest();
  }
  const left = state.valueIndex.find([{ field: 'regarding.name', value: 'frequent' }], state.log.latest());
  expect(left?.map(({ slot }) => slot.sortKey).sort()).toEqual(keys.slice(0, 15).map(({ name }) => `default/${name}`));
});
