import { describe, expect, it } from 'vitest';
import { createHistory, noteOf, type History, type Seen, type Write } from '../support/history.js';
import { differences, findTruth, itemText, stateAt } from './truth.js';

const text = (revision: number): string => JSON.stringify({ kind: 'Event', apiVersion: 'v1', metadata: { revision } });
const created = (id: string, revision: number, more: Partial<Write> = {}): Write => ({
  ...{
    id,
    client: 0,
    key: 'a',
    kind: 'create',
    invoked: revision,
    returned: revision + 1,
    acknowledged: true,
    revision,
  },
  ...{ text: text(revision), ...more },
});
const seen = (id: string, revision: number, more: Partial<Seen> = {}): Seen => ({
  ...{
    type: 'ADDED',
    key: 'a',
    revision,
    uid: 'u1',
    note: noteOf(id),
    text: text(revision),
    at: revision + 5,
    ...more,
  },
});
const historyOf = (...writes: Write[]): History => ({ ...createHistory(), writes });
const CLEAN = { duplicates: [], missed: [], violations: [] };

describe('findTruth', () => {
  it('accepts acknowledged writes, and unknown ones that took effect or not', () => {
    const unknown = { acknowledged: false, revision: undefined, text: undefined, returned: Infinity };
    const history = historyOf(
      created('w1', 1),
      created('w2', 2, { kind: 'update', expected: 1, ...unknown }),
      created('w3', 3, { kind: 'patch', ...unknown }),
      { ...created('w4', 4), kind: 'delete', uid: 'u1' },
    );
    const changes = [seen('w1', 1), seen('w2', 2, { type: 'MODIFIED' }), seen('w2', 4, { type: 'DELETED' })];
    expect(findTruth(history, changes)).toMatchObject(CLEAN);
  });

  it('rejects an acknowledged write and a deletion that no watch delivered', () => {
    expect(findTruth(historyOf(created('w1', 1)), []).missed).toHaveLength(1);
    const gone: Write = { ...created('w2', 2), kind: 'delete', uid: 'u1' };
    expect(findTruth(historyOf(created('w1', 1), gone), [seen('w1', 1)]).missed).toHaveLength(1);
  });

  it('rejects a write that took effect twice, and a revision used twice', () => {
    const twice = [seen('w1', 1), seen('w1', 2, { type: 'MODIFIED' })];
    expect(findTruth(historyOf(created('w1', 1)), twice).duplicates).toHaveLength(1);
    const history = historyOf(created('w1', 1), created('w2', 1, { key: 'b' }));
    expect(findTruth(history, [seen('w1', 1), seen('w2', 1, { key: 'b' })]).duplicates).toHaveLength(1);
  });

  it('rejects a refused write that took effect', () => {
    const history = { ...createHistory(), refused: new Map([['w1', '503']]) };
    expect(findTruth(history, [seen('w1', 1)]).violations[0]).toContain('did not happen: 503');
  });

  it('rejects other bytes, another revision and half an event', () => {
    const history = historyOf(created('w1', 1));
    expect(findTruth(history, [seen('w1', 1, { text: '{}' })]).violations).toHaveLength(1);
    expect(findTruth(history, [seen('w1', 3)]).violations.length).toBeGreaterThan(0);
    expect(findTruth(history, [seen('w1', 1, { note: noteOf('w1').slice(0, -1) })]).violations.length).toBeGreaterThan(
      0,
    );
  });

  it('rejects a condition that did not hold, and inconsistent steps', () => {
    const history = historyOf(created('w1', 1), created('w2', 2, { kind: 'patch' }));
    history.writes.push(created('w3', 3, { kind: 'update', expected: 1 }), created('w4', 4));
    const changes = [
      seen('w1', 1),
      seen('w2', 2, { type: 'MODIFIED' }),
      seen('w3', 3, { type: 'MODIFIED' }),
      seen('w4', 4),
    ];
    expect(findTruth(history, changes).violations).toHaveLength(2);
  });

  it('rejects a deletion that no client sent and one that was acknowledged again later', () => {
    const changes = [seen('w1', 1), seen('w1', 2, { type: 'DELETED' })];
    expect(findTruth(historyOf(created('w1', 1)), changes).violations).toHaveLength(1);
    const gone: Write = { ...created('w2', 2), kind: 'delete', uid: 'u1' };
    const again = { ...gone, id: 'w3', invoked: 10, returned: 11 };
    expect(findTruth(historyOf(created('w1', 1), gone, again), changes).duplicates).toHaveLength(1);
    expect(findTruth(historyOf(created('w1', 1), gone, { ...again, invoked: 2 }), changes)).toMatchObject(CLEAN);
  });
});

describe('differences', () => {
  const { steps } = findTruth(historyOf(created('w1', 1)), [seen('w1', 1)]);
  const state = stateAt(steps, 1);

  it('are empty when the list equals the state', () => {
    expect(differences(new Map([['a', itemText(text(1))]]), state)).toEqual([]);
  });

  it('include missing events, additional events, and other bytes', () => {
    expect(differences(new Map(), state)).toHaveLength(1);
    expect(differences(new Map([['a', '{}']]), state)).toHaveLength(1);
    expect(differences(new Map([['a', itemText(text(1))], ['b', '{}']]), state)).toHaveLength(1); // prettier-ignore
  });
});
