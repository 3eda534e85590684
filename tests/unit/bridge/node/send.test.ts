import { describe, expect, test, vi } from 'vitest';
import type { ApiResponse } from '../../../../src/http/response.js';
import { toNodeListener } from '../../../../src/node.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { Incoming, Outgoing, serve, settled } from './hand-made.js';

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

describe('a stream that has ended', () => {
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
