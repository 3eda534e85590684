import { describe, expect, test, vi } from 'vitest';
import { nextTurn } from '../../../src/clock/clock.js';
import type { Change, EventStore } from '../../../src/store/contract/event-store.js';
import { storeError, type StoreErrorCode } from '../../../src/store/contract/errors.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';
import type { EventRecord } from '../../../src/store/contract/record.js';
import { resolveUnknownOutcomes, type UnknownOutcomeOptions } from '../../../src/store/unknown-outcomes.js';
import { fakeClock, type FakeClock } from '../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';

/** The outcome of one write: it happens and the response is lost, it never arrives, or another error occurs. */
type Outcome = 'answered' | 'answer lost' | 'never arrived' | StoreErrorCode;

const key = { namespace: 'default', name: 'a' };
const later = { expiresAt: 4_102_444_800_000_000 };

/** A store whose writes have the given outcomes, one after the other; later writes succeed. */
function createBench(
  outcomes: Outcome[],
  between: (store: EventStore) => Promise<unknown> = async () => undefined,
  findCreatedIn?: (store: EventStore) => NonNullable<UnknownOutcomeOptions['findCreated']>,
  clock = fakeClock(),
) {
  const memory = memoryStore({ clock });
  let writes = 0;
  const withOutcome = async <T>(write: () => Promise<T>): Promise<T> => {
    writes++;
    const outcome = outcomes.shift() ?? 'answered';
    if (outcome === 'answered') return write();
    if (outcome === 'answer lost') await write();
    if (outcome === 'answer lost' || outcome === 'never arrived') {
      await between(memory);
      throw storeError('unknown-outcome', 'the connection was lost');
    }
    throw storeError(outcome, 'as arranged');
  };
  const get = vi.fn(memory.get);
  const store = resolveUnknownOutcomes(
    {
      ...memory,
      get,
      create: (...args) => withOutcome(() => memory.create(...args)),
      replace: (...args) => withOutcome(() => memory.replace(...args)),
      remove: (...args) => withOutcome(() => memory.remove(...args)),
      changes: (options) => ({ [Symbol.asyncIterator]: () => oneByOne(memory.changes(options)) }),
    },
    { clock, findCreated: findCreatedIn?.(memory) },
  );
  return { memory, store, clock, get, writes: () => writes };
}

async function* oneByOne(feed: AsyncIterable<readonly Change[]>) {
  for await (const changes of feed) for (const change of changes) yield [change];
}

async function passes(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    clock.advance(10);
    await nextTurn();
  }
}

describe('the resolution of unknown outcomes', () => {
  test.each<Outcome>(['answer lost', 'never arrived'])('resolves a create that was "%s"', async (outcome) => {
    const { store, memory } = createBench([outcome]);
    const record = await store.create(key, sampleEvent(), later);
    expect(await memory.get(key)).toEqual(record);
    expect(await memory.revision()).toBe(record.revision);
  });

  test('leaves a create unknown when another event has the key', async () => {
    const { store } = createBench(['never arrived'], (memory) =>
      memory.create(key, sampleEvent({ uid: 'another' }), later),
    );
    await expect(store.create(key, sampleEvent(), later)).rejects.toMatchObject({ code: 'unknown-outcome' });
  });

  /** Finds creates in the feed. */
  const findCreatedIn =
    (store: EventStore): NonNullable<UnknownOutcomeOptions['findCreated']> =>
    (_key, { uid }) => {
      const before = store.revision();
      return async () => {
        for await (const changes of store.changes({ after: await before })) {
          return changes.find(({ type, record }) => type === 'put' && record.event.uid === uid)?.record;
        }
        return undefined;
      };
    };

  test('a create whose event was deleted before the repetition takes effect once', async () => {
    const { store, memory, writes } = createBench(['answer lost'], (inside) => inside.remove(key), findCreatedIn);
    const record = await store.create(key, sampleEvent(), later);
    expect(record.revision).toBe((await memory.revision()) - 1);
    expect(await memory.get(key)).toBeUndefined();
    expect(writes()).toBe(1);
  });

  test('a create that took effect between the search and the repetition is found, although its event was replaced', async () => {
    const found: (EventRecord | undefined)[] = [];
    const { store, memory } = createBench(['never arrived'], undefined, (inside) => () => async () => {
      if (found.length === 0) {
        const created = await inside.create(key, sampleEvent(), later);
        const event = sampleEvent({ note: 'by another' });
        await inside.replace(key, event, { ...later, expected: created.revision });
        found.push(undefined, created);
      }
      return found.shift();
    });
    const record = await store.create(key, sampleEvent(), later);
    expect(record.revision).toBe((await memory.revision()) - 1);
  });

  test('a create is looked for again while the engine is unavailable, and stays unknown after another error', async () => {
    const failures = [storeError('unavailable', 'away'), storeError('expired', 'the log was cleared')];
    let calls = 0;
    const { store, clock, writes } = createBench(['answer lost'], undefined, () => () => () => {
      calls++;
      return Promise.reject(failures.shift() as Error);
    });
    const creating = expect(store.create(key, sampleEvent(), later)).rejects.toMatchObject({ code: 'unknown-outcome' });
    await passes(clock, 200);
    await creating;
    expect([calls, writes()]).toEqual([2, 1]);
  });

  test.each<Outcome>(['answer lost', 'never arrived'])('resolves a replace that was "%s"', async (outcome) => {
    const { store, memory } = createBench([outcome]);
    const { revision } = await memory.create(key, sampleEvent(), later);
    const event = sampleEvent({ note: 'changed' });
    const record = await store.replace(key, event, { ...later, expected: revision });
    expect(await memory.get(key)).toEqual(record);
    expect(await memory.revision()).toBe(revision + 1);
  });

  test('finds out the outcome of a replace when the engine is away again during the search', async () => {
    const { store, memory, clock, get } = createBench(['answer lost']);
    const { revision } = await memory.create(key, sampleEvent(), later);
    get.mockRejectedValueOnce(storeError('unavailable', 'away'));
    const replacing = store.replace(key, sampleEvent({ note: 'changed' }), { ...later, expected: revision });
    replacing.catch(() => undefined);
    await passes(clock, 200);
    expect((await replacing).revision).toBe(revision + 1);
  });

  const replacedByAnother = async (inside: EventStore): Promise<void> => {
    const now = await inside.get(key);
    await inside.replace(key, sampleEvent({ note: 'by another' }), { ...later, expected: now?.revision ?? 0 });
  };
  const deletedByAnother = (inside: EventStore): Promise<EventRecord> => inside.remove(key);

  test.each([replacedByAnother, deletedByAnother])(
    'resolves a replace that was followed by another write',
    async (other) => {
      const { store, memory } = createBench(['answer lost'], other);
      const { revision } = await memory.create(key, sampleEvent(), later);
      const event = sampleEvent({ note: 'mine' });
      const record = await store.replace(key, event, { ...later, expected: revision });
      expect(record).toMatchObject({ key, revision: revision + 1, event: { bytes: event.bytes } });
      expect(await memory.revision()).toBe(revision + 2);
    },
  );

  test.each([
    ['conflict', replacedByAnother],
    ['not-found', deletedByAnother],
  ] as const)('fails a replace with %s when another write was faster', async (code, other) => {
    const { store, memory } = createBench(['never arrived'], other);
    const { revision } = await memory.create(key, sampleEvent(), later);
    const replacing = store.replace(key, sampleEvent({ note: 'mine' }), { ...later, expected: revision });
    await expect(replacing).rejects.toMatchObject({ code });
    expect(await memory.revision()).toBe(revision + 1);
  });

  test('a deletion of the same bytes is not a replace', async () => {
    const { store, memory } = createBench(['never arrived'], deletedByAnother);
    const { revision } = await memory.create(key, sampleEvent(), later);
    const replacing = store.replace(key, sampleEvent(), { ...later, expected: revision });
    await expect(replacing).rejects.toMatchObject({ code: 'not-found' });
  });

  /** Writes another event and drops the history before it. */
  const endHistory = async (store: EventStore, clock: FakeClock, name: string): Promise<void> => {
    const { revision } = await store.create({ namespace: 'default', name }, sampleEvent({ name }), later);
    clock.advance(660_000);
    await expect(store.list({ at: revision - 1, limit: 1 })).rejects.toMatchObject({ code: 'expired' });
  };

  test('resolves a replace and a removal of an event that is older than the history', async () => {
    const { memory, store, clock } = createBench(['answer lost', 'answer lost'], async (inside) => {
      if ((await inside.get(key)) !== undefined) await replacedByAnother(inside);
    });
    const { revision } = await memory.create(key, sampleEvent(), later);
    await endHistory(memory, clock, 'b');
    const replaced = await store.replace(key, sampleEvent({ note: 'mine' }), { ...later, expected: revision });
    expect(replaced.revision).toBe(revision + 2);
    const expected = revision + 3;
    await endHistory(memory, clock, 'c');
    expect(await store.remove(key, { expected })).toMatchObject({ key, revision: expected + 2 });
  });

  test('leaves a replace unknown when the history that is left does not show what followed', async () => {
    const clock = fakeClock();
    const bench = createBench(
      ['answer lost'],
      async (inside) => {
        await replacedByAnother(inside);
        await endHistory(inside, clock, 'b');
      },
      undefined,
      clock,
    );
    const { revision } = await bench.memory.create(key, sampleEvent(), later);
    const replacing = bench.store.replace(key, sampleEvent({ note: 'mine' }), { ...later, expected: revision });
    await expect(replacing).rejects.toMatchObject({ code: 'unknown-outcome' });
  });

  test.each<Outcome>(['answer lost', 'never arrived'])(
    'resolves a removal of a known revision that was "%s"',
    async (outcome) => {
      const { store, memory } = createBench([outcome]);
      const { revision, event } = await memory.create(key, sampleEvent(), later);
      const record = await store.remove(key, { expected: revision });
      expect(record).toMatchObject({ key, revision: revision + 1, event });
      expect(await memory.get(key)).toBeUndefined();
    },
  );

  test('resolves a removal also when the key was used again since', async () => {
    const { store, memory } = createBench(['answer lost'], (inside) =>
      inside.create(key, sampleEvent({ uid: 'second life' }), later),
    );
    const { revision } = await memory.create(key, sampleEvent(), later);
    expect((await store.remove(key, { expected: revision })).revision).toBe(revision + 1);
    expect((await memory.get(key))?.event.uid).toBe('second life');
  });

  test('resolves a removal among changes of other events, and fails one of an event that was not there', async () => {
    const { store, memory } = createBench(['answer lost', 'answered', 'never arrived']);
    const other = (name: string) => memory.create({ namespace: 'default', name }, sampleEvent({ name }), later);
    const { revision } = await memory.create(key, sampleEvent(), later);
    await other('b');
    await other('c');
    expect((await store.remove(key, { expected: revision })).revision).toBe(revision + 3);
    const missing = store.remove({ namespace: 'default', name: 'd' }, { expected: revision });
    await expect(missing).rejects.toMatchObject({ code: 'not-found' });
  });

  test('fails a removal with a conflict when the event was changed, and leaves one unknown without an expected revision', async () => {
    const changed = createBench(['never arrived'], async (inside) => {
      const now = await inside.get(key);
      await inside.replace(key, sampleEvent({ note: 'by another' }), { ...later, expected: now?.revision ?? 0 });
    });
    const { revision } = await changed.memory.create(key, sampleEvent(), later);
    const conditional = changed.store.remove(key, { expected: revision });
    await expect(conditional).rejects.toMatchObject({ code: 'conflict' });
    const open = createBench(['answer lost']);
    await open.memory.create(key, sampleEvent(), later);
    await expect(open.store.remove(key)).rejects.toMatchObject({ code: 'unknown-outcome' });
  });

  test('fails a removal with not-found when the event was changed and then deleted', async () => {
    const changedAndDeleted = async (inside: EventStore): Promise<void> => {
      const now = await inside.get(key);
      await inside.replace(key, sampleEvent({ note: 'by another' }), { ...later, expected: now?.revision ?? 0 });
      await inside.remove(key);
    };
    const { store, memory } = createBench(['never arrived'], changedAndDeleted);
    const { revision } = await memory.create(key, sampleEvent(), later);
    await expect(store.remove(key, { expected: revision })).rejects.toMatchObject({ code: 'not-found' });
  });

  test('does not repeat a removal without a revision, which could remove an event that was created since', async () => {
    const { store, memory } = createBench(['answer lost'], (inside) =>
      inside.create(key, sampleEvent({ uid: 'second life' }), later),
    );
    await memory.create(key, sampleEvent(), later);
    await expect(store.remove(key)).rejects.toMatchObject({ code: 'unknown-outcome' });
    expect((await memory.get(key))?.event.uid).toBe('second life');
  });

  test('repeats while the engine is away, until it is back', async () => {
    const away = Array.from({ length: 6 }, (_, i): Outcome => (i % 2 === 0 ? 'unavailable' : 'unknown-outcome'));
    const { store, clock, writes } = createBench(['answer lost', ...away]);
    const creating = store.create(key, sampleEvent(), later);
    await passes(clock, 5_000);
    expect((await creating).key).toEqual(key);
    expect(writes()).toBe(8);
  });

  test('repeats with pauses of up to a second, until its time is over', async () => {
    const { store, clock, writes } = createBench(Array.from({ length: 100 }, () => 'never arrived' as const));
    const ended = vi.fn();
    store.create(key, sampleEvent(), later).catch(ended);
    await passes(clock, 7_990);
    expect(ended).not.toHaveBeenCalled();
    await passes(clock, 10);
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code: 'unknown-outcome' }));
    expect(writes()).toBeGreaterThan(8);
    expect(writes()).toBeLessThan(25);
  });

  test('closing the store ends a pause', async () => {
    const { store, clock, writes } = createBench([
      'never arrived',
      ...Array.from({ length: 9 }, () => 'unavailable' as const),
    ]);
    const creating = expect(store.create(key, sampleEvent(), later)).rejects.toMatchObject({ code: 'unknown-outcome' });
    await passes(clock, 500);
    const before = writes();
    await store.close();
    await creating;
    expect(writes()).toBe(before);
  });

  test('passes other errors on unchanged, at once', async () => {
    for (const code of ['exists', 'conflict', 'unavailable', 'too-large'] as const) {
      const { store, writes } = createBench([code]);
      await expect(store.create(key, sampleEvent(), later)).rejects.toMatchObject({ code });
      expect(writes()).toBe(1);
    }
  });

  test('releases an aborted caller', async () => {
    const { store, writes } = createBench(['never arrived']);
    const controller = new AbortController();
    const creating = store.create(key, sampleEvent(), { ...later, signal: controller.signal });
    controller.abort();
    await expect(creating).rejects.toMatchObject({ code: 'unknown-outcome' });
    expect(writes()).toBe(1);
  });

  test.each([
    ['a create', ['get']],
    ['a replace', ['get', 'revision', 'changes']],
    ['a removal', ['revision', 'changes']],
  ])('ends the search for the outcome of %s with its caller', async (write, expected) => {
    const memory = memoryStore({ clock: fakeClock() });
    const { revision } = await memory.create(key, sampleEvent(), later);
    await memory.replace(key, sampleEvent({ note: 'by another' }), { ...later, expected: revision });
    const calls: [name: string, signal: AbortSignal | undefined][] = [];
    let writes = 0;
    const refused = (code: StoreErrorCode) => async (): Promise<never> => {
      throw storeError(writes++ === 0 ? 'unknown-outcome' : code, 'as arranged');
    };
    const store = resolveUnknownOutcomes({
      ...memory,
      create: refused('exists'),
      replace: refused('conflict'),
      remove: refused('conflict'),
      get(wanted, call) {
        calls.push(['get', call?.signal]);
        return memory.get(wanted, call);
      },
      revision(call) {
        calls.push(['revision', call?.signal]);
        return memory.revision(call);
      },
      changes(options) {
        calls.push(['changes', options.signal]);
        return memory.changes(options);
      },
    });
    const controller = new AbortController();
    const { signal } = controller;
    const condition = { expected: revision, signal };
    const own = sampleEvent({ note: 'own' });
    const outcome =
      write === 'a create'
        ? store.create(key, own, { ...later, signal })
        : write === 'a replace'
          ? store.replace(key, own, { ...later, ...condition })
          : store.remove(key, condition);
    await expect(outcome).rejects.toThrow();
    controller.abort();
    expect(calls.map(([name, given]) => [name, given?.aborted])).toEqual(expected.map((name) => [name, true]));
  });

  test('has the clock of the store and its request for progress, where it has them', async () => {
    let requests = 0;
    const memory = memoryStore({ clock: fakeClock() });
    const full = { ...memory, now: async () => 7, requestProgress: () => void (requests += 1) };
    const store = resolveUnknownOutcomes(full);
    expect(await store.now?.({})).toBe(7);
    store.requestProgress?.();
    expect(requests).toBe(1);
    expect(Object.keys(resolveUnknownOutcomes({ ...memory, now: undefined }))).not.toContain('requestProgress');
  });
});
