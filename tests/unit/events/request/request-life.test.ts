import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { RequestLife } from '../../../../src/events/request/request-life.js';
import type { ApiRequest } from '../../../../src/http/request.js';
import type { ApiResponse } from '../../../../src/http/response.js';
import { fakeClock, type FakeClock } from '../../../../src/testing/fake-clock.js';
import { bench, event, path } from '../bench.js';

const ok: ApiResponse = { status: 200, headers: {}, body: 'ok' };
const never = new Promise<never>(() => undefined);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A request whose client can disconnect, and its RequestLife, which holds a place in flight. */
function started(limitMs = Infinity): {
  readonly clock: FakeClock;
  readonly client: AbortController;
  readonly life: RequestLife;
  readonly release: ReturnType<typeof vi.fn<() => void>>;
} {
  const clock = fakeClock();
  const client = new AbortController();
  const request: ApiRequest = { method: 'GET', url: '/', signal: client.signal };
  const life = new RequestLife(request, clock);
  const release = vi.fn<() => void>();
  life.limit(limitMs);
  life.hold({ streams: () => undefined, release });
  return { clock, client, life, release };
}

/** A stream that gives one chunk and then waits until it is released. */
function pendingSource(): { readonly source: AsyncIterable<Uint8Array>; readonly returned: ReturnType<typeof vi.fn> } {
  const returned = vi.fn(() => Promise.resolve({ done: true as const, value: undefined }));
  let steps = 0;
  const next = (): Promise<IteratorResult<Uint8Array>> =>
    steps++ === 0 ? Promise.resolve({ done: false, value: new Uint8Array(1) }) : never;
  return { source: { [Symbol.asyncIterator]: () => ({ next, return: returned }) }, returned };
}

describe('a pending response', () => {
  test('is passed on when it is ready in time, and so is a failure', async () => {
    const { life } = started(1000);
    expect(await life.responseOf(Promise.resolve(ok))).toBe(ok);
    await expect(started(1000).life.responseOf(Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  test('is a 504 at the deadline, as kube-apiserver words it, and a late stream is ended', async () => {
    const { clock, life } = started(1000);
    const { source, returned } = pendingSource();
    let finish: (response: ApiResponse) => void = () => undefined;
    const late = life.responseOf(new Promise<ApiResponse>((resolve) => (finish = resolve)));
    clock.advance(1000);
    const response = await late;
    expect(response.status).toBe(504);
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(JSON.parse(String(response.body))).toMatchObject({ reason: 'Timeout', code: 504, details: {} });
    finish({ status: 200, headers: {}, body: source });
    await turn();
    expect(returned).toHaveBeenCalledTimes(1);
  });

  test('aborts its signal at the deadline, and frees its place half a second later at the latest', () => {
    const { clock, life, release } = started(1000);
    const { signal } = life;
    void life.responseOf(never);
    clock.advance(999);
    expect([signal.aborted, life.aborted]).toEqual([false, false]);
    clock.advance(1);
    expect([signal.aborted, life.aborted]).toEqual([true, true]);
    expect((signal.reason as Error).name).toBe('AbortError');
    expect(release).not.toHaveBeenCalled();
    clock.advance(500);
    expect(release).toHaveBeenCalledTimes(1);
  });

  test('is a 504 for a client that had left before, and frees its place, also if its signal was read by then', async () => {
    const { clock, client, life, release } = started();
    client.abort(new Error('left'));
    expect(life.signal.aborted).toBe(true);
    expect((await life.responseOf(never)).status).toBe(504);
    clock.advance(500);
    expect(release).toHaveBeenCalledTimes(1);
  });

  test.each([0, 100, 5_000])('frees its place within a second of a client that disconnects after %i ms', (ms) => {
    const { clock, client, life, release } = started();
    void life.responseOf(never);
    clock.advance(ms);
    client.abort(new Error('left'));
    clock.advance(999);
    expect(release).toHaveBeenCalledTimes(1);
    expect(life.signal.reason).toEqual(new Error('left'));
  });

  test('frees a place that it receives after its end', () => {
    const { clock, life, release } = started(1000);
    void life.responseOf(never);
    clock.advance(1000);
    const late = vi.fn<() => void>();
    life.hold({ streams: () => undefined, release: late });
    clock.advance(500);
    expect(late).toHaveBeenCalledTimes(1);
    expect(release).toHaveBeenCalledTimes(1);
  });

  test('has no listener or timer left when it is finished', () => {
    const { clock, client, life, release } = started(1000);
    const { signal } = life;
    void life.responseOf(never);
    clock.advance(300);
    expect(getEventListeners(client.signal, 'abort')).toHaveLength(1);
    life.finish();
    expect(getEventListeners(client.signal, 'abort')).toEqual([]);
    const setTimer = vi.spyOn(clock, 'setTimer');
    client.abort();
    clock.advance(10_000);
    expect(signal.aborted).toBe(false);
    expect([release, setTimer].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  });

  test('listens to its client once, however often its signal is read, and not at all once it is finished', () => {
    const { client, life } = started();
    const add = vi.spyOn(client.signal, 'addEventListener');
    expect(life.signal).toBe(life.signal);
    void life.responseOf(never);
    expect(add).toHaveBeenCalledOnce();
    const late = started();
    const lateAdd = vi.spyOn(late.client.signal, 'addEventListener');
    late.life.finish();
    late.client.abort();
    expect([late.life.signal.aborted, lateAdd.mock.calls.length]).toEqual([false, 0]);
  });

  test('keeps the reason of its deadline when its client leaves later', () => {
    const { clock, client, life } = started(1000);
    const { signal } = life;
    void life.responseOf(never);
    clock.advance(1000);
    client.abort(new Error('left'));
    expect(life.isReason(signal.reason)).toBe(true);
  });

  test('recognises errors that only mean that the request has ended', () => {
    const { client, life } = started();
    expect(life.isReason(new Error('no'))).toBe(false);
    client.abort(new Error('left'));
    expect(life.isReason(client.signal.reason)).toBe(true);
    expect(life.isReason(new Error('left'))).toBe(false);
    expect(() => life.throwIfAborted()).toThrow('left');
  });
});

describe('a streamed response', () => {
  test('holds its place until it was read to its end', async () => {
    const { life, release } = started(1000);
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1);
      yield new Uint8Array(2);
    }
    const { body } = life.stream(ok, chunks());
    const sizes: number[] = [];
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      sizes.push(chunk.length);
      expect(release).not.toHaveBeenCalled();
    }
    expect(sizes).toEqual([1, 2]);
    expect(release).toHaveBeenCalled();
  });

  test('frees its place when the source fails', async () => {
    const { life, release } = started(1000);
    const next = (): Promise<never> => Promise.reject(new Error('broken'));
    const { body } = life.stream(ok, { [Symbol.asyncIterator]: () => ({ next }) });
    await expect((body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().next()).rejects.toThrow('broken');
    expect(release).toHaveBeenCalled();
  });

  test('frees its place when the consumer leaves, and ends the source', async () => {
    const { life, release } = started(1000);
    const { source, returned } = pendingSource();
    const { body } = life.stream(ok, source);
    await (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().return?.();
    expect(release).toHaveBeenCalled();
    expect(returned).toHaveBeenCalledTimes(1);
  });

  test('that is not read ends at the deadline with place, source and signal, and never looks complete', async () => {
    const { clock, life, release } = started(1000);
    const { source, returned } = pendingSource();
    const { body, signal } = life.stream(ok, source);
    const iterator = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    await iterator.next();
    clock.advance(1000);
    expect(release).toHaveBeenCalledTimes(1);
    expect(returned).toHaveBeenCalledTimes(1);
    expect(signal?.aborted).toBe(true);
    await expect(iterator.next()).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('the deadline in the Event API', () => {
  test('is the one of the request, or 60 s', async () => {
    const { ask, clock } = bench({}, (store) => ({ ...store, get: () => never }));
    for (const [query, ms] of [
      ['?timeout=2s', 2000],
      ['', 60_000],
      ['?timeout=5m', 60_000],
    ] as const) {
      const pending = ask(`GET ${path(`/a${query}`)}`);
      await turn();
      clock.advance(ms - 1);
      await turn();
      clock.advance(1);
      expect((await pending).status).toBe(504);
    }
  });

  test('is requestTimeoutMs for requests that have none, or a later one', async () => {
    const { ask, clock } = bench({ requestTimeoutMs: 3000 }, (store) => ({ ...store, get: () => never }));
    for (const [query, ms] of [
      ['?timeout=2s', 2000],
      ['', 3000],
      ['?timeout=1m', 3000],
    ] as const) {
      const pending = ask(`GET ${path(`/a${query}`)}`);
      await turn();
      clock.advance(ms - 1);
      expect(await Promise.race([pending, turn()])).toBeUndefined();
      clock.advance(1);
      expect((await pending).status).toBe(504);
    }
  });

  test('does not apply to watches', async () => {
    const { ask, clock, create } = bench({ requestTimeoutMs: 3000 });
    const watch = (await ask(`GET ${path()}?watch=1`)).frames();
    clock.advance(10_000);
    const frame = watch.next();
    await create('a');
    expect((await frame).value).toMatchObject({ type: 'ADDED' });
    await watch.return();
  });

  test('frees the place of a write whose body never arrives', async () => {
    const { events, ask, clock } = bench({ limits: { writes: 2 } });
    const stuck = (): ApiRequest => ({
      method: 'POST',
      url: `${path()}?timeout=1ms`,
      headers: { authorization: 'Bearer t' },
      body: () => never,
    });
    for (let round = 0; round < 3; round++) {
      const pending = [events.handle(stuck()), events.handle(stuck())];
      await turn();
      clock.advance(1);
      for (const one of pending) expect((await one)?.status).toBe(504);
      clock.advance(500);
    }
    expect((await ask(`POST ${path()}`, { json: event('a') })).status).toBe(201);
  });

  test('prevents the write of a body that arrives later', async () => {
    const { events, ask, clock, store } = bench();
    let arrive: (body: string) => void = () => undefined;
    const pending = events.handle({
      method: 'POST',
      url: `${path()}?timeout=1ms`,
      headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
      body: () => new Promise<string>((resolve) => (arrive = resolve)),
    });
    await turn();
    clock.advance(1);
    expect((await pending)?.status).toBe(504);
    arrive(JSON.stringify(event('late')));
    await turn();
    expect(await store.get({ namespace: 'default', name: 'late' })).toBeUndefined();
    expect((await ask(`GET ${path('/late')}`)).status).toBe(404);
  });

  test('stops a store from reading further pages', async () => {
    let pages = 0;
    const { ask, clock, create } = bench({}, (store) => ({
      ...store,
      list: async (query) => {
        pages += 1;
        if (pages === 3) clock.advance(1000);
        query.signal?.throwIfAborted();
        return store.list({ ...query, limit: 1, signal: undefined });
      },
    }));
    for (let index = 0; index < 20; index++) await create(`e${index}`);
    const late = await ask(`GET ${path()}?labelSelector=app%3Dno&limit=1&timeout=1s`);
    expect(late.status).toBe(504);
    await turn();
    expect(pages).toBe(3);
  });
});
