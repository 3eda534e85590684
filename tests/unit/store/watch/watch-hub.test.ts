import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, describe, expect, test } from 'vitest';
import type { Change, EventStore, Revision } from '../../../../src/store/contract/event-store.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import { nextTurn } from '../../../../src/clock/clock.js';
import type { Batch, BatchFrames } from '../../../../src/store/watch/batch.js';
import { createWatchHub, type WatchHub, type WatchHubOptions } from '../../../../src/store/watch/watch-hub.js';
import { fakeClock, type FakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';
import { watch, type Watching } from './watching.js';

const hubs: WatchHub[] = [];
afterEach(() => {
  for (const hub of hubs.splice(0)) hub.close();
});

async function turns(count = 8): Promise<void> {
  for (let i = 0; i < count; i++) await nextTurn();
}

interface Bench {
  readonly clock: FakeClock;
  readonly store: EventStore;
  readonly hub: WatchHub;
  /** Feeds opened on the store, with where they began. */
  readonly feeds: { readonly after: Revision; readonly open: () => boolean }[];
  readonly reported: unknown[];
  write(count: number): Promise<void>;
}

function createBench(
  options: Partial<WatchHubOptions> & { historyMs?: number; wrap?: (store: EventStore) => EventStore } = {},
): Bench {
  const clock = fakeClock();
  const memory = memoryStore({ clock, historyMs: options.historyMs ?? 600_000 });
  const feeds: { after: Revision; open: () => boolean }[] = [];
  const wrapped = options.wrap?.(memory) ?? memory;
  const store: EventStore = {
    ...wrapped,
    changes(call) {
      feeds.push({ after: call.after, open: () => call.signal?.aborted !== true });
      return wrapped.changes(call);
    },
  };
  const reported: unknown[] = [];
  const hub = createWatchHub({
    store,
    clock,
    observe: (observation) => void reported.push(observation),
    ...(options.maxBytes === undefined ? {} : { maxBytes: options.maxBytes }),
    ...(options.catchUpReaders === undefined ? {} : { catchUpReaders: options.catchUpReaders }),
  });
  hubs.push(hub);
  let written = 0;
  return {
    clock,
    store,
    hub,
    feeds,
    reported,
    async write(count) {
      for (let i = 0; i < count; i++) {
        const name = `event-${written++}`;
        await memory.create({ namespace: 'default', name }, sampleEvent({ name }), { expiresAt: clock.now() + 1e9 });
      }
    },
  };
}

/** Reads until `count` changes came. */
async function take(watcher: Watching, count: number): Promise<Change[]> {
  const changes: Change[] = [];
  while (changes.length < count) {
    const result = await watcher.next();
    if (result.done === true) throw new Error(`the watcher ended after ${changes.length} of ${count}`);
    changes.push(...result.value.entries.map(({ change }) => change));
  }
  return changes;
}

const revisions = (changes: readonly Change[]): number[] => changes.map(({ revision }) => revision);
const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

describe('a watch hub', () => {
  test('delivers every change after its revision to every watcher, once, from one feed of the store', async () => {
    const { hub, store, write, feeds } = createBench();
    const start = await store.revision();
    const watchers = range(0, 20).map(() => watch(hub, { after: start }));
    const taken = watchers.map((watcher) => take(watcher, 50));
    await turns();
    await write(50);
    for (const one of taken) expect(revisions(await one)).toEqual(range(start + 1, 50));
    expect(feeds).toHaveLength(1);
    expect(watchers.every(({ position }) => position === start + 50)).toBe(true);
  });

  test('reads the feed in the AsyncLocalStorage context in which it was created, not in that of a watch', async () => {
    const current = new AsyncLocalStorage<string>();
    const found: unknown[] = [];
    const wrap = (store: EventStore): EventStore => ({
      ...store,
      changes(call) {
        found.push(current.getStore());
        return store.changes(call);
      },
    });
    const { hub, store, clock } = current.run('hub', () => createBench({ wrap }));
    const after = await store.revision();
    for (const name of ['first', 'second']) {
      const watcher = current.run(name, () => watch(hub, { after }));
      await turns();
      await watcher.return();
      clock.advance(30_000);
    }
    expect(found).toEqual(['hub', 'hub']);
  });

  test('opens the feed for a watch that begins in the same turn in which the feed before it was stopped', async () => {
    const { hub, store, clock, write } = createBench();
    const after = await store.revision();
    const first = new AbortController();
    watch(hub, { after, signal: first.signal });
    first.abort();
    clock.advance(30_000);
    const watcher = watch(hub, { after });
    const taken = take(watcher, 3);
    await turns();
    await write(3);
    expect(revisions(await taken)).toEqual(range(after + 1, 3));
    await watcher.return();
  });

  test('opens no feed before the first watcher, and closes it soon after the last', async () => {
    const { hub, store, feeds, clock } = createBench();
    expect(feeds).toHaveLength(0);
    const watcher = watch(hub, { after: await store.revision() });
    await turns();
    expect(feeds).toHaveLength(1);
    await watcher.return();
    expect(hub.watchers).toBe(0);
    clock.advance(29_999);
    expect(feeds[0]?.open()).toBe(true);
    clock.advance(1);
    expect(feeds[0]?.open()).toBe(false);
  });

  test('keeps the feed for a watcher that comes in time, and starts it again for a later one', async () => {
    const { hub, store, feeds, clock, write } = createBench();
    const after = await store.revision();
    const first = watch(hub, { after });
    await turns();
    await first.return();
    clock.advance(20_000);
    const second = watch(hub, { after });
    clock.advance(60_000);
    expect(feeds).toHaveLength(1);
    await second.return();
    clock.advance(30_000);
    await write(3);
    const third = watch(hub, { after });
    expect(revisions(await take(third, 3))).toEqual(range(after + 1, 3));
    expect(feeds.filter(({ open }) => open()).length).toBeGreaterThan(0);
  });

  test('keeps the feed when one watcher leaves, however long the others stay', async () => {
    const { hub, store, write, feeds, clock } = createBench();
    const after = await store.revision();
    const [leaving, staying] = [watch(hub, { after }), watch(hub, { after })];
    await turns();
    await leaving.return();
    clock.advance(3_600_000);
    await turns();
    expect(feeds.map(({ open }) => open())).toEqual([true]);
    await write(2);
    expect(revisions(await take(staying, 2))).toEqual(range(after + 1, 2));
    expect(feeds).toHaveLength(1);
  });

  test('has no timer when it is closed, or has never had a watcher that could stay', async () => {
    const inner = fakeClock();
    let timers = 0;
    const clock: FakeClock = { ...inner, setTimer: (...args) => (timers++, inner.setTimer(...args)) };
    const memory = memoryStore({ clock: inner });
    const hub = createWatchHub({ store: memory, clock });
    hubs.push(hub);
    const after = await memory.revision();
    await watch(hub, { after, signal: AbortSignal.abort() }).return();
    expect(timers).toBe(0);
    watch(hub, { after });
    await turns();
    hub.close();
    await turns();
    expect([timers, hub.watchers]).toEqual([0, 0]);
  });

  test('encodes a frame once for all watchers, per representation', async () => {
    const { hub, store, write } = createBench();
    const after = await store.revision();
    const watchers = range(0, 5).map(() => watch(hub, { after }));
    const batches = watchers.map((watcher) => watcher.next());
    await write(1);
    let encoded = 0;
    const frames: Uint8Array[] = [];
    for (const batch of batches) {
      const { value } = await batch;
      const entry = (value as Batch).entries[0];
      for (const form of ['json', 'table']) {
        frames.push(
          entry?.frame(form, 'ADDED', () => new TextEncoder().encode(`${form} ${encoded++}`)) ?? new Uint8Array(),
        );
      }
    }
    expect(encoded).toBe(2);
    expect(new Set(frames).size).toBe(2);
  });

  test('stores frames of one representation contiguously, whatever their type', async () => {
    const { hub, store, write } = createBench();
    const batch = watch(hub, { after: await store.revision() }).next();
    await turns();
    await write(3);
    const { entries } = (await batch).value as Batch;
    const types = ['ADDED', 'MODIFIED', 'DELETED'];
    const made = types.map((type) => entries[0]?.frame('json', type, () => new Uint8Array(10)) as Uint8Array);
    expect(new Set(made).size).toBe(3);
    expect(new Set(made.map(({ buffer }) => buffer)).size).toBe(1);
    expect(made.map(({ byteOffset }) => byteOffset)).toEqual([0, 10, 20]);
  });

  test('gives watchers at the same position the same batch', async () => {
    const { hub, store, write } = createBench();
    const after = await store.revision();
    const batches = range(0, 3).map(() => watch(hub, { after }).next());
    await write(10);
    const [first, ...others] = await Promise.all(batches);
    for (const other of others) expect(other.value).toBe(first?.value);
  });

  test('computes what a batch is for one kind of watcher once', async () => {
    const { hub, store, write } = createBench();
    const batch = watch(hub, { after: await store.revision() }).next();
    await write(1);
    const made: string[] = [];
    const of = (kind: string) => (): BatchFrames => {
      made.push(kind);
      return { chunks: [new TextEncoder().encode(kind)], count: 1, last: false };
    };
    const { value } = await batch;
    const frames = (kind: string): BatchFrames => (value as Batch).frames(kind, of(kind));
    const json = frames('json');
    expect(frames('table')).not.toBe(json);
    expect(frames('json')).toBe(json);
    expect(made).toEqual(['json', 'table']);
  });

  test('shows changes written during a wake-up pass to the watchers that are woken later, batch by batch', async () => {
    const { hub, store, write, clock } = createBench();
    const after = await store.revision();
    const watchers = range(0, 159).map(() => watch(hub, { after }));
    const seen = watchers.map((): Change[] => []);
    let different = 0;
    for (let written = 0; written < 50;) {
      const batches = watchers.map((watcher) => watcher.next());
      let done = false;
      const all = Promise.all(batches).finally(() => (done = true));
      while (!done) {
        if (written++ < 50) await write(1);
        await nextTurn();
        clock.advance(1);
      }
      const values = (await all).map(({ value }) => value as Batch);
      for (let group = 0; group < 160; group += 16) {
        expect(new Set(values.slice(group, group + 16)).size).toBe(1);
      }
      values.forEach((value, i) => seen[i]?.push(...value.entries.map(({ change }) => change)));
      different = Math.max(different, new Set(values).size);
    }
    // A pass of ten batches, and a write in every turn.
    expect(different).toBeGreaterThan(5);
    for (const changes of seen) {
      expect(revisions(changes)).toEqual(range(after + 1, changes.length));
    }
  });

  test('does not wait for a watcher that does not read, which continues at its position', async () => {
    const { hub, store, write } = createBench();
    const after = await store.revision();
    const slow = watch(hub, { after });
    const fast = watch(hub, { after });
    for (let round = 0; round < 10; round++) {
      await write(100);
      expect(await take(fast, 100)).toHaveLength(100);
    }
    expect(slow.position).toBe(after);
    expect(revisions(await take(slow, 1000))).toEqual(range(after + 1, 1000));
  });

  test('bounds the ring: watchers behind it catch up through the history, sharing few readers', async () => {
    const { hub, store, write, feeds } = createBench({ maxBytes: 20_000, catchUpReaders: 2 });
    const after = await store.revision();
    const fast = watch(hub, { after });
    const slow = range(0, 30).map((i) => watch(hub, { after: after + (i % 3) }));
    const fastTaken = take(fast, 3000);
    await write(3000);
    await fastTaken;
    const taken = await Promise.all(slow.map((watcher, i) => take(watcher, 3000 - (i % 3))));
    taken.forEach((changes, i) => expect(revisions(changes)).toEqual(range(after + 1 + (i % 3), 3000 - (i % 3))));
    expect(feeds.length).toBeLessThan(30);
    await turns();
    expect(feeds.filter(({ open }) => open())).toHaveLength(1);
  });

  test('has no more catch-up readers than allowed, however many watchers are behind at different positions', async () => {
    let open = 0;
    let most = 0;
    const wrap = (store: EventStore): EventStore => ({
      ...store,
      changes: async function* (call) {
        open++;
        most = Math.max(most, open);
        try {
          for await (const batch of store.changes(call)) {
            await nextTurn();
            yield batch.slice(0, 1024);
          }
        } finally {
          open--;
        }
      },
    });
    const { hub, store, write } = createBench({ maxBytes: 1, catchUpReaders: 3, wrap });
    const after = await store.revision();
    const first = watch(hub, { after });
    await turns();
    await write(12_000);
    await turns(40);
    const places = range(0, 11).map((i) => i * 1100);
    const taken = await Promise.all(places.map((place) => take(watch(hub, { after: after + place }), 12_000 - place)));
    taken.forEach((changes, i) =>
      expect(revisions(changes)).toEqual(range(after + 1 + (places[i] ?? 0), 12_000 - (places[i] ?? 0))),
    );
    expect(most).toBeLessThanOrEqual(4);
    await first.return();
  });

  test('fails only a watcher that is behind ring and history, with expired', async () => {
    const { hub, store, write, clock } = createBench({ maxBytes: 1, historyMs: 1000 });
    const after = await store.revision();
    const gone = watch(hub, { after });
    const other = watch(hub, { after });
    await write(10);
    await take(other, 10);
    clock.advance(5000);
    await write(20);
    await take(other, 20);
    await expect(gone.next()).rejects.toMatchObject({ code: 'expired' });
    expect((await gone.next()).done).toBe(true);
    expect(hub.watchers).toBe(1);
    await write(1);
    expect(revisions(await take(other, 1))).toEqual([after + 31]);
  });

  test('continues a watcher within the history when one that waits with it fails with expired', async () => {
    let oldest = 0;
    const { hub, store, write, reported } = createBench({
      maxBytes: 1,
      catchUpReaders: 1,
      wrap: (memory) => ({
        ...memory,
        changes: (options) => {
          if (options.after < oldest) throw storeError('expired', 'history begins later');
          return memory.changes(options);
        },
      }),
    });
    const start = await store.revision();
    const first = watch(hub, { after: start });
    await write(20);
    await take(first, 20);
    // The ring is empty, and history begins between the places of these two.
    oldest = start + 5;
    const behind = watch(hub, { after: start + 2 });
    const sound = [start + 5, start + 6, start + 12].map((after) => watch(hub, { after }));
    const failed = expect(behind.next()).rejects.toMatchObject({ code: 'expired' });
    const read = Promise.all(sound.map(async (watcher) => revisions(await take(watcher, 8))));
    await failed;
    expect(await read).toEqual([range(start + 6, 15), range(start + 7, 14), range(start + 13, 8)]);
    expect(hub.watchers).toBe(4);
    expect(reported).toEqual([]);
  });

  test('fails a watch from a revision before the history with expired', async () => {
    const { hub, store } = createBench();
    const watcher = watch(hub, { after: (await store.revision()) - 1 });
    await expect(watcher.next()).rejects.toMatchObject({ code: 'expired' });
    expect(hub.watchers).toBe(0);
  });

  test('waits for a future revision', async () => {
    const { hub, store, write } = createBench();
    const start = await store.revision();
    const watcher = watch(hub, { after: start + 5 });
    const pending = take(watcher, 2);
    await write(5);
    await turns();
    expect(watcher.position).toBe(start + 5);
    await write(2);
    expect(revisions(await pending)).toEqual([start + 6, start + 7]);
  });

  test('neither loses nor repeats a change after a failure of the feed', async () => {
    let broken = false;
    let breakNow: () => void = () => undefined;
    const wrap = (store: EventStore): EventStore => ({
      ...store,
      changes: async function* (call) {
        if (broken) throw storeError('unavailable', 'the engine is away');
        const lost = new AbortController();
        breakNow = () => lost.abort();
        const both = AbortSignal.any([lost.signal, ...(call.signal === undefined ? [] : [call.signal])]);
        for await (const batch of store.changes({ ...call, signal: both })) yield batch;
        if (lost.signal.aborted) throw storeError('unavailable', 'the engine is away');
      },
    });
    const { hub, store, write, clock, reported, feeds } = createBench({ wrap });
    const after = await store.revision();
    const watchers = range(0, 4).map(() => watch(hub, { after }));
    const taken = watchers.map((watcher) => take(watcher, 30));
    await turns();
    await write(10);
    await turns();
    broken = true;
    breakNow();
    await write(10);
    await turns();
    for (let attempt = 0; attempt < 5; attempt++) {
      clock.advance(5000);
      await turns();
    }
    expect(feeds.length).toBe(6);
    expect(reported.length).toBeGreaterThan(0);
    broken = false;
    clock.advance(5000);
    await turns();
    await write(10);
    for (const one of taken) expect(revisions(await one)).toEqual(range(after + 1, 30));
    expect(hub.watchers).toBe(4);
  });

  test.each([1, 2, 1_000])('shows no change twice if a feed begins %i changes early', async (early) => {
    let interrupt: ((error: Error) => void) | undefined;
    const { hub, store, write, clock } = createBench({
      wrap: (memory) => ({
        ...memory,
        async *changes(options) {
          const source = memory.changes({ ...options, after: Math.max(first, options.after - early) });
          const feed = source[Symbol.asyncIterator]();
          const failure = new Promise<never>((_, reject) => (interrupt = reject));
          for (;;) {
            const step = await Promise.race([feed.next(), failure]);
            if (step.done) return;
            yield step.value;
          }
        },
      }),
    });
    const first = await store.revision();
    const watcher = watch(hub, { after: first });
    const seen: number[] = [];
    for (let round = 0; round < 3; round++) {
      const next = take(watcher, 2);
      await turns();
      await write(2);
      clock.advance(10);
      seen.push(...revisions(await next));
      interrupt?.(storeError('unavailable', 'away'));
      await turns();
      clock.advance(10_000);
      await turns();
    }
    expect(seen).toEqual(range(first + 1, 6));
    // Nor does one that finds all of it in the ring.
    expect(revisions(await take(watch(hub, { after: first }), 6))).toEqual(range(first + 1, 6));
    // One that begins at the head has nothing to see.
    const late = watch(hub, { after: first + 6 });
    const next = take(late, 1);
    await turns();
    await write(1);
    clock.advance(10);
    expect(revisions(await next)).toEqual([first + 7]);
    expect(revisions(await take(watcher, 1))).toEqual([first + 7]);
  });

  test('fails watchers that cannot continue if history was dropped while the store was unavailable', async () => {
    let away = false;
    const wrap = (store: EventStore): EventStore => ({
      ...store,
      changes: async function* (call) {
        for await (const batch of store.changes(call)) {
          if (away) throw storeError('unavailable', 'the engine is away');
          yield batch;
        }
      },
    });
    const { hub, store, write, clock } = createBench({ wrap, historyMs: 1000 });
    const after = await store.revision();
    const watcher = watch(hub, { after });
    const ahead = watch(hub, { after: after + 100_000 });
    const pending = watcher.next();
    const waiting = ahead.next();
    waiting.catch(() => undefined);
    await turns();
    away = true;
    await write(5);
    await turns();
    clock.advance(4000);
    await write(5);
    away = false;
    const failed = expect(pending).rejects.toMatchObject({ code: 'expired' });
    for (let i = 0; i < 5; i++) {
      clock.advance(5000);
      await turns();
    }
    await failed;
    expect(hub.watchers).toBe(1);
  });

  test('retries a failed catch-up after a pause, whatever joins meanwhile', async () => {
    let attempts = 0;
    let begun = 0;
    const { hub, store, write, clock } = createBench({
      wrap: (memory) => ({
        ...memory,
        changes: (call) => {
          if (call.after >= begun) return memory.changes(call);
          attempts++;
          throw storeError('unavailable', 'the engine is away');
        },
      }),
    });
    const after = await store.revision();
    await write(5);
    begun = await store.revision();
    const watchers = [watch(hub, { after })];
    void watchers[0]?.next();
    await turns(20);
    expect(attempts).toBe(1);
    const later = watch(hub, { after: after + 1 });
    watchers.push(later);
    void later.next();
    await turns(20);
    expect(attempts).toBe(1);
    clock.advance(100);
    await turns(20);
    expect(attempts).toBeGreaterThan(1);
    const second = attempts;
    clock.advance(49);
    await turns(20);
    expect(attempts).toBe(second);
    for (const watcher of watchers) await watcher.return();
  });

  test('ends its request for the revision of the store when it is left meanwhile, and ignores the response', async () => {
    let answer: (() => void) | undefined;
    let request: AbortSignal | undefined;
    const { hub, store, clock, feeds } = createBench({
      wrap: (memory) => ({
        ...memory,
        revision: async (options) => {
          request = options?.signal;
          if (request) await new Promise<void>((resolve) => (answer = resolve));
          return memory.revision();
        },
      }),
    });
    const watcher = watch(hub, { after: await store.revision() });
    await turns();
    await watcher.return();
    expect(request?.aborted).toBe(false);
    clock.advance(30_000);
    expect(request?.aborted).toBe(true);
    answer?.();
    await turns();
    expect(feeds.filter((feed) => feed.open())).toEqual([]);
  });

  test('retries a failed catch-up', async () => {
    let failures = 3;
    const wrap = (store: EventStore): EventStore => ({
      ...store,
      changes: async function* (call) {
        if (call.after < begun && failures-- > 0) throw storeError('unavailable', 'the engine is away');
        yield* store.changes(call);
      },
    });
    let begun = 0;
    const { hub, store, write, clock, reported } = createBench({ wrap });
    const after = await store.revision();
    await write(5);
    begun = await store.revision();
    const pending = take(watch(hub, { after }), 5);
    for (let i = 0; i < 6; i++) {
      await turns();
      clock.advance(5000);
    }
    expect(revisions(await pending)).toEqual(range(after + 1, 5));
    const error = expect.objectContaining({ code: 'unavailable' }) as unknown;
    expect(reported).toEqual([{ type: 'error', error, where: 'watch feed of memory', count: 1 }]);
  });

  test('waits for a store that is unavailable at the start', async () => {
    let failures = 2;
    const wrap = (store: EventStore): EventStore => ({
      ...store,
      revision: (call) =>
        failures-- > 0 ? Promise.reject(storeError('unavailable', 'the engine is away')) : store.revision(call),
    });
    const { hub, store, write, clock } = createBench({ wrap });
    failures = 0;
    const after = await store.revision();
    failures = 2;
    const pending = take(watch(hub, { after }), 1);
    for (let i = 0; i < 3; i++) {
      await turns();
      clock.advance(5000);
    }
    await write(1);
    expect(revisions(await pending)).toEqual([after + 1]);
  });

  test('ends and removes a watcher at once when its signal aborts, waiting or not', async () => {
    const { hub, store, write } = createBench();
    const after = await store.revision();
    const controller = new AbortController();
    const watcher = watch(hub, { after, signal: controller.signal });
    const pending = watcher.next();
    await turns();
    expect(hub.watchers).toBe(1);
    controller.abort();
    expect(hub.watchers).toBe(0);
    expect((await pending).done).toBe(true);
    await write(3);
    expect((await watcher.next()).done).toBe(true);
    const late = watch(hub, { after, signal: controller.signal });
    expect((await late.next()).done).toBe(true);
    expect(hub.watchers).toBe(0);
  });

  test('releases the reader of a watcher that leaves during catch-up', async () => {
    const never = new Promise<never>(() => undefined);
    const wrap = (store: EventStore): EventStore => ({
      ...store,
      changes: (call) =>
        call.after < begun ? { [Symbol.asyncIterator]: () => ({ next: () => never }) } : store.changes(call),
    });
    let begun = 0;
    const { hub, store, write, feeds } = createBench({ wrap });
    const after = await store.revision();
    await write(5);
    begun = await store.revision();
    const controller = new AbortController();
    const watcher = watch(hub, { after, signal: controller.signal });
    const pending = watcher.next();
    await turns();
    expect(feeds.filter(({ open }) => open())).toHaveLength(2);
    controller.abort();
    expect((await pending).done).toBe(true);
    expect(feeds.filter(({ open }) => open())).toHaveLength(1);
  });

  test('ends a waiting loop with return()', async () => {
    const { hub, store } = createBench();
    const watcher = watch(hub, { after: await store.revision() });
    const pending = watcher.next();
    await watcher.return();
    expect((await pending).done).toBe(true);
    expect(hub.watchers).toBe(0);
  });

  test('ends all watchers cleanly with close, and later ones at once', async () => {
    const { hub, store, feeds } = createBench();
    const after = await store.revision();
    const pending = range(0, 3).map(() => watch(hub, { after }).next());
    await turns();
    hub.close();
    hub.close();
    for (const one of pending) expect((await one).done).toBe(true);
    expect(hub.watchers).toBe(0);
    expect(feeds.some(({ open }) => open())).toBe(false);
    expect((await watch(hub, { after }).next()).done).toBe(true);
    expect(feeds).toHaveLength(1);
  });

  test('ends all watchers cleanly when the store is closed', async () => {
    const { hub, store, reported } = createBench();
    const pending = watch(hub, { after: await store.revision() }).next();
    await turns();
    await store.close();
    expect((await pending).done).toBe(true);
    expect(hub.watchers).toBe(0);
    expect(reported).toEqual([]);
  });

  test('allows several concurrent reads on one watcher', async () => {
    const { hub, store, write } = createBench();
    const after = await store.revision();
    const watcher = watch(hub, { after });
    const both = [watcher.next(), watcher.next()];
    await write(1);
    expect(revisions(((await both[0])?.value as Batch).entries.map(({ change }) => change))).toEqual([after + 1]);
    await write(1);
    expect(revisions(((await both[1])?.value as Batch).entries.map(({ change }) => change))).toEqual([after + 2]);
  });

  test('counts encoded frames against the bound of the ring', async () => {
    const { hub, store, write, feeds } = createBench({ maxBytes: 100_000 });
    const after = await store.revision();
    const reader = watch(hub, { after });
    const late = watch(hub, { after });
    const pending = take(reader, 1);
    await turns();
    await write(1);
    await pending;
    await write(10);
    const { value } = await reader.next();
    for (const entry of (value as Batch).entries) entry.frame('json', 'ADDED', () => new Uint8Array(20_000));
    expect(revisions(await take(late, 11))).toEqual(range(after + 1, 11));
    expect(feeds.length).toBe(2);
  });
});
