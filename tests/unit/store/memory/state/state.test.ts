import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryState, type MemoryState } from '../../../../../src/store/memory/state/state.js';
import { sampleEvent } from '../../../../../src/testing/sample-event.js';

/** What must be gone with the history that needed it. */
function leftovers(state: MemoryState) {
  return { deleted: state.keys.deleted.size(), cost: state.log.cost(), oldest: state.log.oldest() };
}

test('dropping all history frees all of its memory and leaves the newest state complete', () => {
  const action = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    namespace: fc.constantFrom('x', 'y'),
    remove: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60, size: 'max' }), fc.nat(60), (actions, early) => {
      const state = createMemoryState(100);
      actions.forEach(({ remove, ...key }, i) => {
        const found = state.find(key);
        if (!remove) {
          const times = { expiresAt: 1000 + i, retentionMs: i * 40_000, at: i };
          state.put(state.place(key), sampleEvent({ ...key, regarding: key.name }), times);
        } else if (found !== undefined) state.remove(found, i);
        if (i === early) for (let n = 0; n < 20; n++) state.forgetOldest();
      });
      while (state.log.oldest() !== undefined) state.forgetOldest();
      state.forgetOldest();
      expect(leftovers(state)).toEqual({ deleted: 0, cost: 0, oldest: undefined });
      expect(state.log.floor()).toBe(state.log.latest());
      const living = state.keys.live.size();
      expect(state.revisions.of(undefined).size()).toBe(living);
      expect(state.revisions.of('x').size() + state.revisions.of('y').size()).toBe(living);
      for (const namespace of ['x', 'y']) {
        for (const name of ['a', 'b', 'c']) {
          const found = state.find({ namespace, name });
          expect(state.keys.get(`${namespace}/${name}`)?.head).toBe(found);
          expect(found?.older).toBeUndefined();
        }
      }
      const terms = [{ field: 'regarding.name', value: 'a' }];
      const named = ['x', 'y'].filter((namespace) => state.find({ namespace, name: 'a' }) !== undefined);
      expect(state.valueIndex.find(terms, state.log.latest())).toHaveLength(named.length);
      for (let slot = state.expiry.take(1e9); slot !== undefined; slot = state.expiry.take(1e9)) {
        if (slot !== 'later') state.remove(slot.head, 0);
      }
      expect(state.keys.live.size()).toBe(0);
    }),
  );
});
