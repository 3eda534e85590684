import { describe, expect, test, vi } from 'vitest';
import { nextTurn } from '../../../../src/clock/clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';
import type { CallOptions } from '../../../../src/testing/call.js';
import { bench, event, path, settled, type Bench, type Json } from '../bench.js';
import { isStream, type ApiResponse } from '../../../../src/http/response.js';

/** Room for one large response at a time: the next one is refused at once. */
const ONE = { bytes: 100, bytesPerCaller: 100, queued: 0 };
const MERGE = { 'content-type': 'application/merge-patch+json' };
const PROTOBUF = { accept: 'application/vnd.kubernetes.protobuf' };

const large = (size = 100_000): Json => ({ annotations: { text: 'x'.repeat(size) } });

/** A request as a bridge makes it, whose response nobody reads. */
async function unread({ events }: Bench, url: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
  const response = await events.handle({ method: 'GET', url, headers, body: () => Promise.reject(new Error('none')) });
  if (response === undefined) throw new Error(`${url} is not answered`);
  return response;
}

async function stored(limits: object = ONE): Promise<Bench> {
  const made = bench({ limits });
  for (const name of ['a', 'b']) await made.create(name, {}, large());
  return made;
}

describe('a large response', () => {
  test('is a stream of known length with the bytes of the event', async () => {
    const made = bench();
    await made.create('a', {}, large());
    const response = await unread(made, path('/a'));
    expect(isStream(response.body)).toBe(true);
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    expect(response.headers['content-length']).toBe(String(bytes.byteLength));
    expect(JSON.parse(bytes.toString())).toMatchObject({ metadata: { name: 'a', ...large() } });
  });

  test('counts until it was read to its end, and another one is 429 meanwhile', async () => {
    const made = await stored();
    const response = await unread(made, path('/a'));
    expect((await made.ask(`GET ${path('/b')}`)).status).toBe(429);
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) expect(chunk.byteLength).toBeGreaterThan(0);
    expect((await made.ask(`GET ${path('/b')}`)).status).toBe(200);
  });

  test('to several watches of a caller counts once, whatever their selectors', async () => {
    const made = bench({ limits: { bytesPerCaller: 400_000 } });
    const watches = await Promise.all(
      [1, 2, 3, 4].map(async (index) => {
        const { body } = await unread(made, path(`?watch=true&fieldSelector=reason!=other${index}`));
        return (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      }),
    );
    const reads = watches.map((watch) => watch.next());
    await made.create('a', {}, large(200_000));
    const frames = await Promise.all(reads);
    expect(frames.map(({ done }) => done ?? false)).toEqual([false, false, false, false]);
    expect(new Set(frames.map(({ value }) => value as unknown)).size).toBe(1);
    for (const watch of watches) await watch.return?.();
  });

  test('counts until it is cancelled', async () => {
    const made = await stored();
    const response = await unread(made, path('/a'));
    await (response.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().return?.();
    expect((await made.ask(`GET ${path('/b')}`)).status).toBe(200);
  });

  test('yields nothing more after it was cancelled', async () => {
    const made = await stored();
    const response = await unread(made, path('/a'));
    const chunks = (response.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    for (const step of [await chunks.return?.(), await chunks.next()]) expect(step).toMatchObject({ done: true });
  });

  test('counts no longer than the deadline of its request', async () => {
    const made = await stored();
    await unread(made, path('/a'));
    expect((await made.ask(`GET ${path('/b')}`)).status).toBe(429);
    // No work of one turn of the event loop takes a minute.
    await nextTurn();
    made.clock.advance(60_000);
    expect((await made.ask(`GET ${path('/b')}`)).status).toBe(200);
  });

  test('waits until there is capacity', async () => {
    const made = await stored({ ...ONE, queued: 10 });
    const first = await unread(made, path('/a'));
    const second = made.ask(`GET ${path('/b')}`);
    const third = made.ask(`GET ${path('?limit=1')}`);
    expect((await third).status).toBe(200);
    await (first.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().return?.();
    expect((await second).status).toBe(200);
  });

  test('does not affect small ones', async () => {
    const made = await stored();
    await made.create('small');
    await unread(made, path('/a'));
    expect((await made.ask(`GET ${path('/small')}`)).status).toBe(200);
    expect((await made.ask(`POST ${path()}`, { json: event('other') })).status).toBe(201);
  });

  test('to a write that has taken effect is 504, like an unknown outcome', async () => {
    const made = await stored();
    await unread(made, path('/a'));
    const patched = await made.ask(`PATCH ${path('/b')}`, {
      body: '{"metadata":{"labels":{"a":"b"}}}',
      headers: MERGE,
    });
    expect(patched.status).toBe(504);
    // No work of one turn of the event loop takes a minute.
    await nextTurn();
    made.clock.advance(60_000);
    expect((await made.json(`GET ${path('/b')}`)).json).toMatchObject({ metadata: { labels: { a: 'b' } } });
  });

  const forms: [string, string, CallOptions][] = [
    ['YAML', path('/b'), { headers: { accept: 'application/yaml' } }],
    ['indented JSON', path('/b?pretty=true'), {}],
    ['protobuf', path('/b'), { headers: PROTOBUF }],
    ['a Table', path('/b'), { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }],
    ['a list in protobuf', path(), { headers: PROTOBUF }],
    ['a page in protobuf', path('?limit=1'), { headers: PROTOBUF }],
  ];
  test.each(forms)('counts in the representation %s, too', async (_what, url, how) => {
    const made = await stored();
    const first = await unread(made, path('/a'));
    expect((await made.ask(`GET ${url}`, how)).status).toBe(429);
    await (first.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().return?.();
    const response = await made.ask(`GET ${url}`, how);
    expect(response.status).toBe(200);
    await response.text();
    await vi.waitFor(async () => expect((await made.ask(`GET ${path('/a')}`)).status).toBe(200));
  });

  test('that becomes large while it is gathered is refused as soon as there is no room for more', async () => {
    let reads = 0;
    let resume: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => (resume = resolve));
    const made = bench({ limits: { bytes: 200_000, bytesPerCaller: 200_000, queued: 0 } }, (store) => ({
      ...store,
      async list(options) {
        if (++reads === 2) await gate;
        return store.list({ ...options, limit: 100 });
      },
    }));
    for (let index = 0; index < 150; index++) await made.create(`e${index}`);
    await made.create('z', {}, large(250_000));
    const gathered = made.ask(`GET ${path()}`, { headers: PROTOBUF });
    await vi.waitFor(() => expect(reads).toBe(2));
    expect((await unread(made, path('/z'))).status).toBe(200);
    resume?.();
    const refused = await gathered;
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain('bodies of this caller, or of all callers, take too much memory');
  });

  test('counts its first page for as long as it is gathered', async () => {
    const made = bench({ limits: { bytes: 3_000_000, bytesPerCaller: 3_000_000, queued: 0 } });
    for (let index = 0; index < 24; index++) await made.create(`e${index}`, {}, large(250_000));
    const read = async (): Promise<number> => (await made.ask(`GET ${path('/e0')}`)).status;
    const gathered = made.ask(`GET ${path('?limit=24')}`, { headers: PROTOBUF });
    await settled();
    expect(await read()).toBe(429);
    const response = await gathered;
    expect(response.status).toBe(200);
    await response.text();
    await vi.waitFor(async () => expect(await read()).toBe(200));
  });

  test('of a list with a limit counts before all of its events are read', async () => {
    let reads = 0;
    let resume: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => (resume = resolve));
    const made = bench({ limits: ONE }, (store) => ({
      ...store,
      async list(options) {
        if (options.after !== undefined && ++reads === 1) await gate;
        return store.list({ ...options, limit: 5 });
      },
    }));
    for (let index = 0; index < 12; index++) await made.create(`e${index}`, {}, large(250_000));
    const first = made.ask(`GET ${path('?limit=12')}`);
    await vi.waitFor(() => expect(reads).toBe(1));
    const second = await made.ask(`GET ${path('?limit=12')}`);
    expect([second.status, reads]).toEqual([429, 1]);
    expect(await second.text()).toContain('bodies of this caller, or of all callers, take too much memory');
    resume?.();
    expect((await (await first).json<{ items: unknown[] }>()).items).toHaveLength(12);
    await vi.waitFor(async () => expect((await made.ask(`GET ${path('?limit=12')}`)).status).toBe(200));
  });

  test.each(['', '?limit=100'])('of a list%s that a store in memory has not copied counts', async (query) => {
    const made = bench({ limits: ONE });
    for (let index = 0; index < 6; index++) await made.create(`e${index}`, {}, large(200_000));
    const first = await unread(made, path(query));
    expect((await made.ask(`GET ${path(query)}`)).status).toBe(429);
    for await (const chunk of first.body as AsyncIterable<Uint8Array>) expect(chunk.byteLength).toBeGreaterThan(0);
    expect((await made.ask(`GET ${path(query)}`)).status).toBe(200);
  });

  test('of a list counts from its first large page on', async () => {
    const made = bench({ limits: ONE });
    const put = (name: string, note: string) =>
      made.store.create({ namespace: 'default', name }, sampleEvent({ name, note }), { expiresAt: 9e15 });
    for (let index = 0; index < 500; index++) await put(`a${index}`, 'small');
    for (let index = 0; index < 6; index++) await put(`b${index}`, 'x'.repeat(200_000));
    const list = await unread(made, path());
    const chunks = (list.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    await chunks.next();
    const read = async (): Promise<number> => {
      const response = await made.ask(`GET ${path('/b0')}`);
      await response.text();
      return response.status;
    };
    expect(await read()).toBe(200);
    while ((await chunks.next()).value?.byteLength < 200_000);
    expect(await read()).toBe(429);
    await chunks.return?.();
    expect(await read()).toBe(200);
  });

  test('delays no small list of the same caller, whatever its representation', async () => {
    const made = await stored();
    expect((await made.json(`POST ${path('', 'kube-system')}`, event('small'))).status).toBe(201);
    await unread(made, path('/a'));
    for (const headers of [{}, PROTOBUF, { accept: 'application/yaml' }]) {
      expect((await made.ask(`GET ${path('', 'kube-system')}`, { headers })).status).toBe(200);
    }
  });

  test('ends a watch of a caller whose other responses take all the capacity', async () => {
    const made = await stored();
    const watch = await made.ask(`GET ${path('?watch=true&resourceVersion=' + (await made.revision()))}`);
    const text = watch.text();
    await unread(made, path('/a'));
    // The event is changed, but there is no room for the response either.
    const change = { body: '{"metadata":{"labels":{"a":"b"}}}', headers: MERGE };
    expect((await made.ask(`PATCH ${path('/b')}`, change)).status).toBe(504);
    expect(await text).toBe('');
    expect(made.observed.filter(({ type }) => type === 'watch.ended')).toMatchObject([{ reason: 'limit', bytes: 0 }]);
  });

  test('releases its bytes when it cannot be made', async () => {
    const made = await stored();
    const response = await made.ask(`GET ${path('/a?resourceVersion=99999999999999999')}`);
    expect(response.status).toBe(504);
    expect((await made.ask(`GET ${path('/a')}`)).status).toBe(200);
  });
});
