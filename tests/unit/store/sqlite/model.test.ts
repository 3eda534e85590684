import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Change, EventStore, ListQuery } from '../../../../src/store/contract/event-store.js';
import { isStoreError } from '../../../../src/store/contract/errors.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import type { EventRecord } from '../../../../src/store/contract/record.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';
import { createBench, START } from './sync-store-bench.js';
import { inThreadStore } from './in-thread.js';

const { driver, newPath } = await createBench();

const key = fc.record({
  namespace: fc.constantFrom('a', 'a-b', 'b'),
  name: fc.constantFrom('x', 'x-y', 'x.y', 'ž', '\u{1f600}', '\uff5e'),
});
const back = fc.nat(12);
const pod = fc.constantFrom('pod-1', 'pod-2', 'pod-3');
const life = fc.nat(5);
const terms = fc.option(
  fc
    .tuple(
      fc.constantFrom('regarding.name', 'regarding.uid', 'reason', 'type'),
      fc.constantFrom('pod-1', 'uid-of-pod-2', ''),
    )
    .map(([field, value]) => [{ field, value }]),
  { nil: undefined },
);

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('create' as const), key, pod, life }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('replace' as const), key, pod, life, stale: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('remove' as const), key, expected: fc.option(back, { nil: undefined }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('expire' as const),
      after: fc.nat(6),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      namespace: fc.option(fc.constantFrom('a', 'a-b', 'c'), { nil: undefined }),
      back: fc.option(back, { nil: undefined }),
      limit: fc.integer({ min: 1, max: 5 }),
      newest: fc.boolean(),
      terms,
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Expire = Extract<Step, { do: 'expire' }>;

const decoder = new TextDecoder();
const plain = (record: EventRecord | undefined): unknown =>
  record && [
    record.key,
    record.revision,
    record.expiresAt,
    record.event.uid,
    record.event.cut,
    Object.entries(record.event.fields).sort(([one], [other]) => (one < other ? -1 : 1)),
    decoder.decode(record.event.bytes),
  ];
const plainChange = ({ type, key: of, revision, record, previous }: Change): unknown => [
  type,
  of,
  revision,
  plain(record),
  plain(previous),
];

/** Every page of a list, without what does not match: pages of a search may be cut anywhere. */
async function walk(store: EventStore, query: ListQuery): Promise<unknown> {
  const pages: unknown[] = [];
  for (
    let page = await store.list(query);
    ;
    page = await store.list({ ...query, at: page.revision, after: page.next })
  ) {
    const records = page.records.filter(({ event }) =>
      (query.terms ?? []).every(({ field, value }) => (event.fields[field] ?? '') === value),
    );
    if (query.terms === undefined) pages.push([records.map(plain), page.next]);
    else pages.push(...records.map(plain));
    if (page.next === undefined) return [page.revision, pages];
  }
}

async function perform(store: EventStore, one: Exclude<Step, Expire>): Promise<unknown> {
  const expiresAt = START + 1000 * ('life' in one ? one.life : 0);
  switch (one.do) {
    case 'create': {
      const event = sampleEvent({ ...one.key, regarding: one.pod });
      return plain(await store.create(one.key, event, { expiresAt }));
    }
    case 'replace': {
      const current = await store.get(one.key);
      const expected = (current?.revision ?? 200) - (one.stale ? 1 : 0);
      const event = sampleEvent({ ...one.key, regarding: one.pod, note: 'changed' });
      return plain(await store.replace(one.key, event, { expiresAt, expected }));
    }
    case 'remove': {
      const expected = one.expected === undefined ? {} : { expected: (await store.revision()) - one.expected };
      return plain(await store.remove(one.key, expected));
    }
    case 'list': {
      const revision = await store.revision();
      const at = one.back === undefined ? {} : { at: Math.max(100, revision - one.back) };
      const query = { namespace: one.namespace, limit: one.limit, terms: one.terms, ...at };
      return walk(store, { ...query, order: one.newest ? 'newest-first' : 'key' });
    }
  }
}

async function outcome(store: EventStore, one: Exclude<Step, Expire>): Promise<unknown> {
  try {
    return await perform(store, one);
  } catch (error) {
    if (!isStoreError(error)) throw error;
    return error.code;
  }
}

/** The first changes after a revision. */
async function changesAfter(store: EventStore, after: number, count: number): Promise<readonly Change[]> {
  const all: Change[] = [];
  if (count === 0) return all;
  for await (const batch of store.changes({ after })) {
    all.push(...batch);
    if (all.length >= count) break;
  }
  return all;
}

/** Each store chooses which due events it removes first: `other` removes those that `one` has expired. */
async function expireAlike(one: EventStore, other: EventStore, { after, limit }: Expire): Promise<void> {
  const now = START + 1000 * after - 1;
  const { records } = await other.list({ limit: 100 });
  const due = new Set(records.filter(({ expiresAt }) => expiresAt <= now).map(({ key: of }) => JSON.stringify(of)));
  const before = await one.revision();
  expect(await one.expire({ now, limit })).toBe(Math.min(limit, due.size));
  for (const change of await changesAfter(one, before, Math.min(limit, due.size))) {
    expect([...due]).toContain(JSON.stringify(change.key));
    await other.remove(change.key);
  }
}

test('the SQLite store agrees with the memory store', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const memory = memoryStore({ clock: fakeClock({ now: START }), startAt: 100 });
      const options = { path: newPath(), clock: fakeClock({ now: START }), startAt: 100 };
      let sqlite = inThreadStore(driver, options);
      for (const [index, one] of steps.entries()) {
        if (index === 20) {
          await sqlite.close();
          sqlite = inThreadStore(driver, options);
        }
        if (one.do === 'expire') {
          await expireAlike(sqlite, memory, one);
          continue;
        }
        const expected = await outcome(memory, one);
        const found = await outcome(sqlite, one);
        if (JSON.stringify(found) !== JSON.stringify(expected)) {
          throw new Error(`${JSON.stringify(one)}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
        }
      }
      const latest = await memory.revision();
      if (latest > 100) {
        const changes = async (store: EventStore): Promise<string> =>
          JSON.stringify((await changesAfter(store, 100, latest - 100)).map(plainChange));
        if ((await changes(sqlite)) !== (await changes(memory))) throw new Error('the feeds differ');
      }
      await Promise.all([sqlite.close(), memory.close()]);
    }),
    { numRuns: 40 },
  );
});
