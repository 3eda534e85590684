import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../../src/clock/clock.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';
import { event, openedWatch, path, plainEncoder, settled, bench, verbBench, type OpenedWatch } from '../bench.js';

/** A fake clock that counts the timers that wait. */
function countingClock(): { readonly clock: Clock; advance(ms: number): void; pending(): number } {
  const inner = fakeClock();
  const waiting = new Set<object>();
  return {
    pending: () => waiting.size,
    advance: inner.advance,
    clock: {
      now: inner.now,
      monotonic: inner.monotonic,
      setTimer(callback, delayMs) {
        const mark = {};
        waiting.add(mark);
        const timer = inner.setTimer(() => {
          waiting.delete(mark);
          callback();
        }, delayMs);
        return {
          cancel() {
            waiting.delete(mark);
            timer.cancel();
          },
        };
      },
    },
  };
}

type Verbs = ReturnType<typeof verbBench>;

/** A watch whose own timers, and listeners at the client's signal, are counted. */
function counted(query: string): {
  readonly bench: Verbs;
  readonly open: (encoder?: typeof plainEncoder) => OpenedWatch;
  readonly client: AbortController;
  readonly timers: ReturnType<typeof countingClock>;
  readonly listeners: () => number;
} {
  const bench = verbBench();
  const timers = countingClock();
  const client = new AbortController();
  const watched: Verbs = {
    ...bench,
    call(target, signal) {
      const call = bench.call(target, signal);
      return { ...call, dependencies: { ...call.dependencies, clock: timers.clock } };
    },
  };
  return {
    bench,
    client,
    timers,
    open: (encoder = plainEncoder) => openedWatch(watched, query, { signal: client.signal, encoder }),
    listeners: () => getEventListeners(client.signal, 'abort').length,
  };
}

const BOOKMARKS = '&allowWatchBookmarks=true';

/** One of each that begins: from a revision, with initial events, with a time of its own. */
const QUERIES = [
  BOOKMARKS,
  `${BOOKMARKS}&timeoutSeconds=5`,
  `${BOOKMARKS}&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`,
];

describe.each(QUERIES)('a watch with %s leaves no timer and no listener behind', (query) => {
  /** Opens it and reads until it waits for what happens. */
  const waiting = async (
    which = counted(query),
  ): Promise<ReturnType<typeof counted> & { watch: OpenedWatch; end: Promise<unknown> }> => {
    const watch = which.open();
    let end = watch.next();
    await settled();
    if (!query.includes('sendInitialEvents=false')) {
      // The bookmark that ends the initial events.
      expect((await end)?.map(({ type }) => type)).toEqual(['BOOKMARK']);
      end = watch.next();
      await settled();
    }
    // Its time and its bookmarks.
    expect(which.timers.pending()).toBe(2);
    expect(which.listeners()).toBe(1);
    return { ...which, watch, end };
  };

  test('when the client disconnects', async () => {
    const { client, end, timers, listeners, bench } = await waiting();
    client.abort();
    expect(await end).toBeUndefined();
    expect([timers.pending(), listeners(), bench.hub.watchers]).toEqual([0, 0, 0]);
  });

  test('when the client disconnects while the store is called for its beginning', async () => {
    const { open, client, timers, listeners } = counted(query);
    const end = open().next();
    client.abort();
    expect(await end).toBeUndefined();
    await settled();
    expect([timers.pending(), listeners()]).toEqual([0, 0]);
  });

  test('when the consumer leaves', async () => {
    const { watch, end, timers, listeners, bench } = await waiting();
    await watch.iterator.return?.();
    expect(await end).toBeUndefined();
    expect([timers.pending(), listeners(), bench.hub.watchers]).toEqual([0, 0, 0]);
  });

  test('when its time is up', async () => {
    const { end, timers, listeners, bench } = await waiting();
    timers.advance(2 * 3_600_000);
    await settled();
    expect(await end).toBeUndefined();
    expect([timers.pending(), listeners(), bench.hub.watchers]).toEqual([0, 0, 0]);
  });

  test('when the service closes', async () => {
    const { end, timers, listeners, bench } = await waiting();
    bench.hub.close();
    expect(await end).toBeUndefined();
    expect([timers.pending(), listeners()]).toEqual([0, 0]);
  });

  test('when nothing was ever read', () => {
    const { open, client, timers, listeners } = counted(query);
    open();
    expect([timers.pending(), listeners()]).toEqual([1, 1]);
    client.abort();
    expect([timers.pending(), listeners()]).toEqual([0, 0]);
  });

  test('when it has ended before it begins', () => {
    const { open, client, timers, listeners } = counted(query);
    client.abort();
    open();
    expect([timers.pending(), listeners()]).toEqual([0, 0]);
  });

  test('when it fails', async () => {
    const { bench, open, timers, listeners } = counted(query);
    const watch = open({
      ...plainEncoder,
      encode: (type, json) => {
        if (type === 'ADDED') throw new RangeError('cannot be encoded');
        return plainEncoder.encode(type, json);
      },
    });
    let next = watch.next();
    await settled();
    if (!query.includes('sendInitialEvents=false')) {
      await next;
      next = watch.next();
      await settled();
    }
    const rejected = expect(next).rejects.toThrow('cannot be encoded');
    await bench.store.create({ namespace: 'default', name: 'a' }, sampleEvent({ name: 'a' }), { expiresAt: 9e15 });
    await rejected;
    expect([timers.pending(), listeners(), bench.hub.watchers]).toEqual([0, 0, 0]);
  });
});

test('a watch counts a large chunk only until the next one is read', async () => {
  const { create, events, revision, observed } = bench({ limits: { bytes: 1, bytesPerCaller: 1 } });
  const url = path(`?watch=true&resourceVersion=${await revision()}`);
  const response = await events.handle({ method: 'GET', url, headers: {} });
  const watch = (response?.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  for (const name of ['a', 'b', 'c']) {
    const chunk = watch.next();
    await create(name, {}, { annotations: { text: 'x'.repeat(100_000) } });
    expect((await chunk).value).toHaveProperty(
      'length',
      expect.toSatisfy((length: number) => length > 100_000),
    );
  }
  await watch.return?.();
  expect(observed.at(-1)).toMatchObject({ type: 'watch.ended', reason: 'aborted', frames: 3 });
});

test('a watch whose time is up leaves the hub although its client does not read', async () => {
  const { bench, open, timers } = counted('&timeoutSeconds=5');
  const watch = open();
  const first = watch.next();
  await bench.store.create({ namespace: 'default', name: 'a' }, sampleEvent({ name: 'a' }), { expiresAt: 9e15 });
  expect(await first).toHaveLength(1);
  expect(bench.hub.watchers).toBe(1);
  timers.advance(5_000);
  expect([timers.pending(), bench.hub.watchers]).toEqual([0, 0]);
  expect(await watch.next()).toBeUndefined();
});

test('an API whose watches have ended has no further timers or listeners', async () => {
  const timers = countingClock();
  const { ask, json } = bench({ clock: timers.clock });
  const before = timers.pending();
  for (let round = 0; round < 3; round++) {
    const client = new AbortController();
    const watch = await ask(`GET ${path()}?watch=1${BOOKMARKS}`, { signal: client.signal });
    const text = watch.text();
    await json(`POST ${path()}`, event(`a${round}`));
    await settled();
    expect(timers.pending()).toBeGreaterThan(before);
    client.abort();
    await text;
  }
  // The feed goes on for 30 s, in case another watcher comes.
  timers.advance(31_000);
  await settled();
  expect(timers.pending()).toBe(before);
});
