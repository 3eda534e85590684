import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryState, type MemoryState } from '../../../../../src/store/memory/state/state.js';
import { fakeClock } from '../../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../../src/testing/sample-event.js';

const START = 1_700_000_000_000_000;

function taken(state: MemoryState, now: number): string[] {
  const names: string[] = [];
  for (let slot = state.expiry.take(now); slot !== undefined; slot = state.expiry.take(now)) {
    if (slot === 'later') continue;
    names.push(slot.sortKey);
    state.remove(slot.head);
  }
  return names.sort();
}

function put(state: MemoryState, name: string, expiresAt: number): void {
  state.put(state.slotOf({ namespace: 'a', name }), sampleEvent({ name }), expiresAt);
}

test('the expiry queue returns exactly what is due, to the microsecond, after any changes of expiry', () => {
  // Times lie close together, so that several fall into a millisecond.
  const time = fc.integer({ min: -5_000, max: 10_000 });
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ put: fc.integer({ min: 0, max: 5 }), at: time }) },
    { weight: 1, arbitrary: fc.record({ take: time }) },
    { weight: 1, arbitrary: fc.record({ remove: fc.integer({ min: 0, max: 5 }) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const state = createMemoryState(START, fakeClock());
      const living = new Map<string, number>();
      for (const one of steps) {
        if ('put' in one) {
          put(state, `event-${one.put}`, START + one.at);
          living.set(`a/event-${one.put}`, one.at);
        } else if ('take' in one) {
          const due = [...living].filter(([, at]) => at <= one.take).map(([name]) => name);
          expect(taken(state, START + one.take)).toEqual(due.sort());
          for (const name of due) living.delete(name);
        } else if (living.delete(`a/event-${one.remove}`)) {
          const slot = state.find({ namespace: 'a', name: `event-${one.remove}` });
          if (slot !== undefined) state.remove(slot);
        }
      }
      expect(taken(state, Infinity)).toEqual([...living.keys()].sort());
    }),
  );
});

test('an expiry that is brought forward repeatedly, or is infinite, takes one entry', () => {
  const state = createMemoryState(START, fakeClock());
  put(state, 'far', Infinity);
  for (let round = 0; round < 10_000; round++) put(state, 'near', START + 1_000_000 - (round % 2) * 1000);
  put(state, 'far', START + 500);
  expect(taken(state, START + 499)).toEqual([]);
  expect(taken(state, START + 500)).toEqual(['a/far']);
  expect(taken(state, START + 1_000_000)).toEqual(['a/near']);
  expect(taken(state, Infinity)).toEqual([]);
});

test('the expiry queue finds an event whose expiry moved forward among thousands of the same millisecond', () => {
  const state = createMemoryState(START, fakeClock());
  for (let index = 0; index < 9_000; index++) put(state, `event-${index}`, START + 3_600_000_000);
  put(state, 'event-8999', START + 1_000_000);
  expect(taken(state, START + 2_000_000)).toEqual(['a/event-8999']);
});

test('the expiry queue finds nothing due, and then what is, among many events due in the same millisecond', () => {
  const state = createMemoryState(START, fakeClock());
  for (let index = 0; index < 1000; index++) put(state, `event-${index}`, START + 500);
  put(state, 'due', START + 100);
  expect(state.expiry.take(START + 99)).toBeUndefined();
  expect(state.expiry.take(START + 100)).toMatchObject({ sortKey: 'a/due' });
  expect(state.expiry.take(START + 100)).toBeUndefined();
  expect(taken(state, START + 500)).toHaveLength(1000);
});
