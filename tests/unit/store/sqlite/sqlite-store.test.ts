import { describe, expect, test } from 'vitest';
import type { Change, ListPage, ListQuery, Position } from '../../../../src/store/contract/event-store.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import { nextTurn } from '../../../../src/clock/clock.js';
import { failureOf, type Requests, type Responses } from '../../../../src/store/sqlite/protocol.js';
import { createSqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';
import type { WorkerHost } from '../../../../src/store/sqlite/worker-host.js';
import { fakeClock, type FakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';
import { heapGrowth } from '../../../collect-garbage.js';
import { createBench, START } from './sync-store-bench.js';
import { inThreadHost, inThreadStore } from './in-thread.js';

const { driver, newPath } = await createBench();
const later = { expiresAt: START + 3_600_000_000 };
const key = (name: string): { namespace: string; name: string } => ({ namespace: 'default', name });

function tracked<T>(promise: Promise<T>): { readonly promise: Promise<T>; done(): boolean } {
  let done = false;
  const mark = (): void => {
    done = true;
  };
  void promise.then(mark, mark);
  return { promise, done: () => done };
}

/** Advances the clock once what is under way waits for it, and lets that continue. */
async function advance(clock: FakeClock, ms: number): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  clock.advance(ms);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
}

describe('the store', () => {
  test('sends simultaneous writes in messages of twenty, so that they overlap, and reads in one', async () => {
    const options = { path: newPath(), clock: fakeClock({ now: START }) };
    const host = inThreadHost(driver, options);
    const kinds: string[] = [];
    const counted: WorkerHost = {
      ...host,
      send(kind, body) {
        kinds.push(kind);
        return host.send(kind, body);
      },
    };
    const store = createSqliteStore(options, counted);
    await Promise.all(Array.from({ length: 50 }, (_, i) => store.create(key(`event-${i}`), sampleEvent(), later)));
    await Promise.all(Array.from({ length: 50 }, (_, i) => store.get(key(`event-${i}`))));
    expect(kinds).toEqual(['write', 'write', 'write', 'read']);
    await store.close();
  });

  test.each([
    ['by key', {}],
    ['newest first', { order: 'newest-first' }],
    ['with terms', { terms: [{ field: 'reason', value: 'Sampling' }] }],
  ] as const)('ends a page after a MiB of events: %s', async (_title, query) => {
    const store = inThreadStore(driver, { path: newPath(), clock: fakeClock({ now: START }) });
    const sizes = [1, 1, 1_500_000, 400_000, 400_000, 400_000, 1];
    for (const [i, size] of sizes.entries()) {
      await store.create(key(`event-${i}`), sampleEvent({ note: 'x'.repeat(size) }), later);
    }
    const lengths: number[] = [];
    for (let after: Position | undefined; ;) {
      const page: ListPage = await store.list({ ...query, limit: 500, after });
      lengths.push(page.records.length);
      after = page.next;
      if (after === undefined) break;
    }
    expect(lengths.length).toBeGreaterThan(2);
    expect(lengths.reduce((sum, length) => sum + length)).toBe(sizes.length);
    await store.close();
  });

  test('keeps nothing else of the texts and buffers that a change was made of', async () => {
    const clock = fakeClock({ now: START });
    const store = inThreadStore(driver, { path: newPath(), clock, startAt: 1 });
    const feed = store.changes({ after: await store.revision() })[Symbol.asyncIterator]();
    const changes: Change[] = [];
    const grown = await heapGrowth(async () => {
      for (let i = 0; i < 9; i++) {
        const slice = (text: string): string => `${text}-${i}${'x'.repeat(2_000_000)}`.slice(0, text.length + 2);
        const event = sampleEvent();
        const fields = { ...event.fields, reason: slice('a-reason-that-is-long') };
        const labels = { app: slice('a-label-that-is-long') };
        const next = feed.next();
        await store.create(key(slice('a-name-that-is-long')), { ...event, fields, labels }, later);
        changes.push(...((await next).value as readonly Change[]));
      }
    });
    expect(changes).toHaveLength(9);
    expect(grown).toBeLessThan(18_000_000);
    for (const { record } of changes) expect(record.event.bytes.buffer.byteLength).toBe(record.event.bytes.length);
    await feed.return?.();
    await store.close();
  });

  test('reads a long list in slices of one revision, and handles other calls in between', async () => {
    const options = { path: newPath(), clock: fakeClock({ now: START }), startAt: 1 };
    const host = inThreadHost(driver, options);
    let reads = 0;
    const store = createSqliteStore(options, {
      ...host,
      send(kind, body) {
        if (kind === 'read') reads++;
        return host.send(kind, body);
      },
    });
    const name = (i: number): string => `event-${String(i).padStart(3, '0')}`;
    await Promise.all(Array.from({ length: 300 }, (_, i) => store.create(key(name(i)), sampleEvent(), later)));
    const { promise: list, done } = tracked(store.list({ limit: 290, order: 'key' }));
    const lists = [list, store.list({ limit: 5, order: 'newest-first' })];
    await store.get(key(name(7)));
    expect(done()).toBe(false);
    await store.remove(key(name(150)));
    const [page, newest] = await Promise.all(lists);
    expect(page?.records.map((record) => record.key.name)).toEqual(Array.from({ length: 290 }, (_, i) => name(i)));
    expect(page).toMatchObject({ revision: 301, next: key(name(289)), remaining: 10 });
    expect(newest?.records.map((record) => record.key.name)).toEqual([299, 298, 297, 296, 295].map(name));
    expect(reads).toBeGreaterThanOrEqual(4);
    await store.close();
  });

  test('sends one search at a time, and one list of the past, however few events they ask for', async () => {
    const options = { path: newPath(), clock: fakeClock({ now: START }), startAt: 1 };
    const host = inThreadHost(driver, options);
    const sizes: number[] = [];
    const store = createSqliteStore(options, {
      ...host,
      send(kind, body) {
        if (kind === 'read') sizes.push((body as Requests['read']).length);
        return host.send(kind, body);
      },
    });
    const { revision: at } = await store.create(key('a'), sampleEvent(), later);
    const list = (more: Partial<ListQuery>): Promise<ListPage> => store.list({ limit: 1, ...more });
    await Promise.all([list({}), list({})]);
    const terms = [{ field: 'reason', value: 'Sampling' }];
    await Promise.all([list({ terms }), list({ terms }), list({ at }), list({ at })]);
    expect(sizes).toEqual([2, 1, 1, 1, 1]);
    await store.close();
  });

  test('ends a page where the history that the next slice needs was dropped by a write in between', async () => {
    const options = { path: newPath(), clock: fakeClock({ now: START }), startAt: 1, historyMs: 0 };
    const host = inThreadHost(driver, options);
    let between: (() => Promise<unknown>) | undefined;
    const store = createSqliteStore(options, {
      ...host,
      async send(kind, body) {
        const response = await host.send(kind, body);
        if (kind === 'read') await between?.();
        return response;
      },
    });
    const name = (i: number): string => `event-${String(i).padStart(3, '0')}`;
    await Promise.all(Array.from({ length: 300 }, (_, i) => store.create(key(name(i)), sampleEvent(), later)));
    between = () => {
      between = undefined;
      return store.remove(key(name(299)));
    };
    const page = await store.list({ limit: 290 });
    expect(page.records.map((record) => record.key.name)).toEqual(Array.from({ length: 128 }, (_, i) => name(i)));
    expect(page).toMatchObject({ revision: 301, next: key(name(127)), remaining: 172 });
    const { revision: at, next: after } = page;
    await expect(store.list({ limit: 290, at, after })).rejects.toMatchObject({ code: 'expired' });
    expect((await store.list({ limit: 290, after })).records).toHaveLength(171);
    await store.close();
  });

  test('passes changes to watchers without reading them again, and reads where it must', async () => {
    const options = { path: newPath(), clock: fakeClock({ now: START }), startAt: 1 };
    const host = inThreadHost(driver, options);
    let reads = 0;
    const store = createSqliteStore(options, {
      ...host,
      send(kind, body) {
        if (kind === 'read') reads++;
        return host.send(kind, body);
      },
    });
    const feed = store.changes({ after: 1 })[Symbol.asyncIterator]();
    const first = feed.next();
    await store.create(key('a'), sampleEvent({ note: 'first' }), later);
    expect((await first).value).toMatchObject([{ type: 'put', key: key('a'), revision: 2 }]);
    const idle = feed.next();
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    const before = reads;
    const results = await Promise.allSettled(
      ['b', 'a', 'c'].map((name) => store.create(key(name), sampleEvent({ note: name }), later)),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const changes = (await idle).value as readonly Change[];
    expect(changes.map((change) => [change.key.name, change.revision])).toEqual([['b', 3], ['c', 4]]); // prettier-ignore
    expect(changes.map(({ record }) => Buffer.from(record.event.bytes))).toEqual(
      ['b', 'c'].map((note) => Buffer.from(sampleEvent({ note }).bytes)),
    );
    await store.replace(key('a'), sampleEvent({ note: 'second' }), { ...later, expected: 2 });
    await store.remove(key('b'));
    const more: Change[] = [];
    while (more.length < 2) more.push(...((await feed.next()).value as Change[]));
    expect(more).toMatchObject([
      { type: 'put', key: key('a'), revision: 5, previous: { key: key('a'), revision: 2, ...later } },
      { type: 'delete', key: key('b'), revision: 6, record: { revision: 6 }, previous: { revision: 3, ...later } },
    ]);
    // A watch cache need not find the hints again.
    expect(more[0]?.record.event.hints).toEqual(sampleEvent({ note: 'second' }).hints);
    const notes = [more[0]?.record, more[0]?.previous, more[1]?.record, more[1]?.previous];
    expect(notes.map((record) => Buffer.from(record?.event.bytes ?? []))).toEqual(
      ['second', 'first', 'b', 'b'].map((note) => Buffer.from(sampleEvent({ note }).bytes)),
    );
    expect(reads).toBe(before);
    await store.expire({ now: later.expiresAt, limit: 1 });
    expect((await feed.next()).value).toMatchObject([{ type: 'delete', key: key('c'), revision: 7 }]);
    expect(reads).toBeGreaterThan(before);
    await store.close();
  });

  test.each(['unknown-outcome', 'unavailable'] as const)(
    'reads history where a write of a batch that happened is %s',
    async (code) => {
      const options = { path: newPath(), clock: fakeClock({ now: START }), startAt: 1 };
      const host = inThreadHost(driver, options);
      const store = createSqliteStore(options, {
        ...host,
        async send(kind, body) {
          const answer = await host.send(kind, body);
          if (kind === 'read') return answer;
          const { results, nextDue } = answer as Responses['write'];
          const lost = failureOf(storeError(code, 'the disk has failed'));
          return { results: results.map((result, at) => (at === 1 ? lost : result)), nextDue } as never;
        },
      });
      const feed = store.changes({ after: 1 })[Symbol.asyncIterator]();
      const first = feed.next();
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      const results = await Promise.allSettled(
        ['a', 'b', 'c'].map((name) => store.create(key(name), sampleEvent(), later)),
      );
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      const changes = (await first).value as readonly Change[];
      expect(changes.map((change) => change.key.name)).toEqual(['a', 'b', 'c']);
      await store.close();
    },
  );

  test.each([
    ['nobody reads changes', false],
    ['somebody reads changes', true],
  ])('keeps its copy when the caller changes the given event, and %s', async (_, isRead) => {
    const store = inThreadStore(driver, { path: newPath() });
    const after = await store.revision();
    if (isRead) void store.changes({ after })[Symbol.asyncIterator]().next();
    const event = sampleEvent();
    const bytes = new Uint8Array(event.bytes);
    const given = { ...event, bytes: new Uint8Array(bytes), fields: { ...event.fields } };
    const name = { ...key('a') };
    const creating = store.create(name, given, later);
    given.bytes.fill(0);
    given.fields['reason'] = 'Other';
    name.name = 'other';
    const { key: stored, event: again } = await creating;
    expect([stored, new Uint8Array(again.bytes), again.fields]).toEqual([key('a'), bytes, event.fields]);
    const read = await store.get(key('a'));
    expect(new Uint8Array(read?.event.bytes as Uint8Array)).toEqual(bytes);
    await store.close();
  });

  test('releases a caller whose signal is aborted during the write', async () => {
    const path = newPath();
    const host = inThreadHost(driver, { path });
    let release = (): void => undefined;
    const slow: WorkerHost = {
      ...host,
      async send(kind, body) {
        if (kind === 'write') await new Promise<void>((resolve) => (release = resolve));
        return host.send(kind, body);
      },
    };
    const store = createSqliteStore({ path, clock: fakeClock({ now: START }) }, slow);
    const abort = new AbortController();
    const write = store.create(key('a'), sampleEvent(), { ...later, signal: abort.signal });
    await store.get(key('a'));
    const reason = new Error('gone');
    abort.abort(reason);
    await expect(write).rejects.toBe(reason);
    const closing = store.close();
    release();
    await closing;
    const again = inThreadStore(driver, { path });
    expect((await again.get(key('a')))?.key).toEqual(key('a'));
    await again.close();
  });

  /** A store with the event `a`, whose file another connection has locked. */
  const lockedStore = async () => {
    const clock = fakeClock({ now: START });
    const path = newPath();
    const store = inThreadStore(driver, { path, clock });
    await store.create(key('a'), sampleEvent(), later);
    const other = driver.open(path);
    other.exec('BEGIN IMMEDIATE');
    return { store, clock, other };
  };

  test('repeats a write while another program has locked the file, and reads events in between', async () => {
    const { store, clock, other } = await lockedStore();
    const { promise: written, done } = tracked(store.create(key('b'), sampleEvent(), later));
    for (let i = 0; i < 3; i++) {
      expect((await store.get(key('a')))?.key.name).toBe('a');
      await advance(clock, 50);
      expect(done()).toBe(false);
    }
    other.exec('ROLLBACK');
    await advance(clock, 50);
    expect((await written).key.name).toBe('b');
    other.exec('BEGIN IMMEDIATE');
    const refused = expect(store.create(key('c'), sampleEvent(), later)).rejects.toThrow(
      'another program has locked it',
    );
    await advance(clock, 5000);
    await refused;
    other.close();
    await store.close();
  });

  test('a write that waits behind another one for a lock takes no longer than the first', async () => {
    const { store, clock, other } = await lockedStore();
    const writes = [];
    for (const name of ['b', 'c']) {
      writes.push(tracked(store.create(key(name), sampleEvent(), later)));
      await advance(clock, 20);
    }
    for (let i = 0; i < 11; i++) await advance(clock, 500);
    expect(writes.map(({ done }) => done())).toEqual([true, true]);
    for (const { promise } of writes) await expect(promise).rejects.toThrow('another program has locked it');
    other.close();
    await store.close();
  });

  test('fails a ping shortly before the time of its caller ends, while another program has locked the file', async () => {
    const clock = fakeClock({ now: START });
    const path = newPath();
    const store = inThreadStore(driver, { path, clock });
    const other = driver.open(path);
    other.exec('BEGIN IMMEDIATE');
    const begun = performance.now();
    const refused = expect(store.ping({ withinMs: 200 })).rejects.toMatchObject({ code: 'unavailable' });
    await advance(clock, 160);
    await refused;
    // Each attempt waits for a tenth of a second in the thread of the database.
    expect(performance.now() - begun).toBeLessThan(2500);
    other.exec('ROLLBACK');
    await store.ping({ withinMs: 200 });
    other.close();
    await store.close();
  });

  test('closes without waiting until another program has read the file', async () => {
    const path = newPath();
    const store = inThreadStore(driver, { path, clock: fakeClock({ now: START }) });
    await store.create(key('a'), sampleEvent(), later);
    const other = driver.open(path);
    other.exec('BEGIN');
    other.prepare('SELECT * FROM state').all();
    await store.create(key('b'), sampleEvent(), later);
    const begun = performance.now();
    await store.close();
    expect(performance.now() - begun).toBeLessThan(2500);
    other.close();
  });

  test('completes calls made before it was closed', async () => {
    const path = newPath();
    const store = inThreadStore(driver, { path });
    const write = store.create(key('a'), sampleEvent(), later);
    const closing = store.close();
    await expect(store.create(key('b'), sampleEvent(), later)).rejects.toMatchObject({ code: 'closed' });
    const { revision } = await write;
    await closing;
    const again = inThreadStore(driver, { path });
    expect((await again.get(key('a')))?.revision).toBe(revision);
    await again.close();
  });

  test('drops old history by itself, step by step, when nothing is written', async () => {
    const clock = fakeClock({ now: START });
    const store = inThreadStore(driver, { path: newPath(), clock, historyMs: 1000, startAt: 1 });
    await Promise.all(Array.from({ length: 20 }, (_, i) => store.create(key(`event-${i}`), sampleEvent(), later)));
    await Promise.all(Array.from({ length: 20 }, (_, i) => store.remove(key(`event-${i}`))));
    expect((await store.list({ at: 21, limit: 100 })).records).toHaveLength(20);
    for (let step = 0; step < 5; step++) {
      clock.advance(1001);
      await store.ping();
      await store.ping();
    }
    await expect(store.list({ at: 21, limit: 100 })).rejects.toMatchObject({ code: 'expired', current: 41 });
    await store.close();
  });

  test("passes on the engine's errors, without those of the driver", async () => {
    const failing: WorkerHost = {
      first: undefined,
      latest: undefined,
      send: () => Promise.reject(storeError('unavailable', 'the file is locked')),
      close: () => Promise.resolve(),
    };
    const store = createSqliteStore({ path: newPath() }, failing);
    for (const call of [
      () => store.ping(),
      () => store.revision(),
      () => store.get(key('a')),
      () => store.create(key('a'), sampleEvent(), later),
      () => store.changes({ after: 1 })[Symbol.asyncIterator]().next(),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'unavailable', message: 'the file is locked' });
    }
    await store.close();
  });

  test('refuses invalid arguments', async () => {
    const store = inThreadStore(driver, { path: newPath() });
    await expect(store.create(key('a'), sampleEvent(), { expiresAt: Number.NaN })).rejects.toThrow(TypeError);
    await expect(store.replace(key('a'), sampleEvent(), { ...later, expected: 0.5 })).rejects.toThrow(TypeError);
    await expect(store.list({ limit: 1, order: 'newest-first', after: key('a') })).rejects.toThrow(TypeError);
    await store.close();
  });
});
