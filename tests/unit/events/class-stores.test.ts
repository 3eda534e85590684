import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../../src/clock/clock.js';
import { createEvents } from '../../../src/events/create-events.js';
import { cachedStore } from '../../../src/store/cached/cached-store.js';
import type { EventStore } from '../../../src/store/contract/event-store.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';
import { observedStore } from '../../../src/store/observed-store.js';
import { resolveUnknownOutcomes } from '../../../src/store/unknown-outcomes.js';
import { call } from '../../../src/testing/call.js';
import { CALLER, event, namesOf, path, type Json } from './bench.js';

type Call<Name extends keyof EventStore> = Parameters<Extract<EventStore[Name], (...call: never[]) => unknown>>;

/**
 * A store whose functions are methods that need their object. The contract wants functions that can be detached, and
 * the published suite checks that, but nothing in the library depends on it.
 */
class ClassStore implements EventStore {
  readonly #inner = memoryStore();
  asked = 0;

  get name(): string {
    return 'class';
  }
  get capabilities(): EventStore['capabilities'] {
    return this.#inner.capabilities;
  }
  get(...query: Call<'get'>): ReturnType<EventStore['get']> {
    return this.#inner.get(...query);
  }
  list(...query: Call<'list'>): ReturnType<EventStore['list']> {
    return this.#inner.list(...query);
  }
  create(...write: Call<'create'>): ReturnType<EventStore['create']> {
    return this.#inner.create(...write);
  }
  replace(...write: Call<'replace'>): ReturnType<EventStore['replace']> {
    return this.#inner.replace(...write);
  }
  remove(...write: Call<'remove'>): ReturnType<EventStore['remove']> {
    return this.#inner.remove(...write);
  }
  expire(...limit: Call<'expire'>): ReturnType<EventStore['expire']> {
    return this.#inner.expire(...limit);
  }
  changes(...feed: Call<'changes'>): ReturnType<EventStore['changes']> {
    return this.#inner.changes(...feed);
  }
  revision(...query: Call<'revision'>): ReturnType<EventStore['revision']> {
    return this.#inner.revision(...query);
  }
  ping(...query: Call<'ping'>): ReturnType<EventStore['ping']> {
    return this.#inner.ping(...query);
  }
  async now(): Promise<number> {
    this.asked += 1;
    return Date.now() * 1_000;
  }
  requestProgress(): void {
    this.#inner.requestProgress?.();
  }
  close(): Promise<void> {
    return this.#inner.close();
  }
}

class ClassClock implements Clock {
  readonly #offset = 0;

  now(): number {
    return Date.now() * 1_000 + this.#offset;
  }
  monotonic(): number {
    return performance.now() + this.#offset;
  }
  setTimer(callback: () => void, delayMs: number): { cancel(): void } {
    const timer = setTimeout(callback, delayMs + this.#offset);
    return { cancel: () => clearTimeout(timer) };
  }
}

const MERGE = { 'content-type': 'application/merge-patch+json' };

test.each<[string, (store: EventStore) => EventStore]>([
  ['itself', (store) => store],
  ['behind a watch cache', (store) => cachedStore(store)],
  ['observed', (store) => observedStore(store, () => undefined, new ClassClock())],
  ['with unknown outcomes resolved', (store) => resolveUnknownOutcomes(store)],
])('a store and a clock that are written as classes serve every verb: the store %s', async (_, wrap) => {
  for (const observe of [undefined, () => undefined]) {
    const own = new ClassStore();
    const store = wrap(own);
    const clock = new ClassClock();
    const events = createEvents({
      apiDomain: 'example.com',
      store,
      clock,
      authenticate: () => CALLER,
      authorize: () => ({ allowed: true }),
      observe,
    });
    onTestFinished(async () => {
      await events.close();
      await store.close();
    });
    const ask = async (target: string, json?: unknown, headers?: Record<string, string>): Promise<[number, Json]> => {
      const response = await call(events.handle, target, { json, ...(headers && { headers }) });
      return [response.status, await response.json<Json>()];
    };
    expect((await ask(`POST ${path()}`, event('a')))[0]).toBe(201);
    const [status, stored] = await ask(`GET ${path('/a')}`);
    expect(status).toBe(200);
    for (const query of ['', '?limit=1', '?order=newest-first', '?resourceVersion=0']) {
      expect(namesOf((await ask(`GET ${path(query)}`))[1])).toEqual(['a']);
    }
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    expect((await ask(`GET ${path()}`, undefined, { accept }))[1]['kind']).toBe('Table');
    expect((await ask(`PATCH ${path('/a')}`, { metadata: { labels: { x: 'y' } } }, MERGE))[0]).toBe(200);
    expect((await ask(`PUT ${path('/a')}`, stored))[0]).toBe(409);
    const watch = await events.handle({ method: 'GET', url: path('?watch=true') });
    const frames = (watch?.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    expect(new TextDecoder().decode((await frames.next()).value)).toContain('"type":"ADDED"');
    await frames.return?.();
    expect((await ask(`DELETE ${path('/a')}`))[0]).toBe(200);
    await store.ping();
    store.requestProgress?.();
    expect(own.asked).toBeGreaterThan(0);
    expect(await store.now?.()).toBeGreaterThan(0);
  }
});
