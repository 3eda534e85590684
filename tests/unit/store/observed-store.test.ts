import { describe, expect, it } from 'vitest';
import type { Observation } from '../../../src/observe/observation.js';
import type { EventStore } from '../../../src/store/contract/event-store.js';
import { storeError } from '../../../src/store/contract/errors.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';
import { observedStore } from '../../../src/store/observed-store.js';
import { fakeClock, sampleEvent } from '../../../src/testing.js';

function createBench(wrap: (store: EventStore) => EventStore = (store) => store) {
  const clock = fakeClock();
  const inner = wrap(memoryStore({ clock }));
  const seen: Observation[] = [];
  const store = observedStore(inner, (observation) => void seen.push(observation), clock);
  const create = (name: string) =>
    store.create({ namespace: 'a', name }, sampleEvent({ name, namespace: 'a' }), { expiresAt: clock.now() + 1_000 });
  return { clock, inner, seen, store, create };
}

describe('an observed store', () => {
  it('reports each call with its outcome and duration, and passes results and errors on', async () => {
    const bench = createBench((store) => ({
      ...store,
      async list(query) {
        bench.clock.advance(25);
        return store.list(query);
      },
      ping: () => Promise.reject(storeError('unavailable', 'away')),
      revision: () => Promise.reject(new Error('broken')),
    }));
    const { store, seen, create, clock } = bench;
    const record = await create('a');
    expect(await store.get(record.key)).toMatchObject({ revision: record.revision });
    await store.list({ limit: 5 } as never);
    await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' });
    await expect(store.revision()).rejects.toThrow('broken');
    await expect(store.revision({ aborted: true } as never)).rejects.toThrow('broken');
    clock.advance(10);
    expect(await store.expire({ now: clock.now() + 1_000, limit: 5 })).toBe(1);
    const call = (operation: string, outcome: string, durationMs = 0): object => ({
      ...{ type: 'store', store: 'memory', operation, outcome, durationMs },
    });
    expect(seen).toEqual([
      call('create', 'ok'),
      call('get', 'ok'),
      call('list', 'ok', 25),
      call('ping', 'unavailable'),
      call('revision', 'error'),
      call('revision', 'aborted'),
      call('expire', 'ok'),
      { type: 'expired', store: 'memory', removed: 1 },
    ]);
  });

  it('keeps synchronous results of the engine as they are, unobserved', () => {
    const { store, inner, seen } = createBench();
    expect(store.get.sync).toBe(inner.get.sync);
    expect(store.create.sync).toBe(inner.create.sync);
    expect(store.replace.sync).toBe(inner.replace.sync);
    expect(store.list.json).toBe(inner.list.json);
    expect(store.get.sync?.({ namespace: 'a', name: 'none' })).toBeUndefined();
    expect(seen).toEqual([]);
  });

  it('reports how late the feed delivers writes of this process', async () => {
    const { clock, store, seen, create } = createBench();
    const feed = store.changes({ after: await store.revision() })[Symbol.asyncIterator]();
    const pending = feed.next();
    await create('a');
    await pending;
    clock.advance(40);
    await create('b');
    clock.advance(60);
    await feed.next();
    await feed.return?.();
    expect(seen.filter(({ type }) => type === 'feed')).toEqual([
      { type: 'feed', store: 'memory', changes: 1, lagMs: expect.any(Number) as unknown },
      { type: 'feed', store: 'memory', changes: 1, lagMs: 60 },
    ]);
  });
});
