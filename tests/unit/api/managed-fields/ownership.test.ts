import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStatusFailure } from '../../../../src/api/status/status-failure.js';
import { failureOf, trackedEvent, type Json, type TrackedEvent } from './tracked-event.js';

/*
 * A model of labels only: who owns which, and what happens to values. It is compared with the real thing over
 * random histories of updates and applies.
 */
interface Model {
  values: Map<string, string>;
  owners: Map<string, Set<string>>;
}

type Step =
  | { readonly kind: 'update'; readonly manager: string; readonly labels: Readonly<Record<string, string>> }
  | {
      readonly kind: 'apply';
      readonly manager: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly force: boolean;
    };

const managers = fc.constantFrom('a', 'b', 'c');
const labels = fc.dictionary(fc.constantFrom('x', 'y', 'z', 'constructor'), fc.constantFrom('1', '2'), {
  noNullPrototype: true,
});
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('update' as const), manager: managers, labels }),
    fc.record({ kind: fc.constant('apply' as const), manager: managers, labels, force: fc.boolean() }),
  ),
  { maxLength: 12 },
);

/** False when the step is refused. */
function stepModel({ values, owners }: Model, step: Step): boolean {
  const wanted = new Map(Object.entries(step.labels));
  const changed = [...wanted].filter(([key, value]) => values.get(key) !== value).map(([key]) => key);
  const id = `${step.manager} ${step.kind === 'apply' ? 'Apply' : 'Update'}`;
  const own = owners.get(id) ?? new Set();
  const others = [...owners].filter(([other]) => other !== id).map(([, keys]) => keys);
  if (step.kind === 'update') {
    const gone = [...values.keys()].filter((key) => !wanted.has(key));
    for (const keys of owners.values()) for (const key of [...changed, ...gone]) keys.delete(key);
    owners.set(id, new Set([...own, ...changed]));
    values.clear();
    for (const [key, value] of wanted) values.set(key, value);
    return true;
  }
  if (!step.force && changed.some((key) => others.some((keys) => keys.has(key)))) return false;
  for (const keys of others) for (const key of changed) keys.delete(key);
  for (const [key, value] of wanted) values.set(key, value);
  for (const key of own) if (!wanted.has(key) && !others.some((keys) => keys.has(key))) values.delete(key);
  owners.set(id, new Set(wanted.keys()));
  return true;
}

/** With a label that nobody changes: the map is a field of its own, which the model lacks, and must not vanish. */
const object = (of: Json): Json => ({ metadata: { name: 'e', labels: { ...of, kept: '0' } }, note: 'n' });
/** Without the map when it is empty: an empty map is a field of its own, which never lasts. */
const intent = (of: Json): Json => ({ metadata: { name: 'e', ...(Object.keys(of).length > 0 && { labels: of }) } });

function stepReal(tracked: TrackedEvent, step: Step): boolean {
  try {
    if (step.kind === 'update') tracked.update(step.manager, object(step.labels));
    else tracked.apply(step.manager, intent(step.labels), step.force);
    return true;
  } catch (error) {
    if (isStatusFailure(error) && error.status.code === 409) return false;
    throw error;
  }
}

function labelsOf(tracked: TrackedEvent): Json {
  const { kept: _, ...rest } = (tracked.object()['metadata'] as Json)['labels'] as Json;
  return rest;
}

function ownersOf(tracked: TrackedEvent): Record<string, string[]> {
  const owners: Record<string, string[]> = {};
  for (const [id, fields] of Object.entries(tracked.owners())) {
    const metadata = (fields as Json)['f:metadata'] as Json | undefined;
    const keys = Object.keys((metadata?.['f:labels'] as Json | undefined) ?? {}).filter(
      (key) => key !== '.' && key !== 'f:kept',
    );
    if (keys.length > 0) owners[id] = keys.map((key) => key.slice(2)).sort();
  }
  return owners;
}

const modelOwners = ({ owners }: Model): Record<string, string[]> =>
  Object.fromEntries([...owners].filter(([, keys]) => keys.size > 0).map(([id, keys]) => [id, [...keys].sort()]));

/** An object with some history. */
function after(history: readonly Step[]): TrackedEvent {
  const tracked = trackedEvent();
  tracked.create('root', object({}));
  for (const step of history) stepReal(tracked, step);
  return tracked;
}

describe('ownership', () => {
  it('agrees with a simple model', () => {
    fc.assert(
      fc.property(steps, (history) => {
        const tracked = after([]);
        const model: Model = { values: new Map(), owners: new Map() };
        for (const step of history) {
          expect(stepReal(tracked, step)).toBe(stepModel(model, step));
          expect(labelsOf(tracked)).toEqual(Object.fromEntries(model.values));
          expect(ownersOf(tracked)).toEqual(modelOwners(model));
        }
      }),
    );
  });

  it('of a map outlasts the map: restoring it with other items is a conflict', () => {
    const tracked = trackedEvent();
    tracked.create('root', { metadata: { name: 'e' }, note: 'n' });
    tracked.update('a', { metadata: { name: 'e', labels: { x: '1' } }, note: 'n' });
    tracked.apply('b', intent({ x: '2' }), true);
    tracked.apply('b', intent({}));
    expect(tracked.object()['metadata']).toEqual({ name: 'e' });
    expect(tracked.owners()['a Update']).toEqual({ 'f:metadata': { 'f:labels': {} } });
    expect(failureOf(() => tracked.apply('b', intent({ y: '1' }))).message).toContain('.metadata.labels');
    tracked.apply('b', intent({ y: '1' }), true);
    expect(labelsOf(tracked)).toEqual({ y: '1' });
  });

  it('does not move when an apply is repeated', () => {
    fc.assert(
      fc.property(steps, managers, labels, (history, manager, wanted) => {
        const tracked = after(history);
        tracked.apply(manager, intent(wanted), true);
        const before = [tracked.object(), tracked.entries()];
        tracked.apply(manager, intent(wanted));
        expect([tracked.object(), tracked.entries()]).toEqual(before);
      }),
    );
  });

  it('of dropped fields decides whether they are removed', () => {
    fc.assert(
      fc.property(steps, managers, labels, (history, manager, wanted) => {
        const tracked = after(history);
        tracked.apply(manager, intent(wanted), true);
        const before = labelsOf(tracked);
        const { [`${manager} Apply`]: mine = [], ...others } = ownersOf(tracked);
        const theirs = new Set(Object.values(others).flat());
        tracked.apply(manager, intent({}));
        const left = Object.keys(before).filter((key) => !mine.includes(key) || theirs.has(key));
        expect(Object.keys(labelsOf(tracked)).sort()).toEqual(left.sort());
        expect(ownersOf(tracked)).toEqual(others);
      }),
    );
  });

  it('of set items follows the rules of labels', () => {
    const items = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd'));
    fc.assert(
      fc.property(items, items, items, (stored, first, second) => {
        const tracked = trackedEvent();
        tracked.create('root', { metadata: { name: 'e', finalizers: stored }, note: 'n' });
        const apply = (finalizers: string[]): void => tracked.apply('one', { metadata: { name: 'e', finalizers } });
        apply(first);
        expect(finalizersOf(tracked).sort()).toEqual([...new Set([...stored, ...first])].sort());
        apply(second);
        expect(finalizersOf(tracked).sort()).toEqual([...new Set([...stored, ...second])].sort());
        const order = finalizersOf(tracked);
        expect(order.filter((item) => second.includes(item))).toEqual(second);
      }),
    );
  });
});

const finalizersOf = (tracked: TrackedEvent): string[] => [
  ...(((tracked.object()['metadata'] as Json)['finalizers'] as string[] | undefined) ?? []),
];
