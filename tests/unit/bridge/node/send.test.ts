import { EventEmitter, getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import type { ApiResponse } from '../../../../src/http/response.js';
import { toNodeListener } from '../../../../src/node.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { Incoming, listening, Outgoing, serve, settled } from './hand-made.js';

const get = (more: object = {}): Incoming => {
  const req = new Incoming({}, 'GET');
  req.complete = true;
  return Object.assign(req, more);
};
const streamed = (body: AsyncIterable<Uint8Array>, more: object = {}): ApiResponse => ({
  status: 200,
  headers: {},
  body,
  ...more,
});

async function* chunks(end?: Error): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from('one'));
  if (end !== undefined) throw end;
}

test('a stream is marked as not to be transformed where middleware may see it, and only there', async () => {
  const controlOf = async (res: Outgoing, next?: () => void): Promise<unknown> => {
    const listener = toNodeListener(() => streamed(chunks())) as (...given: unknown[]) => void;
    listener(get(), res, next);
    await settled();
    return res.headers['cache-control'];
  };
  const replaced = new Outgoing();
  replaced.write = Outgoing.prototype.write.bind(replaced);
  expect(await controlOf(new Outgoing())).toBeUndefined();
  expect(await controlOf(new Outgoing(), () => undefined)).toBe('no-transform');
  expect(await controlOf(replaced)).toBe('no-transform');
});

test('a stream keeps what its handler says about caching', async () => {
  const res = new Outgoing();
  const headers = { 'cache-control': ['no-cache', 'private'] };
  const listener = toNodeListener(() => streamed(chunks(), { headers })) as (...given: unknown[]) => void;
  listener(get(), res, () => undefined);
  await settled();
  expect(res.headers['cache-control']).toBe('no-cache, private, no-transform');
});

describe('a stream that has ended', () => {
  test('does not begin to listen to its signal', async () => {
    const { signal } = new AbortController();
    const clock = fakeClock();
    const res = serve(() => streamed(chunks(), { signal }), get(), { clock });
    await settled();
    expect(res.ended).toBe(1);
    clock.advance(1_000);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('is not broken off by its signal, and listens to it no longer', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    let go: () => void = () => undefined;
    async function* source(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from('one'));
      await new Promise<void>((resolve) => (go = resolve));
    }
    const clock = fakeClock();
    const res = serve(() => streamed(source(), { signal }), get(), { clock });
    await settled();
    clock.advance(1_000);
    expect(add).toHaveBeenCalledOnce();
    go();
    await settled();
    expect([res.text, res.ended]).toEqual(['one', 1]);
    expect(remove.mock.calls.map(([event]) => event)).toEqual(['abort']);
    controller.abort();
    await settled();
    expect(res.destroyed).toBe(false);
  });

  test('is complete also where the response has no flushHeaders', async () => {
    const res = Object.assign(new Outgoing(), { flushHeaders: undefined }) as unknown as Outgoing;
    serve(() => streamed(chunks()), get(), {}, res);
    await settled();
    expect([res.status, res.text, res.ended]).toEqual([200, 'one', 1]);
  });
});

describe('a stream that fails', () => {
  test('is broken off and reported, whatever the error is called', async () => {
    for (const error of [new Error('why'), Object.assign(new Error('stopped'), { name: 'AbortError' })]) {
      const onError = vi.fn();
      const res = serve(() => streamed(chunks(error)), get(), { onError });
      await settled();
      expect([res.destroyed, res.ended, onError.mock.calls]).toEqual([true, 0, [[error, 'stream']]]);
    }
  });

  test('is broken off at once, and not reported, where its signal has aborted', async () => {
    const stopped = Object.assign(new Error('stopped'), { name: 'AbortError' });
    const shutdown = new AbortController();
    shutdown.abort();
    for (const [signal, options] of [
      [AbortSignal.abort(), {}],
      [AbortSignal.abort(), { signal: shutdown.signal }],
    ] as const) {
      const onError = vi.fn();
      const res = serve(() => streamed(chunks(stopped), { signal }), get(), {
        ...options,
        onError,
        clock: fakeClock(),
      });
      await settled();
      expect([res.destroyed, res.ended, onError.mock.calls]).toEqual([true, 0, []]);
    }
  });

  test('is broken off and reported where its signal cannot be read', async () => {
    const stopped = Object.assign(new Error('stopped'), { name: 'AbortError' });
    const unreadable = new Error('no signal');
    const onError = vi.fn();
    const response = Object.defineProperty(streamed(chunks(stopped)), 'signal', {
      get() {
        throw unreadable;
      },
    });
    const res = serve(() => response, get(), { onError, clock: fakeClock() });
    await settled();
    expect([res.destroyed, res.ended, onError.mock.calls]).toEqual([true, 0, [[unreadable, 'stream']]]);
  });

  test('in an `end` that middleware has replaced is broken off and reported as well', async () => {
    const error = new Error('end');
    const onError = vi.fn();
    const res = new Outgoing();
    res.end = () => {
      throw error;
    };
    serve(() => streamed(chunks()), get(), { onError }, res);
    await settled();
    expect([res.destroyed, onError.mock.calls]).toEqual([true, [[error, 'stream']]]);
  });

  test('is broken off even where the hook that reports it fails, at once or later', async () => {
    for (const onError of [
      () => {
        throw new Error('hook');
      },
      () => Promise.reject(new Error('hook')) as never,
    ]) {
      const res = serve(() => streamed(chunks(new Error('why'))), get(), { onError });
      await settled();
      expect(res.destroyed).toBe(true);
    }
  });
});

test('the target of a request is decoded as UTF-8, although Node hands it over as Latin-1', async () => {
  const seen: string[] = [];
  for (const url of ['/\u00c3\u00a9', '/plain']) serve((request) => void seen.push(request.url), get({ url }));
  await settled();
  expect(seen).toEqual(['/é', '/plain']);
});

test('a large response is written in one piece over HTTP/1, and in several over HTTP/2', async () => {
  class Counting extends Outgoing {
    writes = 0;
    override write(chunk: string | Uint8Array, callback?: () => void): boolean {
      this.writes++;
      return super.write(chunk, callback);
    }
  }
  const body = 'x'.repeat(100_000);
  const stream = Object.assign(new EventEmitter(), { close: vi.fn(), endAfterHeaders: true });
  for (const [more, writes] of [
    [{}, 0],
    [{ stream }, 3],
  ] as const) {
    const res = Object.assign(new Counting(), more);
    serve(() => ({ status: 200, headers: {}, body }), get(more), { clock: fakeClock() }, res);
    await settled();
    expect([res.text === body, res.ended, res.writes]).toEqual([true, 1, writes]);
  }
});

describe('a response before the body of its request has arrived', () => {
  /** The response once the body has ended. `writableLength`: what waits for the client then. */
  const answered = async (writableLength: number) => {
    const clock = fakeClock();
    const req = new Incoming({ 'content-length': '4' });
    const res = new Outgoing();
    Object.assign(res.socket as object, { writableLength });
    serve(() => ({ status: 200, headers: {}, body: 'early' }), req, { clock, stallTimeoutMs: 60_000 }, res);
    await settled();
    expect([res.text, res.ended]).toEqual(['early', 0]);
    res.writableLength = writableLength;
    req.end('body');
    await settled();
    expect([res.text, res.ended, res.destroyed]).toEqual(['early', 1, false]);
    return { clock, res };
  };

  test('is broken off where its client then reads nothing', async () => {
    const { clock, res } = await answered(5);
    clock.advance(50_000);
    expect(res.destroyed).toBe(false);
    clock.advance(16_000);
    expect(res.destroyed).toBe(true);
  });

  test('is not watched where the system has taken all of it', async () => {
    const { clock, res } = await answered(0);
    expect(listening(res)).not.toHaveProperty('close');
    clock.advance(20 * 60_000);
    expect(res.destroyed).toBe(false);
  });

  test('has its head sent at once where it has no body, if Node can do so', async () => {
    const without = Object.assign(new Outgoing(), { flushHeaders: undefined }) as unknown as Outgoing;
    for (const res of [new Outgoing(), without]) {
      const req = new Incoming({ 'content-length': '4' });
      serve(() => ({ status: 204, headers: {}, body: null }), req, { clock: fakeClock() }, res);
      await settled();
      expect([res.status, res.flushed, res.ended]).toEqual([204, res === without ? 0 : 1, 0]);
      req.end('body');
      await settled();
      expect([res.text, res.ended, res.destroyed]).toEqual(['', 1, false]);
    }
  });

  test('is ended at once over HTTP/2, and only once', async () => {
    const stream = Object.assign(new EventEmitter(), { close: vi.fn(), endAfterHeaders: false });
    const req = Object.assign(new Incoming({}), { stream });
    const res = Object.assign(new Outgoing(), { stream });
    serve(() => ({ status: 200, headers: {}, body: 'early' }), req, { clock: fakeClock() }, res);
    await settled();
    expect([res.text, res.ended]).toEqual(['early', 1]);
    req.end('body');
    await settled();
    expect([res.text, res.ended, stream.close.mock.calls.length]).toEqual(['early', 1, 0]);
  });

  test('is complete where the body does not end, and the connection is closed', async () => {
    const clock = fakeClock();
    const req = new Incoming({ 'content-length': '4' });
    const res = serve(() => ({ status: 200, headers: {}, body: 'early' }), req, { clock });
    await settled();
    clock.advance(4_999);
    expect([res.text, res.ended, req.socket.destroyed]).toEqual(['early', 0, false]);
    clock.advance(1);
    expect([res.text, res.ended, req.socket.destroyed]).toEqual(['early', 1, true]);
  });
});
