import { describe, expect, test, vi } from 'vitest';
import type { Position } from '../../../../src/store/contract/event-store.js';
import type { EventRecord } from '../../../../src/store/contract/record.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import { nextTurn } from '../../../../src/clock/clock.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

const later = { expiresAt: 4_102_444_800_000_000 };
const keyOf = (name: string) => ({ namespace: 'default', name });

describe('memoryStore', () => {
  test('starts from the clock in microseconds, and everything before is expired', async () => {
    const clock = fakeClock({ now: 1_700_000_000_123_456 });
    const store = memoryStore({ clock });
    expect(await store.revision()).toBe(1_700_000_000_123_456);
    const { revision } = await store.create(keyOf('a'), sampleEvent(), later);
    expect(revision).toBe(1_700_000_000_123_457);
    await expect(store.list({ at: 1_700_000_000_123_455, limit: 1 })).rejects.toMatchObject({
      code: 'expired',
      current: 1_700_000_000_123_456,
    });
  });

  test('starts from the clock at its first use: while modules are evaluated it may stand at 0', async () => {
    const clock = fakeClock({ now: 0 });
    const store = memoryStore({ clock });
    clock.setNow(1_700_000_000_123_456);
    expect(await store.revision()).toBe(1_700_000_000_123_456);
  });

  test('starts above a given revision when the clock stands lower, and above zero always', async () => {
    expect(await memoryStore({ clock: fakeClock({ now: 10 }), startAbove: 500 }).revision()).toBe(500);
    expect(await memoryStore({ clock: fakeClock({ now: 1000 }), startAbove: 500 }).revision()).toBe(1000);
    expect(await memoryStore({ clock: fakeClock({ now: -5 }) }).revision()).toBe(1);
  });

  test.each([
    { historyMs: 0 },
    { historyMaxBytes: 0 },
    { historyMaxBytes: 0, maxEvents: 1, whenFull: 'evict-oldest' },
  ] as const)('lets feeds that keep up read every change that its history has no room for: %j', async (options) => {
    const store = memoryStore(options);
    const after = await store.revision();
    const seen: number[] = [];
    let written = after;
    const reading = (async () => {
      for await (const changes of store.changes({ after })) {
        seen.push(...changes.map(({ revision }) => revision));
        // A reader that writes: its changes are read in the turn after.
        if (seen.length < 40)
          written = (await store.create(keyOf(`again-${seen.length}`), sampleEvent(), later)).revision;
      }
    })();
    for (let turn = 0; turn < 10; turn++) {
      for (let i = 0; i < 6; i++) written = (await store.create(keyOf(`${turn}-${i}`), sampleEvent(), later)).revision;
      await nextTurn();
    }
    await vi.waitFor(() => expect(seen.at(-1)).toBe(written));
    expect(seen).toEqual(Array.from({ length: written - after }, (_, index) => after + 1 + index));
    const floor = async (): Promise<unknown> =>
      (store.changes({ after })[Symbol.asyncIterator]().next() as Promise<unknown>).catch((error: unknown) => error);
    await vi.waitFor(async () => expect(await floor()).toMatchObject({ code: 'expired', current: written }));
    await store.close();
    await reading;
  });

  test('lists events that share a value in key order, and only those that match every term', async () => {
    const store = memoryStore();
    const named = (name: string, reason: string) => {
      const sample = sampleEvent();
      return { ...sample, fields: { ...sample.fields, 'regarding.name': name, reason } };
    };
    const put = async (namespace: string, name: string, reason = 'Pulled') =>
      store.create({ namespace, name }, named('web', reason), later);
    const { revision: expected } = await put('b', 'a');
    await put('b', 'c');
    const terms = [{ field: 'regarding.name', value: 'web' }];
    const list = async (more: object) =>
      (await store.list({ terms, limit: 10, ...more })).records.map(({ key }) => `${key.namespace}/${key.name}`);
    expect(await list({ namespace: 'b' })).toEqual(['b/a', 'b/c']);
    expect(await list({ namespace: 'a' })).toEqual([]);
    await put('c', 'a', 'Failed');
    expect(await list({ namespace: 'b' })).toEqual(['b/a', 'b/c']);
    expect(await list({ namespace: 'b', after: { namespace: 'b', name: 'a' } })).toEqual(['b/c']);
    expect(await list({})).toEqual(['b/a', 'b/c', 'c/a']);
    await put('a', 'z');
    await store.replace({ namespace: 'b', name: 'a' }, named('web', 'Failed'), { ...later, expected });
    expect(await list({})).toEqual(['a/z', 'b/a', 'b/c', 'c/a']);
    expect(await list({ namespace: 'b' })).toEqual(['b/a', 'b/c']);
    expect(await list({ terms: [...terms, { field: 'reason', value: 'Failed' }] })).toEqual(['b/a', 'c/a']);
  });

  test('drops old history on a timer when nothing is written', async () => {
    const clock = fakeClock();
    const store = memoryStore({ clock, historyMs: 1000 });
    const at = await store.revision();
    for (let i = 0; i < 100; i++) await store.create(keyOf(`event-${i}`), sampleEvent(), later);
    clock.advance(999);
    expect((await store.list({ at, limit: 1 })).records).toEqual([]);
    clock.advance(1);
    await expect(store.list({ at, limit: 1 })).rejects.toMatchObject({ code: 'expired' });
    expect((await store.list({ limit: 1000 })).records).toHaveLength(100);
  });

  test('drops younger history when it costs too much', async () => {
    const clock = fakeClock();
    const store = memoryStore({ clock, historyMaxBytes: 50_000 });
    const start = await store.revision();
    let record: EventRecord = await store.create(keyOf('a'), sampleEvent(), later);
    for (let i = 0; i < 200; i++) {
      const event = sampleEvent({ note: 'x'.repeat(1000) });
      record = await store.replace(keyOf('a'), event, { ...later, expected: record.revision });
    }
    await expect(store.list({ at: start, limit: 1 })).rejects.toMatchObject({ code: 'expired' });
    expect((await store.list({ at: record.revision - 10, limit: 1 })).records).toHaveLength(1);
  });

  test('fails a reader of the feed that is too slow with expired, and no other', async () => {
    const clock = fakeClock();
    const store = memoryStore({ clock, historyMs: 1000 });
    const after = await store.revision();
    const slow = store.changes({ after })[Symbol.asyncIterator]();
    const fast = store.changes({ after })[Symbol.asyncIterator]();
    for (let round = 0; round < 5; round++) {
      await store.create(keyOf(`event-${round}`), sampleEvent(), later);
      await fast.next();
      await nextTurn();
      clock.advance(1000);
    }
    await expect(slow.next()).rejects.toMatchObject({ code: 'expired' });
    await store.create(keyOf('last'), sampleEvent(), later);
    expect((await fast.next()).value).toMatchObject([{ key: keyOf('last') }]);
  });

  test('wakes a reader once for many writes in one turn of the event loop', async () => {
    const store = memoryStore({ clock: fakeClock() });
    const feed = store.changes({ after: await store.revision() })[Symbol.asyncIterator]();
    const first = feed.next();
    for (let i = 0; i < 50; i++) await store.create(keyOf(`event-${i}`), sampleEvent(), later);
    expect((await first).value).toHaveLength(50);
  });

  test('returns short pages, which together are complete, for a search without an index', async () => {
    const store = memoryStore({ clock: fakeClock() });
    for (let i = 0; i < 9000; i++) {
      const rare = i % 3000 === 1;
      const event = sampleEvent({ note: 'x' });
      await store.create(
        keyOf(`event-${i}`),
        { ...event, fields: { ...event.fields, reason: rare ? 'Rare' : 'Usual' } },
        later,
      );
    }
    for (const terms of [
      [{ field: 'reason', value: 'Rare' }],
      [
        { field: 'reason', value: 'Rare' },
        { field: 'regarding.name', value: 'pod-1' },
      ],
    ]) {
      for (const order of ['key', 'newest-first'] as const) {
        const names: string[] = [];
        let pages = 0;
        let page = await store.list({ terms, order, limit: 10 });
        for (; ; page = await store.list({ terms, order, limit: 10, at: page.revision, after: page.next })) {
          names.push(...page.records.map(({ key }) => key.name));
          pages++;
          if (page.next === undefined) break;
        }
        expect(names.sort()).toEqual(['event-1', 'event-3001', 'event-6001']);
        expect(pages).toBe(3);
      }
    }
  });

  test('leaves out remaining when too much has happened since the snapshot', async () => {
    const store = memoryStore({ clock: fakeClock() });
    for (const name of ['a', 'b', 'c']) await store.create(keyOf(name), sampleEvent(), later);
    const { revision: at, next: after } = await store.list({ limit: 1 });
    for (let i = 0; i < 20_001; i++) await store.create(keyOf(`x-${i}`), sampleEvent(), later);
    const page = await store.list({ at, after, limit: 1 });
    expect(page.next).toEqual(keyOf('b'));
    expect(page.remaining).toBeUndefined();
  });

  test('lists newest first at a revision that many changes have followed', async () => {
    const store = memoryStore({ clock: fakeClock() });
    const names = Array.from({ length: 3000 }, (_, index) => `x-${index}`);
    const write = async (name: string): Promise<void> => {
      const expected = (await store.get(keyOf(name)))?.revision;
      if (expected === undefined) await store.create(keyOf(name), sampleEvent(), later);
      else await store.replace(keyOf(name), sampleEvent(), { ...later, expected });
    };
    for (const name of names) await write(name);
    const at = await store.revision();
    const query = { at, order: 'newest-first', limit: 1000 } as const;
    const seen: string[] = [];
    for (let after: Position | undefined; ;) {
      const page = await store.list({ ...query, after });
      seen.push(...page.records.map(({ key, revision }) => (revision <= at ? key.name : 'too new')));
      after = page.next;
      if (after === undefined) break;
      // More than is gone through in one turn, during the walk as well.
      for (const name of names.slice(300)) await write(name);
    }
    expect(seen).toEqual(names.reverse());
  });

  test('lists newest first at more earlier revisions at once than are cached', async () => {
    const store = memoryStore();
    const revisions: number[] = [];
    for (let i = 0; i < 40; i++) revisions.push((await store.create(keyOf(`n-${i}`), sampleEvent(), later)).revision);
    for (let i = 0; i < 10_000; i++) {
      const key = keyOf(`n-${i % 40}`);
      const { revision: expected } = (await store.get(key))!;
      await store.replace(key, sampleEvent(), { ...later, expected });
    }
    const lists = await Promise.all(revisions.map((at) => store.list({ at, order: 'newest-first', limit: 100 })));
    lists.forEach(({ records }, i) => {
      expect(records.map(({ revision }) => revision)).toEqual(revisions.slice(0, i + 1).reverse());
    });
  });

  test('ends a list newest first at an earlier revision with its signal, and when it is closed', async () => {
    const store = memoryStore();
    const { revision: at } = await store.create(keyOf('a'), sampleEvent(), later);
    for (let i = 0; i < 10_000; i++) await store.create(keyOf(`n-${i}`), sampleEvent(), later);
    const controller = new AbortController();
    const aborted = store.list({ at, order: 'newest-first', limit: 1, signal: controller.signal });
    const cut = store.list({ at: at + 1, order: 'newest-first', limit: 1 });
    controller.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    await store.close();
    await expect(cut).rejects.toMatchObject({ code: 'closed', message: 'the store memory is closed' });
  });

  test('returns frozen records', async () => {
    const store = memoryStore({ clock: fakeClock() });
    const record = await store.create(keyOf('a'), sampleEvent({ labels: { app: 'web' } }), later);
    for (const part of [record, record.key, record.event, record.event.fields, record.event.labels]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  test('has no timer left when it is closed', async () => {
    let timers = 0;
    const clock = fakeClock();
    const counting = {
      ...clock,
      setTimer: (callback: () => void, delayMs: number) => {
        timers++;
        const timer = clock.setTimer(callback, delayMs);
        return { cancel: () => (timers--, timer.cancel()) };
      },
    };
    const store = memoryStore({ clock: counting });
    await store.create(keyOf('a'), sampleEvent(), later);
    expect(timers).toBe(1);
    await store.close();
    expect(timers).toBe(0);
  });

  test('stops expire() after a millisecond, and continues with the next call', async () => {
    const clock = fakeClock();
    let elapsed = 0;
    const store = memoryStore({ clock: { ...clock, monotonic: () => (elapsed += 0.1) } });
    for (let i = 0; i < 200; i++) await store.create(keyOf(`event-${i}`), sampleEvent(), { expiresAt: 5 });
    const counts: number[] = [];
    for (let count = 1; count > 0; counts.push(count)) count = await store.expire({ now: 5, limit: 1000 });
    expect(counts.length).toBeGreaterThan(3);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(200);
    await nextTurn();
  });

  test('expires up to the limit of a call, however many events are due, as long as there is time', async () => {
    const store = memoryStore({ clock: fakeClock() });
    for (let i = 0; i < 100; i++) await store.create(keyOf(`event-${i}`), sampleEvent(), { expiresAt: 5 });
    const counts: number[] = [];
    for (let count = 1; count > 0; counts.push(count)) count = await store.expire({ now: 5, limit: 30 });
    expect(counts).toEqual([30, 30, 30, 10, 0]);
  });

  test('reports all invalid options together', () => {
    const bad = {
      historyMs: -1,
      historyMaxBytes: 0.5,
      listCacheMaxBytes: -1,
      maxEventBytes: 0,
      startAbove: -2,
      name: '',
    };
    expect(() => memoryStore(bad)).toThrow(
      /historyMs.*historyMaxBytes.*listCacheMaxBytes.*maxEventBytes.*startAbove.*name/,
    );
  });

  test('allows events as large as a quarter of maxBytes, and no larger', () => {
    expect(() => memoryStore({ maxBytes: 1_048_576, maxEventBytes: 262_144 })).not.toThrow();
    expect(() => memoryStore({ maxBytes: 1_048_576, maxEventBytes: 262_145 })).toThrow(
      new TypeError('memoryStore: maxEventBytes must be at most a quarter of maxBytes'),
    );
  });

  test('refuses an expiry that is not a number with a TypeError, and writes nothing', async () => {
    const store = memoryStore({ clock: fakeClock() });
    await expect(store.create(keyOf('a'), sampleEvent(), { expiresAt: Number.NaN })).rejects.toThrow(TypeError);
    expect(await store.get(keyOf('a'))).toBeUndefined();
  });
});
