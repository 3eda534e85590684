import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change, ListPage, Revision } from '../../../../src/store/contract/event-store.js';
import type { EventRecord } from '../../../../src/store/contract/record.js';
import { createBounds } from '../../../../src/store/memory/bounds.js';
import { createReplica, type Replica, type ReplicaLimits } from '../../../../src/store/memory/replica.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

const START = 1_000;
const expiresAt = 4_102_444_800_000_000;

const recordOf = (name: string, revision: Revision, note = ''): EventRecord => ({
  key: { namespace: 'default', name },
  revision,
  event: sampleEvent({ name, note: `${note}${revision}` }),
  expiresAt,
});

function put(name: string, revision: Revision, note?: string): Change {
  const record = recordOf(name, revision, note);
  return { type: 'put', key: record.key, revision, record };
}

function removal(name: string, revision: Revision): Change {
  const record = recordOf(name, revision);
  return { type: 'delete', key: record.key, revision, record };
}

function replica(limits: ReplicaLimits = {}): Replica & { readonly clock: ReturnType<typeof fakeClock> } {
  const clock = fakeClock();
  return { ...createReplica(clock, START, limits, createBounds(limits)), clock };
}

const shown = (page: ListPage | Promise<ListPage>): [string, Revision][] =>
  (page as ListPage).records.map(({ key, revision }) => [key.name, revision]);

describe('a replica', () => {
  it('shows what was loaded at the revisions it has, in either order', () => {
    const one = replica();
    for (const [name, revision] of [
      ['b', 7],
      ['a', 999],
      ['c', 500],
    ] as const)
      one.load(recordOf(name, revision));
    const page = one.list({ limit: 10 });
    expect(shown(page)).toEqual([
      ['a', 999],
      ['b', 7],
      ['c', 500],
    ]);
    expect(page).toMatchObject({ revision: START, remaining: 0 });
    expect(shown(one.list({ limit: 10, order: 'newest-first' }))).toEqual([
      ['a', 999],
      ['c', 500],
      ['b', 7],
    ]);
    expect([one.floor(), one.revision()]).toEqual([START, START]);
  });

  it('refuses changes that do not follow from what it has', () => {
    const one = replica();
    one.apply(put('a', START + 5));
    expect(() => one.apply(put('b', START + 5))).toThrow('revision 1005 came after 1005');
    expect(() => one.apply(removal('b', START + 6))).toThrow('default/b was removed, but is not in the replica');
    one.load(recordOf('c', 1));
    expect(() => one.load(recordOf('c', 2))).toThrow('default/c is in the list twice');
  });

  it('advances where nothing changed, and reads at every revision in between', () => {
    const one = replica();
    one.apply(put('a', START + 10));
    one.advance(START + 20);
    one.advance(START + 15);
    expect(one.revision()).toBe(START + 20);
    expect(shown(one.list({ at: START + 17, limit: 10 }))).toEqual([['a', START + 10]]);
    expect(shown(one.list({ at: START + 9, limit: 10 }))).toEqual([]);
    expect(shown(one.list({ at: START + 15, limit: 10, order: 'newest-first' }))).toEqual([['a', START + 10]]);
    expect(one.changes(START + 12, 10)).toEqual([]);
    one.apply(put('b', START + 21));
    expect(one.changes(START + 12, 10).map(({ revision }) => revision)).toEqual([START + 21]);
  });

  it('prunes history by age, after which an early revision is expired', () => {
    const one = replica({ historyMs: 1_000 });
    one.apply(put('a', START + 10));
    one.clock.advance(1_001);
    expect(one.floor()).toBe(START + 10);
    expect(() => one.list({ at: START + 9, limit: 1 })).toThrow(expect.objectContaining({ code: 'expired' }) as Error);
  });

  it('fails with full where an event does not fit, and counts what it holds', () => {
    const one = replica({ maxBytes: 1_048_576 });
    const load = (): void => {
      for (let i = 0; i < 50; i++) one.load(recordOf(`event-${i}`, i + 1, 'x'.repeat(50_000)));
    };
    expect(load).toThrow(expect.objectContaining({ code: 'full' }) as Error);
    expect(one.size().events).toBeGreaterThan(5);
    expect(one.size().bytes).toBeGreaterThan(250_000);
    expect(one.size().bytes).toBeLessThanOrEqual(1_048_576);
  });

  it('returns changes with the events that its records have', () => {
    const one = replica();
    one.apply(put('a', START + 10));
    one.apply(put('a', START + 12));
    const [first, second] = one.changes(START, 10);
    const current = one.get({ namespace: 'default', name: 'a' });
    expect(second?.record.event).toBe(current?.event);
    expect(second?.previous?.event).toBe(first?.record.event);
  });

  it('is exact at every revision, whatever the gaps', () => {
    const step = fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      gap: fc.constantFrom(1, 1, 1, 2, 17),
      remove: fc.boolean(),
      advance: fc.constantFrom(0, 0, 0, 3),
    });
    const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const one = replica();
      let state = new Map<string, Revision>([['a', 3]]);
      one.load(recordOf('a', 3));
      const states: [Revision, Map<string, Revision>][] = [[START, state]];
      const written: Revision[] = [];
      let revision = START;
      for (const { name, gap, remove, advance } of steps) {
        revision += gap;
        state = new Map(state);
        if (remove && !state.delete(name)) continue;
        if (!remove) state.set(name, revision);
        one.apply(remove ? removal(name, revision) : put(name, revision));
        written.push(revision);
        states.push([revision, state]);
        revision += advance;
        one.advance(revision);
      }
      for (let at = START; at <= one.revision(); at++) {
        const expected = states.findLast(([since]) => since <= at)?.[1] ?? new Map<string, Revision>();
        const sorted = [...expected].sort();
        expect(shown(one.list({ at, limit: 10 }))).toEqual(sorted);
        const page = one.list({ at, limit: 1 }) as ListPage;
        expect(page.remaining).toBe(Math.max(0, sorted.length - 1));
        const newest = [...expected].sort(([, x], [, y]) => y - x);
        expect(shown(one.list({ at, limit: 10, order: 'newest-first' }))).toEqual(newest);
        const after = written.filter((one) => one > at);
        expect(one.changes(at, 1_000).map((change) => change.revision)).toEqual(after);
        expect(one.changes(at, 2).map((change) => change.revision)).toEqual(after.slice(0, 2));
      }
    });
    fc.assert(property, { numRuns: 60 });
  });
});
