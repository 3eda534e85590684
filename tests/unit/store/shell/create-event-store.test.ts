import { describe, expect, test, vi } from 'vitest';
import { nextTurn } from '../../../../src/clock/clock.js';
import type { Change, EventStore, StoreCall } from '../../../../src/store/contract/event-store.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import { LATER } from '../../../../src/store/contract/read-hints.js';
import type { EncodedEvent, EventRecord } from '../../../../src/store/contract/record.js';
import type { FeedOptions } from '../../../../src/store/feeds/paged-feed.js';
import { createEventStore } from '../../../../src/store/shell/create-event-store.js';
import type { StoreEngine } from '../../../../src/store/shell/store-engine.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

const key = { namespace: 'default', name: 'a' };
const event = sampleEvent({ name: 'a' });
const record: EventRecord = { key, revision: 7, event, expiresAt: 1 };
const later = { expiresAt: 4_102_444_800_000_000 };

/** An engine with one result for every call, and a record of the calls. */
function trivialEngine(answer: () => unknown = () => record, more: Partial<StoreEngine> = {}) {
  const asked: string[] = [];
  const given: { event?: EncodedEvent; key?: unknown } = {};
  const opened: FeedOptions[] = [];
  let ended = 0;
  const say = (name: string): never => {
    asked.push(name);
    return answer() as never;
  };
  const engine: StoreEngine = {
    name: 'trivial',
    capabilities: { durable: false, shared: false, newestFirst: true, remaining: false, maxEventBytes: 10_000 },
    get: () => say('get'),
    list: () => say('list'),
    create(place, content) {
      Object.assign(given, { event: content, key: place });
      return say('create');
    },
    replace: () => say('replace'),
    remove: () => say('remove'),
    expire: () => say('expire'),
    feed(options) {
      opened.push(options);
      return { take: () => answer() as readonly Change[] | undefined, end: () => void (ended += 1) };
    },
    revision: () => say('revision'),
    ping: () => say('ping'),
    now: () => say('now'),
    ...more,
  };
  return { engine, asked, given, opened, ended: () => ended };
}

/** Every operation of a store, with a call of it. */
const OPERATIONS: readonly (readonly [name: string, (store: EventStore, call: StoreCall) => unknown])[] = [
  ['get', ({ get }, call) => get(key, call)],
  ['list', ({ list }, call) => list({ ...call, limit: 1 })],
  ['create', ({ create }, call) => create(key, event, { ...call, ...later })],
  ['replace', ({ replace }, call) => replace(key, event, { ...call, ...later, expected: 1 })],
  ['remove', ({ remove }, call) => remove(key, call)],
  ['expire', ({ expire }, call) => expire({ ...call, now: 1, limit: 1 })],
  ['revision', ({ revision }, call) => revision(call)],
  ['ping', ({ ping }, call) => ping(call)],
  ['now', ({ now }, call) => now?.(call)],
];

test('ping tells the engine how long its caller waits', async () => {
  let waits: number | undefined;
  const ping: StoreEngine['ping'] = (call) => void (waits = call?.withinMs);
  await createEventStore(trivialEngine(undefined, { ping }).engine).ping({ withinMs: 500 });
  expect(waits).toBe(500);
});

describe.each(OPERATIONS)('%s', (name, run) => {
  test('returns the result of the engine, with a promise or without one', async () => {
    for (const answer of [() => record, async () => record]) {
      const { engine, asked } = trivialEngine(answer);
      expect(await run(createEventStore(engine), {})).toBe(record);
      expect(asked).toEqual([name]);
    }
  });

  test('waits for a thenable of the engine, which is read once, until it has ended or the signal is aborted', async () => {
    let asked = 0;
    let answer = (_: unknown): void => undefined;
    const steps: string[] = [];
    const thenable = {
      then(resolve: (value: unknown) => void): void {
        asked += 1;
        answer = resolve;
      },
    };
    const { engine } = trivialEngine(() => thenable, { close: () => void steps.push('closed') });
    const store = createEventStore(engine);
    const abort = new AbortController();
    const left = run(store, { signal: abort.signal });
    await nextTurn();
    abort.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    const closing = store.close();
    await nextTurn();
    expect([asked, steps]).toEqual([1, []]);
    answer(record);
    await closing;
    expect(steps).toEqual(['closed']);

    const other = run(createEventStore(engine), {});
    await nextTurn();
    answer(record);
    expect([await other, asked]).toEqual([record, 2]);
  });

  test('fails with closed after close(), without calling the engine', async () => {
    const { engine, asked } = trivialEngine();
    const store = createEventStore(engine);
    await store.close();
    await expect(run(store, {})).rejects.toMatchObject({ code: 'closed', message: 'the store trivial is closed' });
    expect(asked).toEqual([]);
  });

  test('fails with the reason of a signal that is aborted before, without calling the engine', async () => {
    const { engine, asked } = trivialEngine();
    const reason = new Error('gone');
    await expect(run(createEventStore(engine), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(asked).toEqual([]);
  });

  test('fails with the reason of a signal that is aborted meanwhile, and close() waits for what is still running', async () => {
    let answer = (_: unknown): void => undefined;
    const { engine } = trivialEngine(() => new Promise((resolve) => (answer = resolve)));
    const store = createEventStore(engine);
    const abort = new AbortController();
    const reason = new Error('gone');
    const running = run(store, { signal: abort.signal });
    abort.abort(reason);
    await expect(running).rejects.toBe(reason);
    let closed = false;
    const closing = store.close().then(() => (closed = true));
    await nextTurn();
    expect(closed).toBe(false);
    answer(record);
    await closing;
  });

  test('passes on what the engine throws', async () => {
    for (const error of [storeError('conflict', 'another revision'), new TypeError('a mistake'), new Error('a bug')]) {
      const { engine } = trivialEngine(() => {
        throw error;
      });
      await expect(Promise.resolve(run(createEventStore(engine), {}))).rejects.toBe(error);
      const store = createEventStore(trivialEngine(() => Promise.reject(error)).engine);
      await expect(run(store, { signal: new AbortController().signal })).rejects.toBe(error);
    }
  });

  test('waits until the engine is open, and is released by its signal and by close()', async () => {
    let open = (): void => undefined;
    const opening = { open: () => new Promise<void>((resolve) => (open = resolve)) };
    const { engine, asked } = trivialEngine(undefined, opening);
    const store = createEventStore(engine);
    const abort = new AbortController();
    const left = run(store, { signal: abort.signal });
    const running = run(store, {});
    abort.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(asked).toEqual([]);
    open();
    expect(await running).toBe(record);

    const other = createEventStore(trivialEngine(undefined, opening).engine);
    const waiting = run(other, {});
    const closing = other.close();
    await expect(waiting).rejects.toMatchObject({ code: 'closed' });
    await closing;
  });
});

describe('a call', () => {
  const mistakes: readonly (readonly [what: string, (store: EventStore) => Promise<unknown>])[] = [
    ['a limit of zero', ({ list }) => list({ limit: 0 })],
    ['half a limit', ({ list }) => list({ limit: 0.5 })],
    [
      'newest-first after a position without a revision',
      ({ list }) => list({ limit: 1, order: 'newest-first', after: key }),
    ],
    ['no moment of expiry', ({ create }) => create(key, event, { expiresAt: Number.NaN })],
    [
      'a feed from nowhere',
      ({ changes }) =>
        changes({ after: undefined as never })
          [Symbol.asyncIterator]()
          .next(),
    ],
    ['a feed from no number', ({ changes }) => changes({ after: Number.NaN })[Symbol.asyncIterator]().next()],
    ['a part of a microsecond', ({ create }) => create(key, event, { expiresAt: 0.5 })],
    ['an expiry that never comes', ({ create }) => create(key, event, { expiresAt: Infinity })],
    ['no expected revision', ({ replace }) => replace(key, event, { ...later, expected: 0.5 })],
    ['half a limit of expiry', ({ expire }) => expire({ now: 1, limit: 1.5 })],
    ['no limit of expiry', ({ expire }) => expire({ now: 1 } as never)],
    ['no moment of expiry', ({ expire }) => expire({ now: Number.NaN, limit: 1 })],
    ['no key', ({ get }) => get(undefined as never)],
    ['a text for a key', ({ remove }) => remove('default/a' as never)],
    ['a name that is no text', ({ create }) => create({ namespace: 'default', name: 5 } as never, event, later)],
  ];
  test.each(mistakes)('with %s is a TypeError that says so', async (_, run) => {
    const { engine, asked } = trivialEngine();
    const failure: unknown = await run(createEventStore(engine)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TypeError);
    expect(String(failure)).toMatch(/ must (?:be|have) /);
    expect(asked).toEqual([]);
  });

  test('for an order that the store does not have is a TypeError that says so', async () => {
    const { engine, asked } = trivialEngine();
    const store = createEventStore({ ...engine, capabilities: { ...engine.capabilities, newestFirst: false } });
    const refused = new TypeError('list: order must be key, the only one of this store');
    await expect(store.list({ limit: 1, order: 'newest-first' })).rejects.toEqual(refused);
    expect(asked).toEqual([]);
    await store.list({ limit: 1, order: 'key' });
    expect(asked).toEqual(['list']);
  });

  test('with an event of more bytes than the capabilities allow is too-large, and one with as many is not', async () => {
    const { engine, asked } = trivialEngine();
    const store = createEventStore(engine);
    const sized = (length: number): EncodedEvent => ({ ...event, bytes: new Uint8Array(length) });
    await store.create(key, sized(10_000), later);
    for (const run of [
      () => store.create(key, sized(10_001), later),
      () => store.replace(key, sized(10_001), { ...later, expected: 1 }),
    ]) {
      await expect(run()).rejects.toMatchObject({
        code: 'too-large',
        message: 'the event has 10001 bytes, the limit is 10000',
      });
    }
    expect(asked).toEqual(['create']);
  });

  test('copies its key and event, unless the engine does that', async () => {
    const own = trivialEngine(undefined, { copies: true });
    await createEventStore(own.engine).create(key, event, later);
    expect([own.given.event, own.given.key]).toEqual([event, key]);
    expect(own.given.event).toBe(event);
    const waiting = trivialEngine(undefined, { copies: true, open: () => Promise.resolve() });
    for (const { engine, given } of [trivialEngine(), waiting]) {
      const labels: Record<string, string> = { app: 'web' };
      const made = { ...event, bytes: event.bytes.slice(), labels };
      const place = { ...key };
      const created = createEventStore(engine).create(place, made, later);
      made.bytes.fill(0);
      labels['app'] = 'other';
      place.name = 'b';
      await created;
      expect(given.event).toEqual({ ...event, labels: { app: 'web' } });
      expect(given.key).toEqual(key);
    }
  });

  test('with a key that is no well-formed text writes nothing and finds nothing', async () => {
    for (const more of [{}, { copies: true }]) {
      const { engine, asked } = trivialEngine(undefined, more);
      const store = createEventStore(engine);
      for (const odd of [
        { namespace: 'default', name: 'a\ud83d' },
        { namespace: '\ude00', name: 'a' },
      ]) {
        await expect(store.create(odd, event, later)).rejects.toMatchObject({
          code: 'invalid-key',
          message: 'the key has a lone surrogate',
        });
        await expect(store.replace(odd, event, { ...later, expected: 1 })).rejects.toMatchObject({
          code: 'invalid-key',
        });
        await expect(store.remove(odd)).rejects.toMatchObject({ code: 'not-found' });
        expect(await store.get(odd)).toBeUndefined();
      }
      expect(asked).toEqual([]);
    }
  });

  test('of expire() with a limit below one removes nothing', async () => {
    const { engine, asked } = trivialEngine();
    expect(await createEventStore(engine).expire({ now: 1, limit: 0 })).toBe(0);
    expect(asked).toEqual([]);
  });
});

describe('an engine without promises', () => {
  test('has get.sync, create.sync and replace.sync, which check what the others check', async () => {
    const { engine } = trivialEngine(undefined, { synchronous: true });
    const store = createEventStore(engine);
    expect(store.get.sync?.(key)).toBe(record);
    expect(store.create.sync?.(key, event, later)).toBe(record);
    expect(store.replace.sync?.(key, event, { ...later, expected: 1 })).toBe(record);
    expect(() => store.get.sync?.(key, { signal: AbortSignal.abort(new Error('gone')) })).toThrow('gone');
    expect(() => store.create.sync?.(key, event, { expiresAt: Number.NaN })).toThrow(TypeError);
    expect(() => store.replace.sync?.(key, event, { ...later, expected: Number.NaN })).toThrow(TypeError);
    await store.close();
    expect(() => store.get.sync?.(key)).toThrow('closed');
    expect(() => store.create.sync?.(key, event, later)).toThrow('closed');
    expect(() => store.replace.sync?.(key, event, { ...later, expected: 1 })).toThrow('closed');
  });

  test('does not read the signal of a call with aborted: false', async () => {
    const store = createEventStore(trivialEngine(undefined, { synchronous: true }).engine);
    const call = {
      aborted: false,
      get signal(): AbortSignal {
        throw new Error('the signal was made');
      },
    };
    expect(store.get.sync?.(key, call)).toBe(record);
    expect(store.create.sync?.(key, event, Object.assign(call, later))).toBe(record);
  });
});

describe('what an engine need not have', () => {
  test('get.sync is there for an engine that can read at once sometimes, unless it has to be opened', async () => {
    let found: EventRecord | typeof LATER = record;
    const getSync: StoreEngine['getSync'] = () => found;
    const store = createEventStore(trivialEngine(undefined, { getSync }).engine);
    expect(store.get.sync?.(key)).toBe(record);
    found = LATER;
    expect(store.get.sync?.(key)).toBe(LATER);
    expect([store.create.sync, store.replace.sync]).toEqual([undefined, undefined]);
    await store.close();
    expect(() => store.get.sync?.(key)).toThrow('closed');
    const open = (): Promise<void> => Promise.resolve();
    for (const more of [{}, { getSync, open }]) {
      expect(createEventStore(trivialEngine(undefined, more).engine).get).not.toHaveProperty('sync');
    }
  });

  test('list.json checks what list checks, and needs no promise', async () => {
    const page = { pieces: [], revision: 7 };
    const store = createEventStore(trivialEngine(undefined, { json: () => page }).engine);
    expect(store.list.json?.({ limit: 1 })).toBe(page);
    expect(() => store.list.json?.({ limit: 0 })).toThrow('list: limit must be a whole number of at least 1');
    await store.close();
    expect(() => store.list.json?.({ limit: 1 })).toThrow('closed');
    expect(createEventStore(trivialEngine().engine).list).not.toHaveProperty('json');
  });

  test('requestProgress is that of the engine until the store is closed', async () => {
    const requestProgress = vi.fn();
    const store = createEventStore(trivialEngine(undefined, { requestProgress }).engine);
    store.requestProgress?.();
    expect(requestProgress).toHaveBeenCalledOnce();
    await store.close();
    store.requestProgress?.();
    expect(requestProgress).toHaveBeenCalledOnce();
    expect(createEventStore(trivialEngine().engine)).not.toHaveProperty('requestProgress');
  });
});

test('a store has the capabilities of its engine as they were at first', () => {
  const { engine } = trivialEngine();
  const { capabilities } = createEventStore(engine);
  expect(capabilities).toEqual(engine.capabilities);
  expect(capabilities).not.toBe(engine.capabilities);
});

test('a call without options waits until the engine is open', async () => {
  const { engine } = trivialEngine(async () => record, { open: nextTurn });
  expect(await createEventStore(engine).get(key)).toBe(record);
});

describe('a feed', () => {
  const batch: readonly Change[] = [{ type: 'put', key, revision: 7, record }];
  const next = (store: EventStore, signal?: AbortSignal): Promise<IteratorResult<readonly Change[]>> =>
    store.changes({ after: 1, signal })[Symbol.asyncIterator]().next();

  test('gives what the engine has, and waits to be woken', async () => {
    const log: (readonly Change[])[] = [];
    const { engine, opened } = trivialEngine(() => log.shift());
    const pending = next(createEventStore(engine));
    expect(opened.map(({ after }) => after)).toEqual([1]);
    await nextTurn();
    log.push(batch);
    opened[0]?.wake();
    expect((await pending).value).toBe(batch);
  });

  test('ends with its signal, with close() and when its reader leaves, and is ended in the engine once', async () => {
    const { engine, ended } = trivialEngine(() => undefined);
    const store = createEventStore(engine);
    const abort = new AbortController();
    const aborted = next(store, abort.signal);
    abort.abort();
    expect([(await aborted).done, ended()]).toEqual([true, 1]);
    const reader = store.changes({ after: 1 })[Symbol.asyncIterator]();
    const left = reader.next();
    await reader.return?.();
    expect([(await left).done, ended()]).toEqual([true, 2]);
    const closed = next(store);
    await store.close();
    expect([(await closed).done, ended()]).toEqual([true, 3]);
    await expect(next(store)).rejects.toMatchObject({ code: 'closed' });
  });

  test('with an aborted signal ends at once, and is not opened', async () => {
    const { engine, opened } = trivialEngine(() => batch);
    expect((await next(createEventStore(engine), AbortSignal.abort())).done).toBe(true);
    expect(opened).toEqual([]);
  });

  test('fails with what the engine fails with, once, and is over', async () => {
    for (const thrown of [storeError('expired', 'too old'), new Error('a bug')]) {
      const { engine, ended } = trivialEngine(() => {
        throw thrown;
      });
      const reader = createEventStore(engine).changes({ after: 1 })[Symbol.asyncIterator]();
      await expect(reader.next()).rejects.toBe(thrown);
      expect([(await reader.next()).done, ended()]).toEqual([true, 1]);
    }
  });

  test('that the engine refuses to open fails, and leaves no listener', async () => {
    const error = storeError('expired', 'too old');
    const { engine } = trivialEngine(undefined, {
      feed() {
        throw error;
      },
    });
    const { signal } = new AbortController();
    const left = vi.spyOn(signal, 'removeEventListener');
    const reader = createEventStore(engine).changes({ after: 1, signal })[Symbol.asyncIterator]();
    await expect(reader.next()).rejects.toBe(error);
    expect(left).toHaveBeenCalledOnce();
  });

  test('ends for its reader, and close() ends the others, even if the engine fails to end it', async () => {
    const closed = vi.fn();
    const { engine } = trivialEngine(undefined, {
      close: closed,
      feed: () => ({
        take: () => undefined,
        end() {
          throw new Error('a bug');
        },
      }),
    });
    const store = createEventStore(engine);
    const abort = new AbortController();
    const aborted = next(store, abort.signal);
    const others = [next(store), next(store)];
    abort.abort();
    expect((await aborted).done).toBe(true);
    await store.close();
    expect((await Promise.all(others)).map(({ done }) => done)).toEqual([true, true]);
    expect(closed).toHaveBeenCalledOnce();
  });

  test('waits for an engine that is being opened, and fails where that fails', async () => {
    const clock = fakeClock();
    let attempts = 0;
    const { engine, opened } = trivialEngine(() => batch, {
      reopening: { clock },
      async open() {
        if (++attempts === 1) throw new Error('nobody there');
      },
    });
    const store = createEventStore(engine);
    await expect(next(store)).rejects.toMatchObject({ code: 'unavailable', message: 'nobody there' });
    clock.advance(100);
    expect((await next(store)).value).toBe(batch);
    expect(opened).toHaveLength(1);
  });

  test('that ends while the engine is being opened is not opened later', async () => {
    let open = (): void => undefined;
    const { engine, opened } = trivialEngine(() => batch, { open: () => new Promise((resolve) => (open = resolve)) });
    const abort = new AbortController();
    const pending = next(createEventStore(engine), abort.signal);
    abort.abort();
    expect((await pending).done).toBe(true);
    open();
    await nextTurn();
    expect(opened).toEqual([]);
  });
});

test('close() stops the engine, waits for calls, frees it, and may be called twice', async () => {
  const steps: string[] = [];
  let answer = (): void => undefined;
  const { engine } = trivialEngine(() => new Promise<void>((resolve) => (answer = resolve)), {
    stop: () => void steps.push('stop'),
    close: () => void steps.push('close'),
  });
  const store = createEventStore(engine);
  const running = store.ping();
  const closing = store.close();
  expect(store.close()).toBe(closing);
  await nextTurn();
  expect(steps).toEqual(['stop']);
  answer();
  await running;
  await closing;
  expect(steps).toEqual(['stop', 'close']);
  await createEventStore(trivialEngine().engine).close();
});

test('close() closes an engine that fails to stop, and passes its error on', async () => {
  const closed = vi.fn();
  const { engine } = trivialEngine(undefined, {
    stop() {
      throw new Error('stuck');
    },
    close: closed,
  });
  await expect(createEventStore(engine).close()).rejects.toThrow('stuck');
  expect(closed).toHaveBeenCalledOnce();
});

test('an engine without a name, with wrong capabilities or without its functions is one TypeError', () => {
  const { engine } = trivialEngine();
  const capabilities = { ...engine.capabilities, shared: 1, newestFirst: undefined, maxEventBytes: '5', durabel: true };
  const made = (more: object) => () => createEventStore({ ...engine, ...more } as never);
  expect(made({ name: '', capabilities })).toThrow(
    new TypeError(
      'createEventStore: engine.name must be a non-empty string; engine.capabilities.shared must be true or false; ' +
        'engine.capabilities.newestFirst must be true or false; ' +
        'engine.capabilities.maxEventBytes must be a number above 0, or Infinity; ' +
        'there is no option "engine.capabilities.durabel" (did you mean "engine.capabilities.durable"?)',
    ),
  );
  expect(made({ capabilities: undefined })).toThrow('engine.capabilities must be an object');
  expect(made({ get: undefined })).toThrow(new TypeError('createEventStore: engine must be a StoreEngine'));
});
