import { nextTurn } from '../../../../src/clock/clock.js';
import { cachedStore } from '../../../../src/store/cached/cached-store.js';
import type { CachedStoreOptions } from '../../../../src/store/cached/options.js';
import type { CachedStore, CacheState } from '../../../../src/store/cached/status.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import type { Change, ChangesOptions, EventKey, EventStore } from '../../../../src/store/contract/event-store.js';

/** The same store, as one of several replicas on its data; its `close` leaves the others alone. */
export function asShared(store: EventStore): EventStore {
  return { ...store, capabilities: { ...store.capabilities, shared: true }, close: async () => undefined };
}

export const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await nextTurn();
};

/** Waits until the cache is in a state. */
export async function until(store: CachedStore, state: CacheState): Promise<CachedStore> {
  for (let turn = 0; store.status().state !== state; turn++) {
    if (turn > 5000) throw new Error(`the cache is ${store.status().state}, not ${state}`);
    await nextTurn();
  }
  return store;
}

/** A cache that is filled. */
export function filled(store: EventStore, options: CachedStoreOptions = {}): Promise<CachedStore> {
  return until(cachedStore(store, { observe: () => undefined, ...options }), 'ready');
}

export const keyOf = (name: string, namespace = 'default'): EventKey => ({ namespace, name });

/** A gate that lets callers pass, or makes them wait. */
export interface Gate {
  isOpen: boolean;
  open(): void;
  /** Lets one caller pass. */
  letOnePass(): void;
  pass(): Promise<void>;
}

export function createGate(): Gate {
  let waiting: (() => void)[] = [];
  let passes = 0;
  const gate: Gate = {
    isOpen: true,
    open() {
      gate.isOpen = true;
      for (const go of waiting.splice(0)) go();
    },
    letOnePass() {
      passes += 1;
      waiting.shift()?.();
    },
    async pass() {
      while (!gate.isOpen && passes === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      if (!gate.isOpen) passes -= 1;
    },
  };
  waiting = [];
  return gate;
}

/** A store whose feed and responses a test holds back, counts and breaks. */
export interface Handled {
  readonly store: EventStore;
  /** While it is open, the changes of the feed are delivered. */
  readonly feed: Gate;
  /** While it is open, requests for the latest revision get responses, with the revision at the time of the request. */
  readonly answers: Gate;
  /** How often each operation was called. */
  readonly calls: Record<string, number>;
  /** While true, every call and feed fails. */
  isAway: boolean;
  /** Ends the feeds that are open with `expired`. */
  expire(): void;
}

export function handled(inner: EventStore, shared: boolean): Handled {
  const feed = createGate();
  const answers = createGate();
  const calls: Record<string, number> = {};
  let epoch = 0;
  const away = (): void => {
    if (controls.isAway) throw storeError('unavailable', 'the store is away');
  };
  const counted =
    <Call extends unknown[], Result>(name: string, run: (...call: Call) => Promise<Result>) =>
    async (...call: Call): Promise<Result> => {
      calls[name] = (calls[name] ?? 0) + 1;
      away();
      return run(...call);
    };
  const changes = (options: ChangesOptions): AsyncIterable<readonly Change[]> => ({
    async *[Symbol.asyncIterator]() {
      const began = epoch;
      calls['changes'] = (calls['changes'] ?? 0) + 1;
      const check = (): void => {
        away();
        if (began !== epoch) throw storeError('expired', 'the history is gone');
      };
      for await (const batch of inner.changes(options)) {
        for (const change of batch) {
          await feed.pass();
          if (options.signal?.aborted) return;
          check();
          yield [change];
        }
      }
    },
  });
  const controls: Handled = {
    feed,
    answers,
    calls,
    isAway: false,
    expire: () => void (epoch += 1),
    store: {
      ...inner,
      capabilities: { ...inner.capabilities, shared },
      get: counted('get', (...call: Parameters<EventStore['get']>) => inner.get(...call)),
      list: counted('list', (...call: Parameters<EventStore['list']>) => inner.list(...call)),
      create: counted('create', (...call: Parameters<EventStore['create']>) => inner.create(...call)),
      replace: counted('replace', inner.replace),
      remove: counted('remove', inner.remove),
      expire: counted('expire', inner.expire),
      revision: counted('revision', async (call) => {
        const revision = await inner.revision(call);
        await answers.pass();
        away();
        return revision;
      }),
      ping: counted('ping', inner.ping),
      changes,
    },
  };
  return controls;
}

/** A feed that a cache has opened on its store, and that a test drives. */
export interface DrivenFeed {
  readonly options: ChangesOptions;
  /** How often the next batch was requested. */
  asked: number;
  push(changes: readonly Change[]): void;
  end(): void;
  fail(error: unknown): void;
}

/** The same store with feeds that a test drives, in the order in which they were opened. */
export function driven(inner: EventStore): { readonly store: EventStore; readonly feeds: readonly DrivenFeed[] } {
  const feeds: DrivenFeed[] = [];
  const changes: EventStore['changes'] = (options) => {
    const steps: Promise<IteratorResult<readonly Change[], undefined>>[] = [];
    const waiting: ((step: Promise<IteratorResult<readonly Change[], undefined>>) => void)[] = [];
    const give = (step: Promise<IteratorResult<readonly Change[], undefined>>): void => {
      step.catch(() => undefined);
      const next = waiting.shift();
      if (next === undefined) steps.push(step);
      else next(step);
    };
    const feed: DrivenFeed = {
      options,
      asked: 0,
      push: (value) => give(Promise.resolve({ done: false, value })),
      end: () => give(Promise.resolve({ done: true, value: undefined })),
      fail: (error) => give(Promise.reject(error as Error)),
    };
    options.signal?.addEventListener('abort', feed.end);
    const next = (): Promise<IteratorResult<readonly Change[], undefined>> => {
      feed.asked += 1;
      return steps.shift() ?? new Promise((resolve) => waiting.push(resolve));
    };
    feeds.push(feed);
    return { [Symbol.asyncIterator]: () => ({ next }) };
  };
  return { store: { ...inner, changes }, feeds };
}
