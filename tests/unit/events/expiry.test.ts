import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/clock/clock.js';
import { storeError } from '../../../src/store/contract/errors.js';
import { fakeClock, type FakeClock } from '../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { bench, event, metaOf, path, settled, type Frame } from './bench.js';

const MERGE = { 'content-type': 'application/merge-patch+json' };

/** Lets time pass; due events are looked for every second. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    clock.advance(1_000);
    await settled();
  }
}

describe('an expired event', () => {
  test('is DELETED for a watcher, with its last state and a new revision, and then missing', async () => {
    const { ask, clock, create, json, revision } = bench({ ttlMs: 10_000 });
    const created = metaOf(await create('a'));
    const frames = (await ask(`GET ${path()}?watch=1`)).frames<Frame>();
    expect((await frames.next()).value).toMatchObject({ type: 'ADDED' });
    const deleted = frames.next();
    await settled();
    await pass(clock, 9_000);
    expect((await json(`GET ${path('/a')}`)).status).toBe(200);
    await pass(clock, 2_000);
    const { value } = (await deleted) as { value: Frame };
    expect(value).toMatchObject({
      type: 'DELETED',
      object: { note: 'a note', metadata: { name: 'a', uid: created['uid'] } },
    });
    expect(value.object.metadata['resourceVersion']).toBe(await revision());
    expect(Number(value.object.metadata['resourceVersion'])).toBeGreaterThan(Number(created['resourceVersion']));
    expect((await json(`GET ${path('/a')}`)).status).toBe(404);
    expect((await json(`POST ${path()}`, event('a'))).status).toBe(201);
    await frames.return();
  });

  test.each([
    ['a fraction of a microsecond', 1_000.0006, 1_000_001],
    ['more time than a store can add', Number.MAX_SAFE_INTEGER, undefined],
  ])('expires at a whole microsecond that every store can keep, after %s', async (_, ttlMs, expected) => {
    const { clock, create, store } = bench({ ttlMs });
    const begun = clock.now();
    await create('a');
    const [record] = (await store.list({ limit: 1 })).records;
    expect(record?.expiresAt).toBe(expected === undefined ? Number.MAX_SAFE_INTEGER : begun + expected);
  });

  test('stays if it was written again', async () => {
    const { clock, create, json } = bench({ ttlMs: 10_000 });
    await create('a');
    await pass(clock, 8_000);
    await json(`PATCH ${path('/a')}`, { metadata: { labels: { x: 'y' } } }, MERGE);
    await pass(clock, 8_000);
    expect((await json(`GET ${path('/a')}`)).status).toBe(200);
    await pass(clock, 4_000);
    expect((await json(`GET ${path('/a')}`)).status).toBe(404);
  });

  test('is deleted in spite of its finalizers', async () => {
    const { clock, create, json } = bench({ ttlMs: 10_000 });
    await create('a', {}, { finalizers: ['example.com/hold'] });
    await pass(clock, 11_000);
    expect((await json(`GET ${path('/a')}`)).status).toBe(404);
  });
});

test('a closed service leaves expiry to other replicas', async () => {
  const { clock, create, events, store } = bench({ ttlMs: 10_000 });
  await create('a');
  await events.close();
  await pass(clock, 60_000);
  expect(await store.get({ namespace: 'default', name: 'a' })).toBeDefined();
});

describe('where the runtime refuses timers while modules are evaluated', () => {
  function module() {
    const clock = fakeClock();
    let evaluating = true;
    const guarded: Clock = {
      ...clock,
      setTimer(callback, delayMs) {
        if (evaluating) throw new Error('not allowed within global scope');
        return clock.setTimer(callback, delayMs);
      },
    };
    const made = bench({ ttlMs: 10_000, clock: guarded });
    evaluating = false;
    return { ...made, clock };
  }
  const stored = sampleEvent();

  test('expiry begins with the first request', async () => {
    const { clock, store, json } = module();
    const key = { namespace: 'default', name: 'a' };
    await store.create(key, stored, { expiresAt: clock.now() });
    await pass(clock, 5_000);
    expect(await store.get(key)).toBeDefined();
    await json(`GET ${path('/b')}`);
    await pass(clock, 2_000);
    expect(await store.get(key)).toBeUndefined();
  });

  test('expiry does not begin once the events are closed', async () => {
    const { clock, store, json, events } = module();
    const key = { namespace: 'default', name: 'a' };
    await store.create(key, stored, { expiresAt: clock.now() });
    await events.close();
    await json(`GET ${path('/b')}`);
    await pass(clock, 5_000);
    expect(await store.get(key)).toBeDefined();
  });
});

describe('a wall clock that jumps', () => {
  test.each([
    [undefined, 4_000, true],
    [undefined, 20_000, false],
    [60_000, 20_000, true],
    [60_000, 90_000, false],
  ])('is tolerated with clockToleranceMs %s and %i ms: %s', async (clockToleranceMs, byMs, counts) => {
    const options = clockToleranceMs === undefined ? {} : { clockToleranceMs };
    const { clock, create, json, observed } = bench({ ttlMs: byMs, ...options });
    await create('a');
    clock.setNow(clock.now() + byMs * 1_000);
    await pass(clock, 1_000);
    const faults = observed.filter((one) => one.type === 'error').map(({ error }) => String(error));
    expect(faults).toEqual(counts ? [] : [`Error: the clock of this process jumped ${byMs / 1_000} s ahead`]);
    expect((await json(`GET ${path('/a')}`)).status).toBe(counts ? 404 : 200);
    await pass(clock, byMs);
    expect((await json(`GET ${path('/a')}`)).status).toBe(404);
  });
});

describe('the first write of a process on a store with a clock', () => {
  const LATER = Date.UTC(2040, 0, 1) * 1000;

  test('has the time of the store, which is read before it', async () => {
    const { create } = bench({}, (store) => ({ ...store, now: async () => LATER }));
    expect(metaOf(await create('a'))['creationTimestamp']).toBe('2040-01-01T00:00:00Z');
  });

  test('is a 503 that changes nothing where the store does not return its time', async () => {
    const { json, revision } = bench({}, (store) => ({
      ...store,
      now: () => Promise.reject(storeError('unavailable', 'the database is away')),
    }));
    const before = await revision();
    expect((await json(`POST ${path()}`, event('a'))).status).toBe(503);
    expect(await revision()).toBe(before);
  });
});
