import { expect, it, onTestFinished, vi } from 'vitest';
import type { EndSignal } from '../../../../src/cli/command-line/command.js';
import { runCopy, type CopyTask, createSkipReporter, createProgressLines } from '../../../../src/cli/copy/copy.js';
import type { OpenStoreOptions } from '../../../../src/cli/stores/open-store.js';
import { parseStoreUrl } from '../../../../src/cli/stores/store-url.js';
import type { EventStore } from '../../../../src/store/contract/event-store.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

/** The stores that are opened, by what is shown of their URLs. */
const stores = vi.hoisted(() => new Map<string, EventStore>());
const opened = vi.hoisted((): OpenStoreOptions[] => []);
vi.mock('../../../../src/cli/stores/open-store.js', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  openStore: async ({ shown }: { readonly shown: string }, options: OpenStoreOptions) => {
    opened.push(options);
    return stores.get(shown);
  },
}));

const FROM = parseStoreUrl('postgres://shop:secret@old/events');
const TO = parseStoreUrl('etcd://new:2379/events');
const LATER = Date.now() * 1_000 + 3_600_000_000;

async function put(store: EventStore, name: string, note = 'a note'): Promise<void> {
  const key = { namespace: 'shop', name };
  await store.create(key, sampleEvent({ ...key, uid: `uid-${name}`, note }), { expiresAt: LATER });
}

/** Two stores in memory in place of those that are named. `change` may put another one in front of the second. */
function newStores(change: (to: EventStore) => Partial<EventStore> = () => ({})) {
  const [from, to] = [memoryStore(), memoryStore()];
  const closed: string[] = [];
  const closing = (name: string, store: EventStore): EventStore => ({
    ...store,
    close: async () => void closed.push(name),
  });
  stores.set(FROM.shown, closing('FROM', from));
  stores.set(TO.shown, closing('TO', { ...to, ...change(to) }));
  onTestFinished(async () => {
    await from.close();
    await to.close();
  });
  return { from, to, closed };
}

function begin(task: Partial<CopyTask> = {}) {
  const written = { out: '', err: '' };
  let send: (signal: EndSignal) => void = () => undefined;
  const code = runCopy(
    { from: FROM, to: TO, overwrite: false, skipRefused: false, ...task },
    {
      stdout: { write: (text) => (written.out += text) },
      stderr: { write: (text) => (written.err += text) },
      pid: 1,
      onSignal: (listener) => {
        send = listener;
        return () => undefined;
      },
    },
  );
  return { code, written, send: (signal: EndSignal) => send(signal) };
}

async function run(task: Partial<CopyTask> = {}): Promise<{ code: number; out: string; err: string }> {
  const { code, written } = begin(task);
  return { code: await code, ...written };
}

it('copy reports how many events it copied and closes both stores; run again, it finds them there', async () => {
  const { from, to, closed } = newStores();
  await put(from, 'a');
  await put(from, 'b');
  expect(await run()).toEqual({
    code: 0,
    out: '2 copied, 0 already there, 0 replaced, 0 expired, 0 left out\n',
    err: '',
  });
  expect((await to.list({ limit: 10 })).records).toHaveLength(2);
  expect(closed).toEqual(['TO', 'FROM']);
  expect(await run()).toEqual({
    code: 0,
    out: '0 copied, 2 already there, 0 replaced, 0 expired, 0 left out\n',
    err: 'etcd://new:2379/events is not empty: equal events are left alone, different ones are listed\n',
  });
});

it('copy creates the schema of TO alone, and says without foreign advice that the schema of FROM does not exist', async () => {
  newStores();
  opened.length = 0;
  await run();
  expect(opened).toMatchObject([
    { source: 'FROM', migrate: false },
    { source: 'TO', migrate: true },
  ]);
  const advice = ': apply postgresSchema(), or open the store without migrate: false';
  const ping = () => Promise.reject(storeError('unavailable', `PostgreSQL: the schema "x" does not exist${advice}`));
  stores.set(FROM.shown, { ...memoryStore(), ping });
  expect(await run()).toEqual({ code: 1, out: '', err: 'error: FROM: PostgreSQL: the schema "x" does not exist\n' });
});

it('copy says that there was nothing to copy, as in a prefix that is misspelt', async () => {
  newStores();
  expect(await run()).toEqual({
    code: 0,
    out: '0 copied, 0 already there, 0 replaced, 0 expired, 0 left out\n',
    err: 'postgres://shop@old/events has no events: check its schema, prefix or file\n',
  });
});

it('copy names different events and ends with 1, or replaces them', async () => {
  const { from, to } = newStores();
  await put(from, 'a');
  await put(to, 'a', 'another note');
  const left = await run();
  expect([left.code, left.out]).toEqual([1, '0 copied, 0 already there, 0 replaced, 0 expired, 1 left out\n']);
  expect(left.err).toContain('left out: shop/a: TO has another event of that name (--overwrite replaces it)\n');
  const replaced = await run({ overwrite: true });
  expect([replaced.code, replaced.out]).toEqual([0, '0 copied, 0 already there, 1 replaced, 0 expired, 0 left out\n']);
  expect(replaced.err).toContain('different ones are replaced\n');
});

it('copy ends at the first refused event, by name, or continues without it', async () => {
  const { from, to } = newStores((store) => ({
    create: async (key, ...rest) => {
      if (key.name === 'b') throw storeError('too-large', 'too many bytes');
      return store.create(key, ...rest);
    },
  }));
  for (const name of ['a', 'b', 'c']) await put(from, name);
  const refused = await run();
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toBe(
    'error: shop/b: it is too large for TO (--skip-refused goes on without such events); copied events are kept, and the same command continues the copy\n',
  );
  const skipped = await run({ skipRefused: true });
  expect(skipped.code).toBe(0);
  expect(skipped.out).toMatch(/, 1 left out\n$/);
  expect(skipped.err).toContain('left out: shop/b: it is too large for TO\n');
  expect((await to.list({ limit: 10 })).records.map(({ key }) => key.name)).toEqual(['a', 'c']);
});

it('copy names the store that does not respond, without its password', async () => {
  const { closed } = newStores();
  const from = stores.get(FROM.shown) as EventStore;
  const ping = async (): Promise<never> => {
    throw storeError('unavailable', 'no answer from shop:secret@old');
  };
  stores.set(FROM.shown, { ...from, ping });
  expect(await run()).toEqual({ code: 1, out: '', err: 'error: FROM: no answer from shop:***@old\n' });
  expect(closed).toEqual(['FROM']);
});

it('copy reports that a part is of a later state', async () => {
  const { from } = newStores();
  for (const name of ['a', 'b']) await put(from, name);
  const list: EventStore['list'] = async (query) => {
    if (query.at !== undefined) throw storeError('expired', 'the history is gone');
    if (query.after?.name === 'a') await put(from, 'c');
    return from.list({ ...query, limit: 1 });
  };
  stores.set(FROM.shown, { ...(stores.get(FROM.shown) as EventStore), list: Object.assign(list, {}) });
  expect(await run()).toMatchObject({
    code: 0,
    err: 'the copy took longer than the history of FROM, so the last events are of a later state: run it again\n',
  });
});

it('copy reads from a store that refuses only writes, and does not write to one', async () => {
  const { from } = newStores();
  await put(from, 'a');
  const full = () => Promise.reject(storeError('unavailable', 'no space left', { onlyWrites: true }));
  const [fromStore, toStore] = [stores.get(FROM.shown) as EventStore, stores.get(TO.shown) as EventStore];
  stores.set(FROM.shown, { ...fromStore, ping: full });
  expect(await run()).toMatchObject({ code: 0, out: '1 copied, 0 already there, 0 replaced, 0 expired, 0 left out\n' });
  stores.set(TO.shown, { ...toStore, ping: full });
  expect(await run()).toMatchObject({ code: 1, err: 'error: TO: no space left\n' });
});

it("copy ends on a signal after the writes in progress, with a shell's exit code", async () => {
  let finish: (() => void) | undefined;
  const { from, to, closed } = newStores((store) => ({
    // Under way already when the signal comes.
    create: async (key, event, { expiresAt }) => {
      await new Promise<void>((resolve) => (finish = resolve));
      return store.create(key, event, { expiresAt });
    },
  }));
  await put(from, 'a');
  const { code, written, send } = begin();
  await vi.waitFor(() => expect(finish).toBeDefined());
  send('SIGINT');
  finish?.();
  expect(await code).toBe(130);
  expect(written.err).toBe(
    'SIGINT: stopping\nstopped; copied events are kept, and the same command continues the copy\n',
  );
  expect((await to.list({ limit: 10 })).records).toHaveLength(1);
  expect(closed).toEqual(['TO', 'FROM']);
});

it('copy gives up on a store that does not respond in time', async () => {
  const { closed } = newStores();
  const limit = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
  onTestFinished(() => timeout.mockRestore());
  const ping = vi.fn(() => new Promise<never>(() => undefined));
  stores.set(FROM.shown, { ...(stores.get(FROM.shown) as EventStore), ping });
  const { code, written } = begin();
  await vi.waitFor(() => expect(ping).toHaveBeenCalled());
  limit.abort(new Error('timeout'));
  expect(await code).toBe(1);
  expect(written.err).toBe('error: FROM: timeout\n');
  expect(closed).toEqual(['FROM']);
});

it('copy ends on a signal while a store does not respond yet', async () => {
  const { closed } = newStores();
  const ping = vi.fn(
    ({ signal }: { readonly signal?: AbortSignal } = {}) =>
      new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error))),
  );
  stores.set(FROM.shown, { ...(stores.get(FROM.shown) as EventStore), ping });
  const { code, written, send } = begin();
  await vi.waitFor(() => expect(ping).toHaveBeenCalled());
  send('SIGTERM');
  expect(await code).toBe(143);
  expect(written.err).toMatch(/^SIGTERM: stopping\nstopped; /);
  expect(closed).toEqual(['FROM']);
});

it('copy opens no store if the two are one', async () => {
  opened.length = 0;
  expect(await run({ to: parseStoreUrl('postgres://other:secret@old:5432/events') })).toEqual({
    code: 2,
    out: '',
    err: 'error: FROM and TO are the same store, postgres://shop@old/events\n',
  });
  expect(opened).toEqual([]);
});

it('copy names the side of a file that cannot be read, and reports no errors of background work', async () => {
  newStores();
  opened.length = 0;
  await run();
  expect(opened.map(({ source }) => source)).toEqual(['FROM', 'TO']);
  // Without an observer they are warnings of the process.
  for (const { observe } of opened) expect(observe).toBeTypeOf('function');
});

it('copy ends at once on a second signal', async () => {
  const create = vi.fn(() => new Promise<never>(() => undefined));
  const { from } = newStores(() => ({ create }));
  await put(from, 'a');
  const { code, send } = begin();
  await vi.waitFor(() => expect(create).toHaveBeenCalled());
  send('SIGTERM');
  send('SIGTERM');
  expect(await code).toBe(143);
});

it('copy prints at most one line of progress a second', () => {
  let now = 0;
  const lines: string[] = [];
  const onProgress = createProgressLines(
    (line) => void lines.push(line),
    () => now,
  );
  const progress = { copied: 500, present: 1, overwritten: 2, expired: 3, left: 4, remaining: 1_500 };
  for (now = 0; now <= 2_500; now += 100) onProgress({ ...progress, copied: now });
  onProgress({ ...progress, copied: 9_999 });
  now = 3_000;
  onProgress({ ...progress, copied: 3_000, remaining: undefined });
  expect(lines).toEqual([
    '1000 copied, 1 already there, 2 replaced, 3 expired, 4 left out, 1500 still to be read',
    '2000 copied, 1 already there, 2 replaced, 3 expired, 4 left out, 1500 still to be read',
    '3000 copied, 1 already there, 2 replaced, 3 expired, 4 left out',
  ]);
});

it('copy names a hundred events that are not copied, and reports that there are more', () => {
  const lines: string[] = [];
  const leftOut = createSkipReporter(true, (line) => void lines.push(line));
  for (let i = 0; i < 150; i++) leftOut({ key: { namespace: 'shop', name: `e-${i}` }, why: 'invalid-key' });
  expect(lines).toHaveLength(101);
  expect(lines[0]).toBe('left out: shop/e-0: TO does not accept its name');
  expect(lines[100]).toBe('left out: more events, which are counted but not named');
});
