import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { nextTurn, systemClock } from '../../../../src/clock/clock.js';
import { cachedStore } from '../../../../src/store/cached/cached-store.js';
import type { CachedStoreOptions } from '../../../../src/store/cached/options.js';
import type { CachedStore } from '../../../../src/store/cached/status.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import type { Change, EventStore, ListQuery, Revision } from '../../../../src/store/contract/event-store.js';
import { LATER } from '../../../../src/store/contract/read-hints.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import type { Observation } from '../../../../src/observe/observation.js';
import { createWatchHub } from '../../../../src/store/watch/watch-hub.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';
import {
  asShared,
  createGate,
  driven,
  filled,
  handled,
  keyOf,
  turns,
  until,
  type DrivenFeed,
  type Handled,
} from './caches.js';
import { watch } from '../watch/watching.js';

const NEVER = 4_102_444_800_000_000;
const TIMEOUT_MS = 3_000;

const create = (store: EventStore, name: string, more: object = {}): ReturnType<EventStore['create']> =>
  store.create(keyOf(name), sampleEvent({ name, ...more }), { expiresAt: NEVER });

interface Bench extends Handled {
  readonly inner: EventStore;
  readonly cached: CachedStore;
  readonly clock: ReturnType<typeof fakeClock>;
  readonly seen: Observation[];
}

/** A cache over a store with three events, that is filled. */
async function bench(shared: boolean, options: CachedStoreOptions = {}): Promise<Bench> {
  const clock = fakeClock();
  const inner = memoryStore({ clock });
  for (const name of ['a', 'b', 'c']) await create(inner, name);
  const controls = handled(inner, shared);
  const seen: Observation[] = [];
  const cached = cachedStore(controls.store, { clock, observe: (one) => void seen.push(one), ...options });
  await until(cached, 'ready');
  for (const name of Object.keys(controls.calls)) controls.calls[name] = 0;
  return Object.assign(controls, { inner, cached, clock, seen });
}

const names = async (store: EventStore): Promise<string[]> =>
  (await store.list({ limit: 100 })).records.map(({ key }) => key.name);

/** Whether a promise is settled. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = (): void => void (settled = true);
  promise.then(note, note);
  await turns();
  return settled;
}

describe('a cache over a store of this process', () => {
  it('goes on in the next turn of the event loop where loading events takes longer than usual', async () => {
    const clock = fakeClock();
    const inner = memoryStore({ clock });
    for (let count = 0; count < 50; count++) await create(inner, `e${count}`);
    let ms = 0;
    const cached = cachedStore(inner, { clock: { ...clock, monotonic: () => (ms += 3) }, observe: () => undefined });
    let passed = 0;
    for (; cached.status().state !== 'ready' && passed < 5_000; passed++) await turns(1);
    expect(cached.status()).toMatchObject({ state: 'ready', events: 50 });
    expect(passed).toBeGreaterThan(50);
  });

  it('serves get and lists without calling the store', async () => {
    const { cached, calls } = await bench(false);
    expect((await cached.get(keyOf('a')))?.key).toEqual(keyOf('a'));
    expect(await names(cached)).toEqual(['a', 'b', 'c']);
    expect(cached.get.sync?.(keyOf('a'))).toMatchObject({ key: keyOf('a') });
    expect(cached.list.json?.({ limit: 10 })).toMatchObject({ remaining: 0 });
    expect(calls['get'] ?? 0).toBe(0);
    expect(calls['list']).toBe(0);
    expect(calls['revision']).toBe(0);
  });

  it('waits with a read until the cache has what was acknowledged before', async () => {
    const { cached, feed, calls } = await bench(false);
    feed.isOpen = false;
    const written = await create(cached, 'd');
    const read = cached.get(keyOf('d'));
    const json = cached.list.json?.({ limit: 10 });
    expect(json).toBeInstanceOf(Promise);
    expect(cached.get.sync?.(keyOf('a'))).toBe(LATER);
    expect(await isSettled(read)).toBe(false);
    feed.open();
    expect(await read).toEqual(written);
    expect(await json).toMatchObject({ revision: written.revision });
    expect(calls['get'] ?? 0).toBe(0);
    expect(calls['revision']).toBe(0);
  });

  it('waits with a read until a removal is there', async () => {
    const { cached, feed } = await bench(false);
    feed.isOpen = false;
    await cached.remove(keyOf('a'));
    const read = cached.get(keyOf('a'));
    expect(await isSettled(read)).toBe(false);
    feed.open();
    expect(await read).toBeUndefined();
  });

  it('shows nothing that expired before the read began', async () => {
    const { cached, feed, calls } = await bench(false);
    feed.isOpen = false;
    expect(await cached.expire({ now: NEVER, limit: 10 })).toBe(3);
    const read = names(cached);
    expect(await isSettled(read)).toBe(false);
    feed.open();
    expect(await read).toEqual([]);
    expect(calls['revision']).toBe(1);
  });

  it('requests the latest revision after a failed write, which may have changed more than the cache has', async () => {
    const { cached, inner, feed, calls } = await bench(false);
    feed.isOpen = false;
    // As by a call whose response was lost.
    await create(inner, 'd');
    await expect(create(cached, 'd')).rejects.toMatchObject({ code: 'exists' });
    const read = cached.get(keyOf('d'));
    await turns();
    feed.open();
    expect((await read)?.key.name).toBe('d');
    expect(calls['revision']).toBe(1);
  });

  it('requests no revision after an expiry that removed nothing', async () => {
    const { cached, calls } = await bench(false);
    expect(await cached.expire({ now: 1, limit: 10 })).toBe(0);
    expect((await cached.get(keyOf('a')))?.key).toEqual(keyOf('a'));
    expect(calls['revision']).toBe(0);
  });

  it('says for how long it has been behind the first write that it does not have', async () => {
    const { cached, feed, clock } = await bench(false);
    expect(cached.status().lagMs).toBe(0);
    feed.isOpen = false;
    await create(cached, 'd');
    clock.advance(100);
    await create(cached, 'e');
    clock.advance(50);
    expect(cached.status().lagMs).toBe(150);
    feed.open();
    await turns();
    expect(cached.status().lagMs).toBe(0);
  });

  it('reads nothing more from a store that was closed without it', async () => {
    const { inner, cached, clock, calls, seen } = await bench(false);
    const before = seen.length;
    await inner.close();
    for (let minute = 0; minute < 3; minute++) {
      await turns();
      clock.advance(60_000);
    }
    await turns();
    expect(calls['list']).toBe(0);
    expect(seen.slice(before)).toEqual([]);
    await expect(cached.get(keyOf('a'))).rejects.toMatchObject({ code: 'closed' });
  });

  it('waits after a read from the store that found nothing, so that no removed event reappears', async () => {
    const { cached, inner, feed, clock } = await bench(false, { freshnessTimeoutMs: TIMEOUT_MS });
    feed.isOpen = false;
    const { revision } = await create(cached, 'd');
    // As by a call whose response has not come yet.
    await inner.remove(keyOf('a'));
    const read = cached.get(keyOf('a'));
    await turns();
    clock.advance(TIMEOUT_MS);
    expect(await read).toBeUndefined();
    // The cache reaches the revision that the read waited for, but not the removal.
    feed.letOnePass();
    await turns();
    expect(cached.status().revision).toBe(revision);
    expect(cached.get.sync?.(keyOf('a'))).toBe(LATER);
    const again = cached.get(keyOf('a'));
    expect(await isSettled(again)).toBe(false);
    feed.open();
    expect(await again).toBeUndefined();
  });

  it('goes through to the store when a read waits too long, and the next one does not wait', async () => {
    const { cached, feed, clock, calls } = await bench(false, { freshnessTimeoutMs: TIMEOUT_MS });
    feed.isOpen = false;
    const written = await create(cached, 'd');
    const read = cached.get(keyOf('d'));
    await turns();
    clock.advance(TIMEOUT_MS - 1);
    expect(await isSettled(read)).toBe(false);
    expect(cached.status().lagMs).toBe(TIMEOUT_MS - 1);
    clock.advance(1);
    expect(await read).toEqual(written);
    expect(await cached.get(keyOf('d'))).toEqual(written);
    expect(calls['get']).toBe(2);
    feed.open();
    await turns();
    expect(await cached.get(keyOf('d'))).toEqual(written);
    expect(calls['get']).toBe(2);
    expect(cached.status().lagMs).toBe(0);
  });

  it('goes through to the store at once when the cache is emptied during a wait', async () => {
    const { cached, feed, calls, expire } = await bench(false);
    feed.isOpen = false;
    const written = await create(cached, 'd');
    const read = cached.get(keyOf('d'));
    await turns();
    expire();
    feed.open();
    expect(await read).toEqual(written);
    expect(calls['get']).toBe(1);
  });

  it('ends a wait when the signal of the read is aborted', async () => {
    const { cached, feed } = await bench(false);
    feed.isOpen = false;
    await create(cached, 'd');
    const abort = new AbortController();
    const read = cached.get(keyOf('d'), { signal: abort.signal });
    const reason = new Error('gone');
    abort.abort(reason);
    await expect(read).rejects.toBe(reason);
  });

  it.each([false, true])('serves a list at a revision from its history, without calling the store', async (shared) => {
    const { cached, calls } = await bench(shared);
    const { revision: at } = await cached.list({ limit: 1 });
    await create(cached, 'd');
    await turns();
    calls['revision'] = 0;
    const page = await cached.list({ at, limit: 10 });
    expect(page.records).toHaveLength(3);
    expect(calls).toMatchObject({ list: 0, revision: 0 });
  });

  it('reads a list from the store if its own history no longer reaches back when the list is there', async () => {
    const { cached, calls, clock } = await bench(false, { historyMs: 1_000 });
    const at = await cached.revision();
    // More than are read in one turn.
    for (let i = 0; i < 2_100; i++) await create(cached, `e${i}`);
    await turns();
    const list = cached.list({ at, limit: 10, order: 'newest-first' });
    clock.advance(2_000);
    await create(cached, 'd');
    expect((await list).records.map(({ key }) => key.name)).toEqual(['c', 'b', 'a']);
    expect(calls['list']).toBe(1);
  });

  it('requests the progress of its feed from the store, if that can be requested', async () => {
    const { inner } = await bench(false);
    expect(cachedStore(inner, { clock: fakeClock() })).not.toHaveProperty('requestProgress');
    let requests = 0;
    const cached = cachedStore({ ...inner, requestProgress: () => void (requests += 1) }, { clock: fakeClock() });
    cached.requestProgress?.();
    expect(requests).toBe(1);
  });

  it('observes nothing more when it is closed', async () => {
    const { cached, seen } = await bench(false);
    const count = seen.length;
    await cached.close();
    await turns();
    expect(seen.slice(count)).toEqual([]);
  });

  it('is closed, and observes nothing, when it is closed before it has begun', async () => {
    const seen: Observation[] = [];
    const cached = cachedStore(memoryStore({ clock: fakeClock() }), { observe: (one) => void seen.push(one) });
    await cached.close();
    await turns();
    expect([cached.status().state, seen]).toEqual(['closed', []]);
  });
});

describe('a cache over a shared store', () => {
  it('shows what another replica wrote before the read began', async () => {
    const { cached, inner, feed } = await bench(true);
    feed.isOpen = false;
    await create(inner, 'd');
    const read = names(cached);
    expect(await isSettled(read)).toBe(false);
    feed.open();
    expect(await read).toEqual(['a', 'b', 'c', 'd']);
  });

  it('calls the store once for all reads that wait together', async () => {
    const { cached, answers, calls } = await bench(true);
    answers.isOpen = false;
    const first = cached.get(keyOf('a'));
    const others = Array.from({ length: 50 }, () => cached.get(keyOf('b')));
    await turns();
    expect(calls['revision']).toBe(1);
    answers.open();
    await Promise.all([first, ...others]);
    expect(calls['revision']).toBe(2);
    expect(calls['get'] ?? 0).toBe(0);
  });

  it('calls the store in the AsyncLocalStorage context of the first of the reads that wait together', async () => {
    const current = new AsyncLocalStorage<string>();
    const found: unknown[] = [];
    const inner = memoryStore();
    const store = asShared({
      ...inner,
      async revision(call) {
        found.push(current.getStore());
        await nextTurn();
        return inner.revision(call);
      },
    });
    const cached = await filled(store);
    found.length = 0;
    const read = (name: string): Promise<unknown> => current.run(name, () => cached.get(keyOf(name)));
    await Promise.all([...['a', 'b', 'c'].map(read), nextTurn().then(() => read('d'))]);
    expect(found).toEqual(['a', 'b']);
    await cached.close();
  });

  it('lets a read that begins while the revision is being requested wait for the next response', async () => {
    const { cached, inner, answers, feed } = await bench(true);
    answers.isOpen = false;
    feed.isOpen = false;
    const early = cached.get(keyOf('d'));
    await turns();
    await create(inner, 'd');
    const late = cached.get(keyOf('d'));
    answers.open();
    expect(await early).toBeUndefined();
    expect(await isSettled(late)).toBe(false);
    feed.open();
    expect((await late)?.key.name).toBe('d');
  });

  it('goes through to the store when the revision is not known in time', async () => {
    const { cached, answers, clock, calls } = await bench(true, { freshnessTimeoutMs: TIMEOUT_MS });
    answers.isOpen = false;
    const read = cached.get(keyOf('a'));
    await turns();
    clock.advance(TIMEOUT_MS);
    expect((await read)?.key.name).toBe('a');
    expect(calls['get']).toBe(1);
  });

  it('lets a list wait no longer than that, although it reads JSON first, nor a read that begins afterwards', async () => {
    const { cached, answers, clock, calls } = await bench(true, { freshnessTimeoutMs: TIMEOUT_MS });
    answers.isOpen = false;
    const json = cached.list.json?.({ limit: 10 });
    await turns();
    clock.advance(TIMEOUT_MS);
    expect(await json).toBeUndefined();
    expect(await names(cached)).toEqual(['a', 'b', 'c']);
    expect((await cached.get(keyOf('a')))?.key.name).toBe('a');
    expect(calls).toMatchObject({ list: 1, get: 1, revision: 1 });
    answers.open();
    await turns();
    expect((await cached.get(keyOf('a')))?.key.name).toBe('a');
    expect(calls).toMatchObject({ list: 1, get: 1, revision: 2 });
  });

  it('does not call the store for reads that may be stale, or need no newer revision than it has', async () => {
    const { cached, inner, feed, calls } = await bench(true);
    feed.isOpen = false;
    const { revision } = await create(inner, 'd');
    expect(cached.get.sync?.(keyOf('d'), { mayBeStale: true })).toBeUndefined();
    expect((await cached.list({ limit: 10, mayBeStale: true })).records).toHaveLength(3);
    expect((await cached.list({ limit: 10, notOlderThan: revision - 1 })).records).toHaveLength(3);
    expect(await cached.revision({ mayBeStale: true })).toBe(revision - 1);
    expect(calls['revision']).toBe(0);
    const read = cached.list({ limit: 10, notOlderThan: revision });
    expect(await isSettled(read)).toBe(false);
    feed.open();
    expect((await read).records).toHaveLength(4);
  });

  it('ends each of its requests to the store when it is closed', async () => {
    const inner = asShared(memoryStore());
    for (let i = 0; i < 101; i++) await create(inner, `event-${i}`);
    const requests: [name: string, signal: AbortSignal | undefined][] = [];
    const cached = await filled({
      ...inner,
      list(query) {
        requests.push(['list', query.signal]);
        return inner.list(query);
      },
      revision(call) {
        requests.push(['revision', call?.signal]);
        return inner.revision(call);
      },
      changes(options) {
        requests.push(['changes', options.signal]);
        return inner.changes(options);
      },
    });
    await cached.get(keyOf('event-0'));
    const states = (): unknown => requests.map(([name, signal]) => [name, signal?.aborted]);
    const all = ['list', 'list', 'revision', 'changes', 'revision'];
    expect(states()).toEqual(all.map((name) => [name, false]));
    await cached.close();
    expect(states()).toEqual(all.map((name) => [name, true]));
  });

  it('calls the store for no change that it receives', async () => {
    const { cached, inner, calls } = await bench(true);
    await create(inner, 'd');
    await turns();
    expect(cached.status().events).toBe(4);
    expect(calls).toMatchObject({ revision: 0, list: 0 });
  });

  it('requests the progress of the feed, and no more often than ten times a second', async () => {
    const { inner, clock } = await bench(true);
    let requests = 0;
    const ahead = { ...handled(inner, true).store, requestProgress: () => void (requests += 1) };
    const revision = ahead.revision;
    const cached = cachedStore({ ...ahead, revision: async (call) => (await revision(call)) + 5 }, { clock });
    await turns();
    clock.advance(TIMEOUT_MS);
    await until(cached, 'ready');
    const before = requests;
    const reads = [cached.get(keyOf('a')), cached.get(keyOf('b'))];
    await turns();
    expect(requests - before).toBe(0);
    for (let ms = 0; ms < 1_000; ms += 10) {
      clock.advance(10);
      await turns(2);
    }
    expect(requests - before).toBeGreaterThanOrEqual(9);
    expect(requests - before).toBeLessThanOrEqual(11);
    clock.advance(TIMEOUT_MS);
    await Promise.all(reads);
  });
});

describe('when the store is unavailable', () => {
  it('a read fails with the error of the store', async () => {
    const controls = await bench(true);
    controls.isAway = true;
    await expect(controls.cached.get(keyOf('a'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(controls.cached.status().state).toBe('ready');
    // The failed request for the revision is enough.
    expect(controls.calls['revision']).toBe(1);
    expect(controls.calls).not.toHaveProperty('get');
  });

  it('a cache with serve-stale that was emptied during a wait is filled again, and shows nothing', async () => {
    const { store, feed, expire } = handled(memoryStore(), false);
    const get: EventStore['get'] = () => Promise.reject(storeError('unavailable', 'the store is away'));
    const cached = await filled({ ...store, get }, { clock: fakeClock(), whenAway: 'serve-stale' });
    feed.isOpen = false;
    await create(cached, 'd');
    const read = cached.get(keyOf('d'));
    await turns();
    expire();
    feed.open();
    await expect(read).rejects.toMatchObject({ code: 'unavailable' });
    expect(cached.status().state).toBe('filling');
  });

  it('a cache with serve-stale shows what it has, reports that once, and reports when it is over', async () => {
    const controls = await bench(true, { whenAway: 'serve-stale' });
    const { cached, inner, seen } = controls;
    const states = (): string[] => seen.flatMap((one) => (one.type === 'cache.changed' ? [one.state] : []));
    controls.isAway = true;
    expect((await cached.get(keyOf('a')))?.key.name).toBe('a');
    expect(await names(cached)).toEqual(['a', 'b', 'c']);
    expect(cached.status().state).toBe('stale');
    expect(states()).toEqual(['filling', 'ready', 'stale']);
    await expect(create(cached, 'd')).rejects.toMatchObject({ code: 'unavailable' });
    controls.isAway = false;
    await create(inner, 'd');
    await cached.get(keyOf('a'));
    await turns();
    expect(cached.status().state).toBe('ready');
    expect(states()).toEqual(['filling', 'ready', 'stale', 'ready']);
    expect(await names(cached)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('a cache with serve-stale is ready again when a change arrives, without a read', async () => {
    const controls = await bench(true, { whenAway: 'serve-stale' });
    const { cached, inner } = controls;
    controls.isAway = true;
    await cached.get(keyOf('a'));
    expect(cached.status().state).toBe('stale');
    controls.isAway = false;
    await create(inner, 'd');
    await turns();
    expect(cached.status()).toMatchObject({ state: 'ready', events: 4 });
  });

  it.each([[true], [false]])('reads of serve-stale show a write that has succeeded (shared: %s)', async (shared) => {
    const controls = await bench(shared, { whenAway: 'serve-stale' });
    const { cached, feed, clock } = controls;
    controls.isAway = true;
    await expect(create(cached, 'd')).rejects.toMatchObject({ code: 'unavailable' });
    await cached.get(keyOf('a'));
    expect(cached.status().state).toBe('stale');
    controls.isAway = false;
    feed.isOpen = false;
    await create(cached, 'd');
    const read = cached.get(keyOf('d'));
    await turns();
    clock.advance(TIMEOUT_MS);
    expect((await read)?.key.name).toBe('d');
  });

  it.each([
    ['a refused write', (store: EventStore) => create(store, 'a').catch(() => undefined)],
    ['expiry', (store: EventStore) => store.expire({ now: 0, limit: 1 })],
  ])('a cache with serve-stale is ready again when the store has responded to %s', async (_, call) => {
    const controls = await bench(true, { whenAway: 'serve-stale' });
    const { cached } = controls;
    controls.isAway = true;
    await cached.get(keyOf('a'));
    await call(cached).catch(() => undefined);
    expect(cached.status().state).toBe('stale');
    controls.isAway = false;
    await call(cached);
    expect(cached.status().state).toBe('ready');
  });

  it('a cache with serve-stale reads the store that is back, although the feed is not yet open again', async () => {
    const controls = await bench(true, { whenAway: 'serve-stale' });
    const { cached, inner, clock } = controls;
    controls.isAway = true;
    // The feed fails, and is opened again after a pause.
    await create(inner, 'd');
    await turns();
    expect(await cached.get(keyOf('d'))).toBeUndefined();
    expect(cached.status().state).toBe('stale');
    controls.isAway = false;
    await cached.get(keyOf('d'));
    await turns();
    expect(cached.status()).toMatchObject({ state: 'ready', events: 3 });
    const read = cached.get(keyOf('d'));
    await turns();
    clock.advance(TIMEOUT_MS);
    expect((await read)?.key.name).toBe('d');
  });

  it('a cache with serve-stale asks the store once for all reads meanwhile whether it is back', async () => {
    const controls = await bench(true, { whenAway: 'serve-stale' });
    const { cached, answers, calls } = controls;
    controls.isAway = true;
    await cached.get(keyOf('a'));
    controls.isAway = false;
    answers.isOpen = false;
    calls['revision'] = 0;
    for (const name of ['a', 'b', 'c']) expect((await cached.get(keyOf(name)))?.key.name).toBe(name);
    expect(calls['revision']).toBe(1);
    answers.open();
    await until(cached, 'ready');
  });

  it('a list that reads the cache without asking the store does not say that the store is back', async () => {
    const controls = await bench(true, { whenAway: 'serve-stale' });
    const { cached, feed, clock, seen } = controls;
    const at = await cached.revision();
    feed.isOpen = false;
    await create(cached, 'd');
    const late = cached.get(keyOf('d'));
    await turns();
    clock.advance(TIMEOUT_MS);
    expect((await late)?.key.name).toBe('d');
    controls.isAway = true;
    expect((await cached.get(keyOf('a')))?.key.name).toBe('a');
    expect(await cached.list.json?.({ limit: 1, at })).toBeUndefined();
    expect(cached.status().state).toBe('stale');
    expect((await cached.list({ limit: 1, at })).records).toHaveLength(1);
    expect(seen.flatMap((one) => (one.type === 'cache.changed' ? [one.state] : []))).toEqual([
      'filling',
      'ready',
      'stale',
    ]);
    controls.isAway = false;
    expect((await cached.list({ limit: 1, at })).records).toHaveLength(1);
    expect(cached.status().state).toBe('ready');
  });

  it('the feed goes on later where it stopped', async () => {
    const controls = await bench(false);
    const { cached, inner, clock, seen } = controls;
    controls.isAway = true;
    await create(inner, 'd');
    await turns();
    expect(seen.some(({ type }) => type === 'error')).toBe(true);
    controls.isAway = false;
    clock.advance(200);
    await turns();
    expect(cached.status().events).toBe(4);
    expect(controls.calls['list']).toBe(0);
    expect(seen.at(-1)).toMatchObject({ type: 'recovered' });
  });
});

describe('a cache that is being filled', () => {
  it('goes through to the store until it is filled', async () => {
    const clock = fakeClock();
    const inner = memoryStore({ clock });
    const first = await create(inner, 'a');
    const { store, answers, calls } = handled(inner, false);
    answers.isOpen = false;
    const seen: string[] = [];
    const cached = cachedStore(store, { clock, observe: ({ type }) => void seen.push(type) });
    await turns();
    expect(cached.status().state).toBe('filling');
    expect(await cached.get(keyOf('a'))).toEqual(first);
    expect(await names(cached)).toEqual(['a']);
    expect(calls['get']).toBe(1);
    expect(seen).not.toContain('cache.waited');
    // A response of the store says nothing about the cache.
    expect(cached.status().state).toBe('filling');
    answers.open();
    await until(cached, 'ready');
    await cached.get(keyOf('a'));
    expect(calls['get']).toBe(1);
  });

  it('begins again with a new list where the history of the feed has expired', async () => {
    const controls = await bench(false);
    const { cached, inner, clock, calls } = controls;
    controls.expire();
    await create(inner, 'd');
    await until(cached, 'filling');
    expect(cached.status()).toMatchObject({ events: 0, bytes: 0 });
    expect(await names(cached)).toEqual(['a', 'b', 'c', 'd']);
    clock.advance(200);
    await until(cached, 'ready');
    expect(await names(cached)).toEqual(['a', 'b', 'c', 'd']);
    expect(calls['list']).toBe(2);
  });

  it.each([
    ['of 250 events', 600, {}, 250],
    ['of 4 MiB', 160, { note: 'x'.repeat(50_000) }, 83],
  ])(
    'reads pages %s, all of one revision, and what was written meanwhile from the feed',
    async (_, count, more, size) => {
      const inner = memoryStore();
      for (let number = 100; number < 100 + count; number++) await create(inner, `e${number}`, more);
      const at = await inner.revision();
      const queries: ListQuery[] = [];
      const list: EventStore['list'] = async (query) => {
        queries.push(query);
        const page = await inner.list(query);
        if (queries.length === 1) await inner.remove(keyOf('e250'));
        if (queries.length === 1) await create(inner, 'late', more);
        return page;
      };
      const cached = await filled({ ...inner, list: Object.assign(list, {}) });
      expect(queries[0]).toMatchObject({ limit: 100 });
      expect(queries[1]).toMatchObject({ at, after: keyOf('e199'), limit: size });
      expect(queries).toHaveLength(1 + Math.ceil((count - 100) / size));
      const expected = (await inner.list({ limit: 1_000 })).records.map(({ key }) => key.name);
      expect((await cached.list({ limit: 1_000 })).records.map(({ key }) => key.name)).toEqual(expected);
      expect(expected).toContain('late');
      expect(queries).toHaveLength(1 + Math.ceil((count - 100) / size));
      await cached.close();
    },
  );

  it('is used once it has reached the revision that the store had at the end of its list, and not before', async () => {
    const inner = memoryStore();
    await create(inner, 'a');
    const { store, feed } = handled(inner, false);
    const list: EventStore['list'] = async (query) => {
      const page = await inner.list(query);
      for (const name of ['b', 'c']) await create(inner, name);
      return page;
    };
    feed.isOpen = false;
    const cached = cachedStore({ ...store, list: Object.assign(list, {}) }, { clock: fakeClock() });
    for (const state of ['filling', 'filling', 'ready']) {
      await turns();
      expect(cached.status().state).toBe(state);
      feed.letOnePass();
    }
    await cached.close();
  });

  it('is not used before its list is complete, although an earlier list had been and gets its revision late', async () => {
    const inner = memoryStore();
    for (let number = 0; number < 300; number++) await create(inner, `e${number}`);
    const clock = fakeClock();
    const { store, feeds } = driven(inner);
    const late = createGate();
    late.isOpen = false;
    const pages = createGate();
    const list: EventStore['list'] = async (query) => {
      if (query.after !== undefined) await pages.pass();
      return inner.list(query);
    };
    const revision: EventStore['revision'] = (call) => late.pass().then(() => inner.revision(call));
    const cached = cachedStore(
      { ...store, list: Object.assign(list, {}), revision },
      { clock, observe: () => undefined },
    );
    await turns();
    pages.isOpen = false;
    feeds[0]?.fail(storeError('expired', 'the history is gone'));
    await turns();
    clock.advance(200);
    await turns();
    expect(cached.status()).toMatchObject({ state: 'filling', events: 100 });
    late.open();
    await turns();
    expect(cached.status()).toMatchObject({ state: 'filling', events: 100 });
    expect((await cached.list({ limit: 1_000, mayBeStale: true })).records).toHaveLength(300);
    pages.open();
    await until(cached, 'ready');
    await cached.close();
  });

  it('reads the list again after growing pauses while that fails, and reports this once', async () => {
    const clock = fakeClock();
    const controls = handled(memoryStore({ clock }), false);
    const { store, calls } = controls;
    controls.isAway = true;
    const seen: Observation[] = [];
    const cached = cachedStore(store, { clock, observe: (one) => void seen.push(one) });
    for (let seconds = 0; seconds < 60; seconds++) {
      await turns();
      clock.advance(1_000);
    }
    const lists = calls['list'] ?? 0;
    // At first more than one in a second, then one in 2.5 to 5 seconds.
    expect(lists).toBeGreaterThan(10);
    expect(lists).toBeLessThan(30);
    expect(seen.filter(({ type }) => type === 'cache.changed')).toMatchObject([{ state: 'filling' }]);
    controls.isAway = false;
    clock.advance(5_000);
    await until(cached, 'ready');
    await cached.close();
  });

  it('reads nothing more when it is closed meanwhile', async () => {
    const clock = fakeClock();
    const inner = memoryStore({ clock });
    for (let i = 0; i < 2_000; i++) await create(inner, `event-${i}`);
    const { store, calls } = handled(inner, false);
    const cached = cachedStore(store, { clock });
    await turns(3);
    await cached.close();
    const before = calls['list'];
    await turns(50);
    expect(calls['list']).toBe(before);
    expect(cached.status()).toMatchObject({ state: 'closed', events: 0 });
    await expect(inner.ping()).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('a cache with limited memory', () => {
  it('drops its contents where they do not fit, reports that, and tries again after a minute', async () => {
    const clock = fakeClock();
    const inner = memoryStore({ clock });
    for (let i = 0; i < 40; i++) await create(inner, `event-${i}`, { note: 'x'.repeat(50_000) });
    const { store, calls } = handled(inner, false);
    const seen: Observation[] = [];
    const options = { clock, maxBytes: 1_048_576, observe: (one: Observation) => void seen.push(one) };
    const cached = cachedStore(store, options);
    await until(cached, 'full');
    expect(seen.at(-1)).toMatchObject({ type: 'cache.changed', state: 'full', error: { code: 'full' } });
    expect(cached.status()).toMatchObject({ events: 0, bytes: 0 });
    expect(await names(cached)).toHaveLength(40);
    const lists = calls['list'] ?? 0;
    clock.advance(59_999);
    await turns();
    expect(calls['list']).toBe(lists);
    for (let i = 2; i < 40; i++) await cached.remove(keyOf(`event-${i}`));
    clock.advance(1);
    await until(cached, 'ready');
    expect(await names(cached)).toHaveLength(2);
  });

  it('tries again after a pause that grows to one hour, and is short again once it was ready for longer', async () => {
    const clock = fakeClock();
    const inner = memoryStore({ clock });
    const grow = async (): Promise<void> => {
      for (let i = 0; i < 40; i++) await create(inner, `event-${i}`, { note: 'x'.repeat(50_000) });
    };
    await grow();
    const { store, calls } = handled(inner, false);
    const cached = cachedStore(store, { clock, maxBytes: 1_048_576, observe: () => undefined });
    const expectPause = async (seconds: number): Promise<void> => {
      await until(cached, 'full');
      const lists = calls['list'] ?? 0;
      clock.advance(seconds * 1_000 - 1);
      await turns();
      expect(calls['list']).toBe(lists);
      clock.advance(1);
      await turns();
      expect(calls['list']).toBeGreaterThan(lists);
    };
    for (const seconds of [60, 120, 240, 480, 960, 1_920, 3_600]) await expectPause(seconds);
    await until(cached, 'full');
    for (let i = 0; i < 40; i++) await cached.remove(keyOf(`event-${i}`));
    clock.advance(3_600_000);
    await until(cached, 'ready');
    clock.advance(3_600_001);
    await grow();
    await expectPause(60);
    await until(cached, 'full');
    for (let i = 0; i < 40; i++) await cached.remove(keyOf(`event-${i}`));
    clock.advance(120_000);
    await until(cached, 'ready');
    await grow();
    await expectPause(240);
    await cached.close();
  });

  it('drops history before the state, and reads dropped history from the store', async () => {
    const clock = fakeClock();
    const inner = memoryStore({ clock });
    let record = await create(inner, 'a');
    const { store, calls } = handled(inner, false);
    const cached = cachedStore(store, { clock, historyMaxBytes: 100_000, observe: () => undefined });
    await until(cached, 'ready');
    const { revision: at } = record;
    const event = sampleEvent({ name: 'a', note: 'x'.repeat(20_000) });
    for (let i = 0; i < 20; i++) {
      record = await cached.replace(record.key, event, { expiresAt: NEVER, expected: record.revision });
      await turns(3);
    }
    const { floor = 0, state } = cached.status();
    expect(state).toBe('ready');
    expect(floor).toBeGreaterThan(at);
    const before = calls['list'] ?? 0;
    expect((await cached.list({ at, limit: 1 })).records[0]?.revision).toBe(at);
    expect(calls['list']).toBe(before + 1);
    expect(await cached.get(keyOf('a'))).toEqual(record);
  });
});

describe('the feed of a cache', () => {
  const read = async (feed: AsyncIterator<readonly Change[]>, count: number): Promise<number[]> => {
    const revisions: number[] = [];
    while (revisions.length < count) {
      const step = await feed.next();
      if (step.done === true) break;
      revisions.push(...step.value.map(({ revision }) => revision));
    }
    return revisions;
  };

  it('begins in the history of the store, and continues from the cache without a gap', async () => {
    const { cached, inner, calls } = await bench(false);
    const { revision } = await inner.list({ limit: 1 });
    const feed = cached.changes({ after: revision - 2 })[Symbol.asyncIterator]();
    expect(await read(feed, 2)).toEqual([revision - 1, revision]);
    expect(calls['changes']).toBe(1);
    for (const name of ['d', 'e']) await create(cached, name);
    expect(await read(feed, 2)).toEqual([revision + 1, revision + 2]);
    await turns();
    // The feed of the store was left: only that of the cache is open.
    for (const name of ['f', 'g']) await create(cached, name);
    expect(await read(feed, 2)).toEqual([revision + 3, revision + 4]);
    expect(calls['changes']).toBe(1);
  });

  it('continues in the store when the cache is emptied', async () => {
    const controls = await bench(false);
    const { cached, inner } = controls;
    const { revision } = await inner.list({ limit: 1 });
    const feed = cached.changes({ after: revision })[Symbol.asyncIterator]();
    await create(cached, 'd');
    expect(await read(feed, 1)).toEqual([revision + 1]);
    const waiting = read(feed, 1);
    controls.expire();
    await create(inner, 'e');
    await until(cached, 'filling');
    expect(await waiting).toEqual([revision + 2]);
  });
});

describe('a cache over a store whose feed reports progress', () => {
  /** A cache over a store with three events, whose feeds the test drives, and the latest revision. */
  async function drivenBench(): Promise<{
    readonly inner: EventStore;
    readonly cached: CachedStore;
    readonly clock: ReturnType<typeof fakeClock>;
    readonly feeds: readonly DrivenFeed[];
    readonly latest: Revision;
    /** The signals of the cache's requests for the latest revision. */
    readonly signals: readonly (AbortSignal | undefined)[];
  }> {
    const clock = fakeClock();
    const inner = memoryStore({ clock });
    for (const name of ['a', 'b', 'c']) await create(inner, name);
    const { store, feeds } = driven(inner);
    const signals: (AbortSignal | undefined)[] = [];
    const revision: EventStore['revision'] = (call) => {
      signals.push(call?.signal);
      return inner.revision(call);
    };
    const cached = await filled({ ...store, revision }, { clock });
    return { inner, cached, clock, feeds, latest: await inner.revision(), signals };
  }
  const changesAfter = async (store: EventStore, after: Revision, count: number): Promise<readonly Change[]> => {
    const found: Change[] = [];
    for await (const batch of store.changes({ after })) {
      found.push(...batch);
      if (found.length >= count) break;
    }
    return found;
  };

  it('has reached that revision, and its feeds report it once', async () => {
    const { cached, feeds, latest } = await drivenBench();
    const progress: Revision[] = [];
    const onProgress = (revision: Revision): void => void progress.push(revision);
    void cached.changes({ after: latest, onProgress })[Symbol.asyncIterator]().next();
    feeds[0]?.options.onProgress?.(latest + 5);
    expect(cached.status().revision).toBe(latest + 5);
    feeds[0]?.options.onProgress?.(latest + 5);
    feeds[0]?.options.onProgress?.(latest + 4);
    expect(cached.status().revision).toBe(latest + 5);
    expect(progress).toEqual([latest + 5]);
    await cached.close();
  });

  it('a feed that begins after the revision of the cache delivers nothing from before, and no progress', async () => {
    const { inner, cached, feeds, latest } = await drivenBench();
    const progress: Revision[] = [];
    const onProgress = (revision: Revision): void => void progress.push(revision);
    const next = cached
      .changes({ after: latest + 2, onProgress })
      [Symbol.asyncIterator]()
      .next();
    feeds[0]?.options.onProgress?.(latest + 1);
    for (const name of ['d', 'e', 'f']) await create(inner, name);
    feeds[0]?.push(await changesAfter(inner, latest + 1, 2));
    expect((await next).value).toMatchObject([{ revision: latest + 3 }]);
    expect(progress).toEqual([]);
    // That of the cache, which has it all.
    expect(feeds).toHaveLength(1);
    await cached.close();
  });

  it('applies many changes over several turns of the event loop', async () => {
    const { inner, cached, feeds, latest } = await drivenBench();
    for (let i = 0; i < 300; i++) await create(inner, `event-${i}`);
    feeds[0]?.push(await changesAfter(inner, latest, 300));
    const sizes = new Set<number>();
    for (let turn = 0; turn < 20; turn++) {
      sizes.add(cached.status().events);
      await nextTurn();
    }
    expect([...sizes]).toEqual([3, 131, 259, 303]);
    await cached.close();
  });

  it('a feed that has read several changes of the history at once continues after the last of them', async () => {
    const { inner, cached, feeds, latest } = await drivenBench();
    const feed = cached.changes({ after: latest - 3 })[Symbol.asyncIterator]();
    const first = feed.next();
    feeds[1]?.push(await changesAfter(inner, latest - 3, 3));
    expect((await first).value).toHaveLength(3);
    const second = feed.next();
    await create(inner, 'd');
    feeds[0]?.push(await changesAfter(inner, latest, 1));
    expect((await second).value).toMatchObject([{ revision: latest + 1 }]);
    await cached.close();
  });

  it('ignores the progress of a feed that it has left', async () => {
    const { cached, clock, feeds, latest } = await drivenBench();
    feeds[0]?.fail(storeError('expired', 'the history is gone'));
    await until(cached, 'filling');
    clock.advance(200);
    await until(cached, 'ready');
    feeds[0]?.options.onProgress?.(latest + 5);
    expect(cached.status().revision).toBe(latest);
    feeds[1]?.options.onProgress?.(latest + 5);
    expect(cached.status().revision).toBe(latest + 5);
    await cached.close();
  });

  it('opens a feed that ended by itself again where it was, unless the store is closed', async () => {
    const { inner, cached, clock, feeds, latest, signals } = await drivenBench();
    feeds[0]?.end();
    await turns();
    clock.advance(200);
    await turns();
    expect(feeds[1]?.options.after).toBe(latest);
    expect(cached.status()).toMatchObject({ state: 'ready', events: 3 });
    await inner.close();
    feeds[1]?.end();
    await turns();
    clock.advance(60_000);
    await turns();
    expect(feeds).toHaveLength(2);
    await cached.close();
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true, true]);
  });

  it('a feed over the history of the store leaves it as soon as it has reached the cache', async () => {
    const { cached, feeds, latest } = await drivenBench();
    void cached
      .changes({ after: latest - 3 })
      [Symbol.asyncIterator]()
      .next();
    feeds[1]?.options.onProgress?.(latest);
    feeds[0]?.options.onProgress?.(latest);
    expect(feeds[1]?.options.signal?.aborted).toBe(true);
    await cached.close();
  });

  it('goes on with a feed of the store that ended by itself, and ends its requests with the feed', async () => {
    const { cached, feeds, latest, signals } = await drivenBench();
    const feed = cached.changes({ after: latest - 3 })[Symbol.asyncIterator]();
    void feed.next();
    feeds[1]?.end();
    await turns();
    expect(feeds[1]?.asked).toBe(2);
    expect(signals.at(-1)?.aborted).toBe(false);
    await feed.return?.();
    expect(signals.at(-1)?.aborted).toBe(true);
    await cached.close();
  });

  it('a feed over the history of the store reads one batch at a time, and passes on its progress', async () => {
    const { inner, cached, feeds, latest } = await drivenBench();
    const progress: Revision[] = [];
    const onProgress = (revision: Revision): void => void progress.push(revision);
    const feed = cached.changes({ after: latest - 3, onProgress })[Symbol.asyncIterator]();
    const first = feed.next();
    await create(inner, 'd');
    feeds[0]?.push(await changesAfter(inner, latest, 1));
    await turns();
    expect(feeds[1]).toMatchObject({ asked: 1, options: { after: latest - 3 } });
    // Whoever does not want to know gets none.
    void cached
      .changes({ after: latest - 3 })
      [Symbol.asyncIterator]()
      .next();
    feeds[2]?.options.onProgress?.(latest - 2);
    feeds[1]?.options.onProgress?.(latest - 3);
    expect(progress).toEqual([]);
    feeds[1]?.options.onProgress?.(latest - 2);
    expect(progress).toEqual([latest - 2]);
    feeds[1]?.push(await changesAfter(inner, latest - 2, 2).then((changes) => changes.slice(0, 1)));
    expect((await first).value).toMatchObject([{ revision: latest - 1 }]);
    const second = feed.next();
    feeds[1]?.options.onProgress?.(latest);
    // Here the cache has the rest.
    await create(inner, 'e');
    feeds[0]?.push(await changesAfter(inner, latest + 1, 1));
    expect((await second).value).toMatchObject([{ revision: latest + 1 }, { revision: latest + 2 }]);
    expect(feeds[1]?.options.signal?.aborted).toBe(true);
    feeds[1]?.options.onProgress?.(latest + 50);
    expect(progress).toEqual([latest - 2, latest]);
    const third = feed.next();
    await create(inner, 'f');
    feeds[0]?.push(await changesAfter(inner, latest + 2, 1));
    expect((await third).value).toMatchObject([{ revision: latest + 3 }]);
    await cached.close();
  });
});

describe('the history of a cache', () => {
  it('is shared with the ring of a hub, which holds the same event objects as reads return', async () => {
    const { cached } = await bench(false);
    const { revision } = await create(cached, 'd');
    const hub = createWatchHub({ store: cached, clock: systemClock });
    const watcher = watch(hub, { after: revision - 1 });
    const { value } = await watcher.next();
    const [entry] = value?.entries ?? [];
    expect(entry?.change.record.event).toBe((await cached.get(keyOf('d')))?.event);
    hub.close();
  });
});

describe('cachedStore', () => {
  it('has the clock of its store, if that has one', async () => {
    const cached = cachedStore({ ...memoryStore(), now: async () => 5 });
    expect(await cached.now?.()).toBe(5);
    await cached.close();
    const without = cachedStore(memoryStore());
    expect(without).not.toHaveProperty('now');
    await without.close();
  });

  it('names every fault of its arguments', () => {
    expect(() => cachedStore({} as EventStore)).toThrow(
      new TypeError('cachedStore: store must be an EventStore, for example memoryStore()'),
    );
    const wrong = { maxBytes: 5, whenAway: 'stale', freshnessTimeoutMs: 0 } as unknown as CachedStoreOptions;
    expect(() => cachedStore(memoryStore(), wrong)).toThrow(
      "cachedStore: maxBytes must be a whole number of at least 1048576; freshnessTimeoutMs must be a number from 1 to 60000; whenAway must be 'fail' or 'serve-stale'",
    );
  });
});

describe('a cache over a store whose requestProgress fails', () => {
  it('becomes ready after the freshness timeout', async () => {
    const clock = fakeClock();
    const inner = memoryStore({ clock });
    await create(inner, 'a');
    const list = Object.assign(async (...query: Parameters<EventStore['list']>) => {
      const page = await inner.list(...query);
      // The cache is behind as soon as it is filled.
      await create(inner, 'b');
      return page;
    }, {});
    const changes: EventStore['changes'] = ({ signal }) => ({
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('left')))),
      }),
    });
    const store: EventStore = {
      ...inner,
      list,
      changes,
      requestProgress: () => {
        throw new Error('no permission');
      },
    };
    const cached = cachedStore(store, { clock, freshnessTimeoutMs: 1_000 });
    await turns();
    expect(cached.status().state).toBe('filling');
    clock.advance(1_000);
    await until(cached, 'ready');
    await cached.close();
  });
});
