import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../../../src/json/json-source.js';
import type { Change, EventStore, FieldTerm, ListPage, ListQuery } from '../../../../src/store/contract/event-store.js';
import { isStoreError } from '../../../../src/store/contract/errors.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import { recordBytes, type EventRecord } from '../../../../src/store/contract/record.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

/** A store as one would write it without a thought for cost: a copy of everything at every revision. */
function createModel(start: number) {
  let revision = start;
  let now = new Map<string, EventRecord>();
  const states = new Map([[start, now]]);
  const changes: Change[] = [];
  const step = (type: Change['type'], record: EventRecord): void => {
    const id = `${record.key.namespace}/${record.key.name}`;
    const previous = now.get(id);
    now = new Map(now);
    if (type === 'put') now.set(id, record);
    else now.delete(id);
    revision = record.revision;
    states.set(revision, now);
    changes.push({ type, key: record.key, revision, record, ...(previous === undefined ? {} : { previous }) });
  };
  return {
    step,
    changes,
    states,
    revision: () => revision,
    get: (namespace: string, name: string) => now.get(`${namespace}/${name}`),
    list({ at = revision, namespace, terms = [], order }: Partial<ListQuery>): EventRecord[] {
      const bytes = (record: EventRecord): Buffer => Buffer.from(`${record.key.namespace}/${record.key.name}`);
      return [...(states.get(at) ?? new Map<string, EventRecord>()).values()]
        .filter((record) => namespace === undefined || record.key.namespace === namespace)
        .filter(({ event }) => terms.every(({ field, value }) => (event.fields[field] ?? '') === value))
        .sort((a, b) => (order === 'newest-first' ? b.revision - a.revision : Buffer.compare(bytes(a), bytes(b))));
    },
  };
}

type Model = ReturnType<typeof createModel>;

const namespaces = ['a', 'a-b', 'b'];
const names = ['x', 'y', 'x.y', 'z', 'w\u{1f600}', 'w\uff5e'];
const key = fc.record({ namespace: fc.constantFrom(...namespaces), name: fc.constantFrom(...names) });
const regarding = fc.constantFrom('pod-1', 'pod-2', 'pod-3');
const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('write' as const), key, regarding, ttl: fc.integer({ min: 1, max: 50 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const), limit: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 30 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('walk' as const),
      back: fc.nat(40),
      limit: fc.integer({ min: 1, max: 5 }),
      namespace: fc.option(fc.constantFrom(...namespaces), { nil: undefined }),
      term: fc.option(
        fc.oneof(
          regarding.map((value): FieldTerm => ({ field: 'regarding.name', value })),
          fc.constant<FieldTerm>({ field: 'metadata.name', value: 'x' }),
        ),
        { nil: undefined },
      ),
      order: fc.constantFrom('key' as const, 'newest-first' as const),
    }),
  },
);

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** How many pages came in cached bytes, and in others. */
const joinedPages = { kept: 0, others: 0 };

/** A page as joined JSON equals the page as records, whatever happened since it was joined. */
function expectJoined({ list }: EventStore, query: ListQuery, page: ListPage): void {
  for (const joined of [list.json?.(query), list.json?.(query)]) {
    if (joined instanceof Promise) throw new Error('the memory store has a page at hand, or none');
    if (joined === undefined) continue;
    if (joined.pieces.some((piece) => 'writeTo' in piece)) joinedPages.others++;
    else joinedPages.kept++;
    const text = Buffer.concat(joined.pieces.map(jsonBytes)).toString();
    expect(text).toBe(page.records.map((record) => Buffer.from(recordBytes(record, new Uint8Array(0)))).join(','));
    expect([joined.revision, joined.next]).toEqual([page.revision, page.next]);
    if (query.terms === undefined) expect(joined.remaining).toBe(page.remaining);
  }
}

async function walk(store: EventStore, query: ListQuery, whole: readonly EventRecord[]): Promise<EventRecord[]> {
  const seen: EventRecord[] = [];
  for (let after = query.after; ;) {
    const page = await store.list({ ...query, after });
    expect(page.records.length).toBeLessThanOrEqual(query.limit);
    expectJoined(store, { ...query, after }, page);
    seen.push(...page.records);
    if (query.terms === undefined) expect(page.remaining).toBe(whole.length - seen.length);
    if (page.next === undefined) return seen;
    after = page.next;
  }
}

const expectReadable = async (store: EventStore, model: Model, query: ListQuery): Promise<boolean> => {
  const whole = model.list(query);
  try {
    expect(await walk(store, query, whole)).toEqual(whole);
    return true;
  } catch (error) {
    if (isStoreError(error) && error.code === 'expired') return false;
    throw error;
  }
};

async function play(operations: readonly Operation[], historyMs: number): Promise<void> {
  const clock = fakeClock();
  const store = memoryStore({ clock, historyMs });
  const start = await store.revision();
  const model = createModel(start);
  const from = store.changes({ after: start })[Symbol.asyncIterator]();
  const fed: Change[] = [];
  let uid = 0;
  for (const step of operations) {
    if (step.kind === 'write') {
      const known = model.get(step.key.namespace, step.key.name);
      const event = sampleEvent({ ...step.key, uid: `uid-${uid++}`, regarding: step.regarding });
      const expiresAt = clock.now() + step.ttl * 1000;
      const record =
        known === undefined
          ? await store.create(step.key, event, { expiresAt })
          : await store.replace(step.key, event, { expiresAt, expected: known.revision });
      expect(record.event).toEqual(event);
      model.step('put', record);
    } else if (step.kind === 'remove') {
      if (model.get(step.key.namespace, step.key.name) === undefined) {
        await expect(store.remove(step.key)).rejects.toMatchObject({ code: 'not-found' });
      } else model.step('delete', await store.remove(step.key));
    } else if (step.kind === 'expire') {
      const due = model.list({}).filter(({ expiresAt }) => expiresAt <= clock.now());
      const before = await store.revision();
      const count = await store.expire({ now: clock.now(), limit: step.limit });
      expect(count).toBe(Math.min(step.limit, due.length));
      if (count > 0) {
        const feed = store.changes({ after: before })[Symbol.asyncIterator]();
        const batch = await feed.next();
        for (const change of batch.done === true ? [] : batch.value) model.step(change.type, change.record);
        await feed.return?.();
      }
    } else if (step.kind === 'wait') clock.advance(step.ms);
    else {
      const at = Math.max(start, model.revision() - step.back);
      const query = { at, limit: step.limit, namespace: step.namespace, order: step.order };
      const terms = step.term === undefined ? undefined : [step.term];
      await expectReadable(store, model, terms === undefined ? query : { ...query, terms });
    }
    expect(await store.revision()).toBe(model.revision());
    while (fed.length < model.changes.length && historyMs > 1000) {
      const batch = await from.next();
      if (batch.done !== true) fed.push(...batch.value);
    }
  }
  if (historyMs > 1000) {
    expect(fed).toEqual(model.changes);
    // Nothing was forgotten: every state there ever was can be read.
    for (const at of model.states.keys()) expect(await expectReadable(store, model, { at, limit: 3 })).toBe(true);
  }
  for (const order of ['key', 'newest-first'] as const) {
    expect(await expectReadable(store, model, { limit: 4, order })).toBe(true);
  }
  for (const record of model.list({})) expect(await store.get(record.key)).toEqual(record);
  await store.close();
}

describe('memoryStore', () => {
  test('with full history agrees with a naive model in every state, paged list and change', async () => {
    const run = fc.asyncProperty(fc.array(operation, { maxLength: 80, size: 'max' }), (operations) =>
      play(operations, 600_000),
    );
    await fc.assert(run, { numRuns: 60 });
    expect(joinedPages.kept).toBeGreaterThan(0);
    expect(joinedPages.others).toBeGreaterThan(0);
  });

  test('with a short history reads what a naive model reads, or fails with expired', async () => {
    const run = fc.asyncProperty(fc.array(operation, { maxLength: 120, size: 'max' }), (operations) =>
      play(operations, 20),
    );
    await fc.assert(run, { numRuns: 60 });
  });
});
