import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryState, type MemoryState } from '../../../../../src/store/memory/state/state.js';
import type { Version } from '../../../../../src/store/memory/bytes/version.js';
import { fakeClock } from '../../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../../src/testing/sample-event.js';

/** What must be empty once all history is dropped. */
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
      const clock = fakeClock();
      const state = createMemoryState(100, clock);
      actions.forEach(({ remove, ...key }, i) => {
        const found = state.find(key);
        if (!remove) {
          const expiresAt = clock.now() + i * 40_000_000;
          state.put(state.slotOf(key), sampleEvent({ ...key, regarding: key.name }), expiresAt);
        } else if (found !== undefined) state.remove(found);
        if (i === early) for (let n = 0; n < 20; n++) state.pruneOldest();
      });
      while (state.log.oldest() !== undefined) state.pruneOldest();
      state.pruneOldest();
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
      for (let slot = state.expiry.take(Infinity); slot !== undefined; slot = state.expiry.take(Infinity)) {
        if (slot !== 'later') state.remove(slot.head);
      }
      expect(state.keys.live.size()).toBe(0);
      while (state.log.oldest() !== undefined) state.pruneOldest();
      expect(state.held()).toEqual({ current: state.events.usage().allocated, history: 0 });
    }),
  );
});

const KEY = { namespace: 'x', name: 'a' };
const EXPIRES_AT = fakeClock().now() + 1_000_000;
const put = (state: MemoryState, note = ''): Version =>
  state.put(state.slotOf(KEY), sampleEvent({ ...KEY, note }), EXPIRES_AT);

test('a record has a key of its own, which the caller cannot change', () => {
  const state = createMemoryState(100, fakeClock());
  const given = { ...KEY };
  const record = state.record(put(state), undefined, given);
  given.name = 'changed';
  expect(record.key).toEqual(KEY);
  expect(Object.isFrozen(record.key)).toBe(true);
  expect(Object.isFrozen(record)).toBe(true);
});

test('the key of a record finds its event, and no longer when that was removed', () => {
  const state = createMemoryState(100, fakeClock());
  const version = put(state);
  const { key } = state.record(version);
  expect(state.find(key)).toBe(version);
  const next = put(state, 'changed');
  expect(state.find(key)).toBe(next);
  state.remove(next);
  expect(state.find(key)).toBeUndefined();
  while (state.log.oldest() !== undefined) state.pruneOldest();
  const again = put(state, 'again');
  expect(state.find(key)).toBe(again);
});

test('a removed event leaves the expiry queue with its history', () => {
  const state = createMemoryState(100, fakeClock());
  const { slot } = put(state);
  state.remove(slot.head);
  expect(slot.queuedFor).toBeDefined();
  while (state.log.oldest() !== undefined) state.pruneOldest();
  expect(slot.queuedFor).toBeUndefined();
  expect(state.expiry.take(Infinity)).toBeUndefined();
});

test('memory that history needs is counted as history, and is freed with it', () => {
  const state = createMemoryState(100, fakeClock());
  put(state, 'x'.repeat(10_000));
  const first = state.log.latest();
  const before = state.held();
  // Another note, of the same length.
  put(state, 'y'.repeat(10_000));
  const replaced = state.held();
  // The arena was allocated before: what the superseded event has of it is now the history's.
  expect(replaced.history - before.history).toBeGreaterThan(10_000);
  expect(before.current - replaced.current).toBeGreaterThan(9_900);
  const view = state.pastViews.of(first, undefined);
  while (!view.catchUp());
  expect(state.held().history).toBeGreaterThan(replaced.history);
  expect(state.held().current).toBe(replaced.current);
  while (state.log.oldest() !== undefined) state.pruneOldest();
  expect(state.held().history).toBe(0);
  expect(state.pastViews.held()).toBe(0);
});

test('parts that only superseded events share are counted as history', () => {
  const state = createMemoryState(100, fakeClock());
  const labelled = (value: string): void => {
    const event = sampleEvent({ ...KEY, labels: { app: value } });
    state.put(state.slotOf(KEY), event, EXPIRES_AT);
  };
  labelled('x'.repeat(1000));
  const before = state.held();
  labelled('');
  const after = state.held();
  expect(before.current - after.current).toBeGreaterThan(1000);
  expect(after.history - before.history).toBeGreaterThan(2000);
});
