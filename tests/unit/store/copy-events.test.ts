import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { nextTurn } from '../../../src/clock/clock.js';
import type { EventStore } from '../../../src/store/contract/event-store.js';
import { copyEvents, type CopyProgress } from '../../../src/store/copy-events.js';
import { storeError } from '../../../src/store/contract/errors.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';
import type { EventRecord } from '../../../src/store/contract/record.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';

const clock = fakeClock();
const LATER = clock.now() + 3_600_000_000;

function newStore(options: { readonly maxEventBytes?: number; readonly startAt?: number } = {}): EventStore {
  const store = memoryStore({ clock, ...options });
  onTestFinished(() => store.close());
  return store;
}

async function put(
  store: EventStore,
  name: string,
  more: { note?: string; namespace?: string } = {},
  expiresAt = LATER,
) {
  const { note = 'a note', namespace = 'default' } = more;
  return store.create({ namespace, name }, sampleEvent({ name, namespace, uid: `uid-${name}`, note }), { expiresAt });
}

async function contents(store: EventStore): Promise<readonly unknown[]> {
  const { records } = await store.list({ limit: 10_000 });
  return records.map(({ key, event, expiresAt }: EventRecord) => [key, Buffer.from(event.bytes).toString(), expiresAt]);
}

/** Moves the clock on until the promise is settled. */
async function whileTimePasses<T>(promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = (): void => void (settled = true);
  promise.then(done, done);
  while (!settled) {
    for (let turn = 0; turn < 4; turn++) await nextTurn();
    if (!settled) clock.advance(500);
  }
  return promise;
}

describe('copyEvents', () => {
  test('copies bytes, keys and expiry; revisions are the new store’s', async () => {
    const [from, to] = [newStore({ startAt: 0 }), newStore({ startAt: 5000 })];
    await put(from, 'a');
    await put(from, 'b', { namespace: 'other', note: 'ü' }, LATER + 7);
    const result = await copyEvents(from, to, { clock });
    expect(result).toEqual({
      ...{ copied: 2, present: 0, overwritten: 0, expired: 0, skipped: [] },
      ...{ revision: await from.revision(), consistent: true },
    });
    expect(await contents(to)).toEqual(await contents(from));
    expect(await to.revision()).toBe(5002);
  });

  test('finds everything in place when it is run again', async () => {
    const [from, to] = [newStore(), newStore()];
    for (const name of ['a', 'b', 'c']) await put(from, name);
    await copyEvents(from, to, { clock });
    const before = await to.revision();
    await put(from, 'd');
    expect(await copyEvents(from, to, { clock })).toMatchObject({ copied: 1, present: 3, skipped: [] });
    expect(await to.revision()).toBe(before + 1);
  });

  test('leaves and lists different events, or replaces them with overwrite', async () => {
    const [from, to] = [newStore(), newStore()];
    await put(from, 'a', { note: 'new' });
    await put(to, 'a', { note: 'old' });
    await put(to, 'only-there');
    const left = await copyEvents(from, to, { clock });
    expect(left).toMatchObject({
      copied: 0,
      skipped: [{ key: { namespace: 'default', name: 'a' }, why: 'different' }],
    });
    expect(String((await contents(to))[0])).toContain('old');
    expect(await copyEvents(from, to, { clock, overwrite: true })).toMatchObject({ overwritten: 1, skipped: [] });
    expect((await contents(to))[0]).toEqual((await contents(from))[0]);
    expect(await contents(to)).toHaveLength(2);
  });

  test('tries an event again that another client changes meanwhile, five times at most', async () => {
    const [from, to] = [newStore(), newStore()];
    const { key } = await put(from, 'a', { note: 'new' });
    await put(to, 'a', { note: 'old' });
    const replace: EventStore['replace'] = async (...args) => {
      const { revision } = (await to.get(key)) ?? { revision: 0 };
      await to.remove(key, { expected: revision });
      return to.replace(...args);
    };
    expect(await copyEvents(from, { ...to, replace }, { clock, overwrite: true })).toMatchObject({ copied: 1 });
    let creates = 0;
    const create: EventStore['create'] = async () => {
      creates++;
      throw storeError('exists', 'it is there');
    };
    const strange = { ...to, create, get: async () => undefined };
    await expect(copyEvents(from, strange, { clock })).rejects.toMatchObject({ code: 'exists' });
    expect(creates).toBe(5);
  });

  test('skips expired events, and lists those that are too large', async () => {
    const [from, to] = [newStore(), newStore({ maxEventBytes: 2000 })];
    await put(from, 'gone', {}, clock.now());
    await put(from, 'large', { note: 'x'.repeat(3000) });
    await put(from, 'small');
    expect(await copyEvents(from, to, { clock })).toMatchObject({
      copied: 1,
      expired: 1,
      skipped: [{ key: { name: 'large' }, why: 'too-large' }],
    });
  });

  test('events expire by the time of the stores, if one of them has a clock', async () => {
    const [from, to] = [newStore(), newStore()];
    await put(from, 'gone', {}, clock.now());
    await put(from, 'a');
    const ahead = fakeClock({ now: LATER + 1 });
    const shared = async (): Promise<number> => clock.now();
    const result = await copyEvents({ ...from, now: shared }, to, { clock: ahead });
    expect(result).toMatchObject({ copied: 1, expired: 1 });
    // That of the new store counts.
    const wrong = { ...from, now: async () => LATER + 1 };
    expect(await copyEvents(wrong, { ...to, now: shared }, { clock: ahead })).toMatchObject({ present: 1, expired: 1 });
  });

  test('leaves and lists events whose name the new store refuses, and reports each at once', async () => {
    const [from, to] = [newStore(), newStore()];
    for (const name of ['a', 'b', 'c']) await put(from, name);
    const refusing: EventStore = {
      ...to,
      create: async (key, event, options) => {
        if (key.name === 'b') throw storeError('invalid-key', 'no name with a b');
        return to.create(key, event, options);
      },
    };
    const reported: unknown[] = [];
    const result = await copyEvents(from, refusing, { clock, onSkipped: (skipped) => reported.push(skipped) });
    expect(result).toMatchObject({ copied: 2, skipped: [{ key: { name: 'b' }, why: 'invalid-key' }] });
    expect(reported).toEqual(result.skipped);
    const failure = new Error('not without b');
    const onSkipped = (): never => {
      throw failure;
    };
    await expect(copyEvents(from, refusing, { clock, onSkipped })).rejects.toBe(failure);
  });

  test('reports its progress after each page', async () => {
    const [from, to] = [newStore(), newStore()];
    for (let i = 0; i < 7; i++) await put(from, `e-${i}`);
    const seen: CopyProgress[] = [];
    await copyEvents(from, to, { clock, pageSize: 3, onProgress: (progress) => seen.push(progress) });
    expect(seen.map(({ copied, remaining }) => [copied, remaining])).toEqual([
      [3, 4],
      [6, 1],
      [7, 0],
    ]);
  });

  test('copies one state, whatever is written meanwhile', async () => {
    const [from, to] = [newStore(), newStore()];
    for (const name of ['b', 'd']) await put(from, name);
    let pages = 0;
    const onProgress = (): void => void (pages++ === 0 && void put(from, 'c'));
    expect(await copyEvents(from, to, { clock, pageSize: 1, onProgress })).toMatchObject({
      copied: 2,
      consistent: true,
    });
  });

  test('continues with the latest state when the snapshot expires, and reports this', async () => {
    const [from, to] = [newStore(), newStore()];
    for (const name of ['a', 'b', 'c']) await put(from, name);
    let forgotten = false;
    const forgetful: EventStore = {
      ...from,
      list: (query) => {
        if (query.at === undefined || forgotten) return from.list(query);
        forgotten = true;
        return put(from, 'd').then(() => Promise.reject(storeError('expired', 'too old')));
      },
    };
    const result = await copyEvents(forgetful, to, { clock, pageSize: 2 });
    expect(result).toMatchObject({ copied: 4, consistent: false });
    expect(await contents(to)).toEqual(await contents(from));
  });

  test('passes failures on, and can be run again', async () => {
    const [from, to] = [newStore(), newStore()];
    for (let i = 0; i < 9; i++) await put(from, `e-${i}`);
    let writes = 0;
    const weak: EventStore = {
      ...to,
      create: (...words) => (++writes > 5 ? Promise.reject(storeError('unavailable', 'away')) : to.create(...words)),
    };
    const failed = expect(whileTimePasses(copyEvents(from, weak, { clock, concurrency: 2 })));
    await failed.rejects.toMatchObject({ code: 'unavailable' });
    expect(await contents(to)).toHaveLength(5);
    expect(await copyEvents(from, to, { clock })).toMatchObject({ copied: 4, present: 5 });
  });

  test('waits half a minute for a store that is unavailable, and then copies the rest once', async () => {
    const [from, to] = [newStore(), newStore()];
    for (let i = 0; i < 9; i++) await put(from, `e-${i}`);
    let reads = 0;
    let writes = 0;
    let began = 0;
    const restarting: EventStore = {
      ...from,
      async list(query) {
        if (++reads === 2) began = clock.monotonic();
        if (reads > 1 && clock.monotonic() - began < 25_000) throw storeError('unavailable', 'away');
        return from.list(query);
      },
    };
    const unsure: EventStore = {
      ...to,
      async create(...words) {
        const created = await to.create(...words);
        if (++writes === 6) throw storeError('unknown-outcome', 'the connection was lost');
        return created;
      },
    };
    const result = await whileTimePasses(copyEvents(restarting, unsure, { clock, pageSize: 4 }));
    expect(result).toMatchObject({ copied: 8, present: 1, consistent: true, skipped: [] });
    expect(await contents(to)).toEqual(await contents(from));
    expect(reads).toBeLessThan(20);
  });

  test('waits for the clock of a store that is unavailable', async () => {
    const [from, to] = [newStore(), newStore()];
    await put(from, 'a');
    let asked = 0;
    const now = async (): Promise<number> => {
      if (++asked < 4) throw storeError('unavailable', 'away');
      return clock.now();
    };
    expect(await whileTimePasses(copyEvents(from, { ...to, now }, { clock }))).toMatchObject({ copied: 1 });
    expect(asked).toBe(4);
  });

  test('fails where a store stays unavailable, at once if it has no room or the signal is aborted', async () => {
    const [from, to] = [newStore(), newStore()];
    await put(from, 'a');
    const list = () => Promise.reject(storeError('unavailable', 'away'));
    const began = clock.monotonic();
    const copied = whileTimePasses(copyEvents({ ...from, list }, to, { clock }));
    await expect(copied).rejects.toMatchObject({ code: 'unavailable', message: 'away' });
    expect(clock.monotonic() - began).toBeGreaterThan(20_000);
    expect(clock.monotonic() - began).toBeLessThanOrEqual(31_000);

    const create = () => Promise.reject(storeError('unavailable', 'no space left', { onlyWrites: true }));
    await expect(copyEvents(from, { ...to, create }, { clock })).rejects.toThrow('no space left');
    const abort = new AbortController();
    const ended = copyEvents({ ...from, list }, to, { clock, signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
  });

  test('never has more writes in progress than allowed', async () => {
    const [from, to] = [newStore(), newStore()];
    for (let i = 0; i < 20; i++) await put(from, `e-${i}`);
    let now = 0;
    let most = 0;
    const slow: EventStore = {
      ...to,
      async create(...words) {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        return to.create(...words);
      },
    };
    await copyEvents(from, slow, { clock, concurrency: 3 });
    expect(most).toBe(3);
  });

  test('ends when its signal aborts', async () => {
    const [from, to] = [newStore(), newStore()];
    for (let i = 0; i < 6; i++) await put(from, `e-${i}`);
    const abort = new AbortController();
    const run = copyEvents(from, to, {
      clock,
      pageSize: 2,
      signal: abort.signal,
      onProgress: () => abort.abort(new Error('enough')),
    });
    await expect(run).rejects.toThrow('enough');
    expect(await contents(to)).toHaveLength(2);
  });

  test('adds few listeners to one signal, so that Node does not warn about them', async () => {
    const [from, to] = [newStore(), newStore()];
    for (let i = 0; i < 100; i++) await put(from, `e-${i}`);
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    let now = 0;
    let most = 0;
    // As the engines do, which let a write that waits for its batch leave it.
    const listening: EventStore = {
      ...to,
      async create(key, event, options) {
        const listener = (): void => undefined;
        options.signal?.addEventListener('abort', listener);
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        options.signal?.removeEventListener('abort', listener);
        return to.create(key, event, options);
      },
    };
    const { signal } = new AbortController();
    expect(await copyEvents(from, listening, { clock, signal })).toMatchObject({ copied: 100 });
    // Warnings are emitted in a later turn.
    await new Promise((resolve) => setImmediate(resolve));
    expect(most).toBe(32);
    expect(warnings).toEqual([]);
  });

  test('ends the writes in progress with the reason of its signal', async () => {
    const [from, to] = [newStore(), newStore()];
    for (let i = 0; i < 6; i++) await put(from, `e-${i}`);
    const abort = new AbortController();
    let begun = 0;
    const hanging: EventStore = {
      ...to,
      create: (_key, _event, { signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason as Error));
          if (++begun === 3) abort.abort(new Error('enough'));
        }),
    };
    await expect(copyEvents(from, hanging, { clock, concurrency: 3, signal: abort.signal })).rejects.toThrow('enough');
    expect(begun).toBe(3);
  });

  test('lists every unusable option', async () => {
    const store = newStore();
    const options = { pageSize: 0, concurrency: 1.5, onProgress: 1 as never };
    await expect(copyEvents(store, store, options)).rejects.toThrow(
      'copyEvents: from and to are the same store; onProgress must be a function; ' +
        'pageSize must be a whole number from 1 to 10000; concurrency must be a whole number from 1 to 1000',
    );
    await expect(copyEvents(undefined as never, store)).rejects.toThrow('from must be an EventStore');
  });

  test('loses and overwrites nothing between any two stores, and changes nothing when run again', async () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const entry = fc.record({ name, note: fc.constantFrom('1', '2'), expired: fc.boolean() });
    const entries = fc.uniqueArray(entry, { selector: (one) => one.name });
    const pageSize = fc.integer({ min: 1, max: 4 });
    await fc.assert(
      fc.asyncProperty(entries, entries, pageSize, pageSize, async (source, target, pages, concurrency) => {
        const [from, to] = [memoryStore({ clock }), memoryStore({ clock })];
        for (const one of source) await put(from, one.name, one, one.expired ? clock.now() : LATER);
        for (const one of target) await put(to, one.name, one);
        const options = { clock, pageSize: pages, concurrency };
        const result = await copyEvents(from, to, options);
        const { copied, present, overwritten, expired, skipped } = result;
        expect(copied + present + overwritten + expired + skipped.length).toBe(source.length);
        const wanted = new Map(source.filter((one) => !one.expired).map((one) => [one.name, one.note]));
        for (const one of target) wanted.set(one.name, one.note);
        const { records } = await to.list({ limit: 100 });
        const notes = records.map(({ key, event }) => [
          key.name,
          (JSON.parse(Buffer.from(event.bytes).toString()) as { note: string }).note,
        ]);
        expect(new Map(notes as [string, string][])).toEqual(wanted);
        const before = await to.revision();
        expect(await copyEvents(from, to, options)).toMatchObject({
          copied: 0,
          present: copied + present,
          skipped: { length: skipped.length },
        });
        expect(await to.revision()).toBe(before);
        await from.close();
        await to.close();
      }),
      { numRuns: 60 },
    );
  });
});
