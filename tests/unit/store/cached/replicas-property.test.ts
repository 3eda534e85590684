import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cachedStore } from '../../../../src/store/cached/cached-store.js';
import type { CachedStore } from '../../../../src/store/cached/status.js';
import { isStoreError } from '../../../../src/store/contract/errors.js';
import type { Change, EventStore, Revision } from '../../../../src/store/contract/event-store.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';
import { handled, keyOf, turns, until, type Handled } from './caches.js';

const NEVER = 4_102_444_800_000_000;
const names = ['a', 'b', 'c', 'd'];
const name = fc.constantFrom(...names);
const replica = fc.constantFrom(0, 1);

const operation = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), replica, name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), replica, name }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('expire' as const), replica, limit: fc.integer({ min: 1, max: 2 }) }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('get' as const), replica, name }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('list' as const), replica, limit: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('past' as const), replica, back: fc.nat(12) }) },
  // From now on the feed or the responses of a replica are delivered, or held back.
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('feed' as const), replica, open: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('answers' as const), replica, open: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('hold' as const), replica }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), turns: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.constantFrom(50, 3_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), replica }) },
);

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** The revision of each key, or nothing, at every revision of the store. */
class States {
  readonly #steps: { readonly revision: Revision; readonly state: ReadonlyMap<string, Revision> }[] = [];

  constructor(start: Revision) {
    this.#steps.push({ revision: start, state: new Map() });
  }

  get latest(): Revision {
    return this.#steps.at(-1)?.revision ?? 0;
  }

  add({ type, key, revision }: Change): void {
    const state = new Map(this.#steps.at(-1)?.state);
    if (type === 'put') state.set(key.name, revision);
    else state.delete(key.name);
    this.#steps.push({ revision, state });
  }

  at(revision: Revision): ReadonlyMap<string, Revision> {
    return this.#steps.findLast((step) => step.revision <= revision)?.state ?? new Map<string, Revision>();
  }

  /** Whether an event had this version at a moment from one revision to another. */
  had(name: string, version: Revision | undefined, from: Revision, to: Revision): boolean {
    return this.#steps.some(
      ({ revision, state }, index) =>
        revision <= to && (this.#steps[index + 1]?.revision ?? Infinity) > from && state.get(name) === version,
    );
  }
}

/** Two caches over one store, with the calls they got and the results they returned. */
class Simulation {
  readonly clock = fakeClock();
  readonly inner = memoryStore({ clock: this.clock });
  /** The revision that each call of `expire` has reached: later ones are of calls that may not have returned yet. */
  readonly expired = new WeakMap<object, Revision>();
  readonly handles: readonly [Handled, Handled];
  readonly caches: readonly [CachedStore, CachedStore];
  /** The calls in progress. */
  readonly pending: Promise<void>[] = [];
  /** The highest revision that a call has returned. */
  latest: Revision = 0;
  /** The checks that are made when all changes are known. */
  readonly checks: ((states: States) => void)[] = [];

  constructor(shared: boolean) {
    // Where the store is not shared, both are one cache.
    const open = (): [Handled, CachedStore] => {
      const expire: EventStore['expire'] = async (call) => {
        const removing = this.inner.expire(call);
        this.expired.set(call, await this.inner.revision());
        return removing;
      };
      const handle = handled({ ...this.inner, expire }, shared);
      const store = { ...handle.store, close: async () => undefined };
      return [handle, cachedStore(store, { clock: this.clock, observe: () => undefined })];
    };
    const [one, other] = [open(), shared ? open() : undefined];
    this.handles = [one[0], (other ?? one)[0]];
    this.caches = [one[1], (other ?? one)[1]];
  }

  saw(revision: Revision): void {
    this.latest = Math.max(this.latest, revision);
  }

  /** Begins a call without waiting for it. */
  begin(run: () => Promise<void>): void {
    this.pending.push(
      run().catch((error: unknown) => {
        if (!isStoreError(error)) throw error;
        expect(['exists', 'conflict', 'not-found']).toContain(error.code);
      }),
    );
  }

  async write(store: EventStore, which: string): Promise<void> {
    const current = await this.get(store, which);
    const event = sampleEvent({ name: which });
    const record =
      current === undefined
        ? await store.create(keyOf(which), event, { expiresAt: NEVER })
        : await store.replace(keyOf(which), event, { expiresAt: NEVER, expected: current });
    this.saw(record.revision);
  }

  /** A read shows the event as it was at a moment between its beginning and its end. */
  async get(store: EventStore, which: string): Promise<Revision | undefined> {
    const from = this.latest;
    const record = await store.get(keyOf(which));
    const to = await this.inner.revision();
    if (record !== undefined) this.saw(record.revision);
    this.checks.push((states) => {
      expect(
        states.had(which, record?.revision, from, to),
        `${which} at ${record?.revision} from ${from} to ${to}`,
      ).toBe(true);
    });
    return record?.revision;
  }

  async list(store: EventStore, limit: number): Promise<void> {
    const from = this.latest;
    const first = await store.list({ limit });
    const { revision } = first;
    expect(revision).toBeGreaterThanOrEqual(from);
    this.saw(revision);
    const records = [...first.records];
    for (let { next } = first; next !== undefined;) {
      const page = await store.list({ limit, at: revision, after: next });
      expect(page.revision).toBe(revision);
      records.push(...page.records);
      next = page.next;
    }
    const seen = records.map(({ key, revision: version }) => [key.name, version]);
    this.checks.push((states) => expect(seen, `at ${revision}`).toEqual([...states.at(revision)].sort()));
  }

  async past(store: EventStore, at: Revision): Promise<void> {
    const { records } = await store.list({ at, limit: 10 });
    const seen = records.map(({ key, revision: version }) => [key.name, version]);
    this.checks.push((states) => expect(seen, `at ${at}`).toEqual([...states.at(at)].sort()));
  }

  run(step: Operation, start: Revision): void | Promise<void> {
    switch (step.kind) {
      case 'wait':
        return turns(step.turns);
      case 'advance':
        this.clock.advance(step.ms);
        return undefined;
      default:
    }
    const cached = this.caches[step.replica] as CachedStore;
    const handle = this.handles[step.replica] as Handled;
    switch (step.kind) {
      case 'write':
        return this.begin(() => this.write(cached, step.name));
      case 'remove':
        return this.begin(async () => this.saw((await cached.remove(keyOf(step.name))).revision));
      case 'expire':
        return this.begin(async () => {
          const call = { now: NEVER, limit: step.limit };
          const removed = await cached.expire(call);
          if (removed > 0) this.saw(this.expired.get(call) ?? NaN);
        });
      case 'get':
        return this.begin(async () => void (await this.get(cached, step.name)));
      case 'list':
        return this.begin(() => this.list(cached, step.limit));
      case 'past':
        return this.latest - step.back < start
          ? undefined
          : this.begin(() => this.past(cached, Math.max(start, this.latest - step.back)));
      case 'feed':
        if (step.open) handle.feed.open();
        else handle.feed.isOpen = false;
        return undefined;
      case 'answers':
        if (step.open) handle.answers.open();
        else handle.answers.isOpen = false;
        return undefined;
      case 'hold':
        handle.feed.isOpen = handle.answers.isOpen = false;
        return undefined;
      case 'lose':
        handle.expire();
    }
    return undefined;
  }
}

/** Notes the revisions of a feed up to the last one, which may not be known yet. A feed whose history is gone is opened again. */
async function follow(
  store: EventStore,
  after: Revision,
  last: { readonly revision: Revision },
  seen: Revision[],
): Promise<void> {
  while ((seen.at(-1) ?? after) < last.revision) {
    try {
      for await (const batch of store.changes({ after: seen.at(-1) ?? after })) {
        seen.push(...batch.map(({ revision }) => revision));
        if ((seen.at(-1) ?? after) >= last.revision) return;
      }
    } catch (error) {
      if (!isStoreError(error) || error.code !== 'expired') throw error;
    }
  }
}

async function check(shared: boolean, steps: readonly Operation[]): Promise<void> {
  const simulation = new Simulation(shared);
  await Promise.all(simulation.caches.map((cache) => until(cache, 'ready')));
  const start = await simulation.inner.revision();
  const states = new States(start);
  const stop = new AbortController();
  const recording = (async () => {
    for await (const batch of simulation.inner.changes({ after: start, signal: stop.signal }))
      for (const change of batch) states.add(change);
  })();
  const early = simulation.caches.map(() => [] as Revision[]);
  simulation.saw(start);
  const follows: Promise<void>[] = [];
  const last = { revision: Infinity };
  for (const [index, cache] of simulation.caches.entries()) {
    follows.push(follow(cache, start, last, early[index] as Revision[]));
  }
  for (const step of steps) await simulation.run(step, start);
  for (const { feed, answers } of simulation.handles) {
    feed.open();
    answers.open();
  }
  // Lets everything that waits for a timer go on.
  for (let round = 0; round < 4; round++) {
    await turns();
    simulation.clock.advance(5_000);
  }
  await turns();
  await Promise.all(simulation.pending);
  const end = await simulation.inner.create(keyOf('end'), sampleEvent({ name: 'end' }), { expiresAt: NEVER });
  last.revision = end.revision;
  for (let round = 0; round < 4; round++) {
    await turns();
    simulation.clock.advance(5_000);
  }
  while (states.latest < end.revision) await turns(1);
  for (const one of simulation.checks) one(states);
  await Promise.all(follows);
  const all: Revision[] = [];
  await follow(simulation.inner, start, end, all);
  for (const seen of early) expect(seen).toEqual(all);
  for (const cache of simulation.caches) {
    const late: Revision[] = [];
    await follow(cache, start, end, late);
    expect(late).toEqual(all);
  }
  stop.abort();
  await recording;
  await Promise.all(simulation.caches.map((cache) => cache.close()));
}

it.each([
  ['two replicas of a shared store', true],
  ['a store of this process', false],
])(
  'reads are linearizable, lists exact and feeds complete, however late the feed is: %s',
  async (_name, shared) => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 60 }), (steps) => check(shared, steps)),
      { numRuns: 150 },
    );
  },
  60_000,
);
