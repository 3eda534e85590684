import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../random/random.js';
import { checkOrder, type Observations, type OrderedWrite } from './check-order.js';
import { isLinearizable, type SearchCall } from './search.js';

const NOTHING: Observations = { reads: [], refusals: [], lists: [] };

function write(revision: number, invoked: number, returned: number, more: Partial<OrderedWrite> = {}): OrderedWrite {
  return { revision, key: 'a', type: revision === 1 ? 'ADDED' : 'MODIFIED', invoked, returned, ...more };
}

describe('checkOrder', () => {
  it('accepts overlapping calls', () => {
    const reads = [
      { client: 1, key: 'a', invoked: 0, returned: 5, revision: undefined },
      { client: 1, key: 'a', invoked: 6, returned: 12, revision: 1 },
      { client: 2, key: 'a', invoked: 11, returned: 30, revision: 2 },
    ];
    expect(checkOrder([write(1, 0, 10), write(2, 5, 20)], { ...NOTHING, reads })).toEqual({
      violations: [],
      ambiguous: 0,
    });
  });

  it('rejects a revision lower than that of a write that had ended before', () => {
    const writes = [write(1, 20, 30), write(2, 0, 10, { key: 'b' })];
    expect(checkOrder(writes, NOTHING).violations).toHaveLength(1);
  });

  it('rejects a read that misses a write that had ended', () => {
    const reads = [{ client: 1, key: 'a', invoked: 25, returned: 30, revision: 1 }];
    expect(checkOrder([write(1, 0, 10), write(2, 15, 20)], { ...NOTHING, reads }).violations).toHaveLength(1);
  });

  it('rejects a read older than another finished read, while the write is still in progress', () => {
    const reads = [
      { client: 1, key: 'a', invoked: 20, returned: 22, revision: 2 },
      { client: 2, key: 'a', invoked: 24, returned: 26, revision: 1 },
    ];
    const writes = [write(1, 0, 10), write(2, 15, Infinity)];
    expect(checkOrder(writes, { ...NOTHING, reads }).violations).toHaveLength(1);
    expect(checkOrder(writes, { ...NOTHING, reads: reads.slice(1) }).violations).toEqual([]);
  });

  it('rejects a read of a value never written, and of one written later', () => {
    const read = { client: 1, key: 'a', invoked: 0, returned: 5 };
    expect(checkOrder([write(1, 0, 10)], { ...NOTHING, reads: [{ ...read, revision: 7 }] }).violations).toHaveLength(1);
    expect(checkOrder([write(1, 6, 10)], { ...NOTHING, reads: [{ ...read, revision: 1 }] }).violations).toHaveLength(1);
  });

  it('rejects a refusal without a reason', () => {
    const call = { client: 1, key: 'a', invoked: 20, returned: 25 };
    const writes = [write(1, 0, 10), write(2, 30, 40, { type: 'DELETED' })];
    const refused = (found: 'present' | 'absent' | { otherThan: number }): string[] =>
      checkOrder(writes, { ...NOTHING, refusals: [{ ...call, found }] }).violations;
    expect(refused('present')).toEqual([]);
    expect(refused({ otherThan: 9 })).toEqual([]);
    expect(refused('absent')).toHaveLength(1);
    expect(refused({ otherThan: 1 })).toHaveLength(1);
  });

  it('rejects a list that is stale, or is not the state at its revision', () => {
    const writes = [write(1, 0, 10), write(2, 12, 20, { key: 'b', type: 'ADDED' })];
    const list = { invoked: 30, returned: 40, revision: 2 };
    const listed = (more: object, items: [string, number][]): string[] =>
      checkOrder(writes, { ...NOTHING, lists: [{ ...list, ...more, items: new Map(items) }] }).violations;
    expect(listed({}, [['a', 1], ['b', 2]])).toEqual([]); // prettier-ignore
    expect(listed({ revision: 1 }, [['a', 1]])).toHaveLength(1);
    expect(listed({}, [['a', 1]])).toHaveLength(1);
    expect(listed({}, [['a', 1], ['b', 2], ['c', 2]])).toHaveLength(1); // prettier-ignore
  });

  it('agrees with an exhaustive search through all orders', () => {
    let refusedByBoth = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { writes, reads } = shortHistory(seed);
        const calls: SearchCall[] = [
          ...writes.map(({ invoked, returned, revision, type }): SearchCall => {
            return { invoked, returned, effect: { write: revision, removes: type === 'DELETED' } };
          }),
          ...reads.map(({ invoked, returned, revision }): SearchCall => {
            return { invoked, returned, effect: { read: revision } };
          }),
        ];
        const { violations, ambiguous } = checkOrder(writes, { ...NOTHING, reads });
        const possible = isLinearizable(calls);
        // Always sound; complete where no observation was ambiguous.
        if (violations.length > 0) expect(possible).toBe(false);
        else if (ambiguous === 0) expect(possible).toBe(true);
        if (violations.length > 0) refusedByBoth++;
      }),
      { numRuns: 2_000 },
    );
    expect(refusedByBoth).toBeGreaterThan(100);
  });
});

/** A few calls on one key, linearizable or nearly so. */
function shortHistory(seed: number): { writes: OrderedWrite[]; reads: Observations['reads'][number][] } {
  const random = createRandom(seed);
  const interval = (moment: number): { invoked: number; returned: number } => ({
    invoked: moment - random.below(25),
    returned: moment + random.below(25),
  });
  const writes: OrderedWrite[] = [];
  const moments: { readonly moment: number; readonly revision: number | undefined }[] = [];
  let present = false;
  const count = 1 + random.below(4);
  for (let revision = 1; revision <= count; revision++) {
    const type: OrderedWrite['type'] = !present ? 'ADDED' : random.below(3) === 0 ? 'DELETED' : 'MODIFIED';
    present = type !== 'DELETED';
    const moment = revision * 20 + random.below(10);
    writes.push({ revision, key: 'a', type, ...interval(moment) });
    moments.push({ moment, revision: present ? revision : undefined });
  }
  const reads = Array.from({ length: random.below(5) }, (_, client) => {
    const moment = random.below(20 * count + 40);
    const truth = moments.filter((write) => write.moment <= moment).at(-1)?.revision;
    // Some reads saw another value.
    const revision = random.below(4) === 0 ? random.pick([undefined, 1, 2, 3]) : truth;
    return { client, key: 'a', ...interval(moment), revision };
  });
  return { writes, reads };
}
