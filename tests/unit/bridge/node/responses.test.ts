import { EventEmitter } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import type { ApiHandler } from '../../../../src/http/handler.js';
import type { ApiResponse } from '../../../../src/http/response.js';
import { gracefulClose, toNodeListener } from '../../../../src/node.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { Incoming, Outgoing, serve, settled, Socket } from './hand-made.js';

const ok = (headers: ApiResponse['headers'] = {}): ApiResponse => ({ status: 200, headers, body: 'the answer' });
const get = (): Incoming => {
  const req = new Incoming({}, 'GET');
  req.complete = true;
  return req;
};
const abortError = (): Error => Object.assign(new Error('stopped'), { name: 'AbortError' });

/** A session of HTTP/2, and the messages of one of its streams. */
class Session extends EventEmitter {
  closed = false;
  closes = 0;
  close(): void {
    this.closes++;
  }
}
const http2 = (session = new Session(), destroyed = false): { req: Incoming; res: Outgoing; codes: unknown[] } => {
  const codes: unknown[] = [];
  const close = (code: number): void => void codes.push(code);
  const stream = Object.assign(new EventEmitter(), { session, destroyed, endAfterHeaders: true, close });
  return { req: Object.assign(get(), { stream }), res: Object.assign(new Outgoing(), { stream }), codes };
};

/** An object that throws when one member is read. */
function throwing<K extends string>(member: K): Record<K, unknown> {
  return Object.defineProperty({}, member, {
    get() {
      throw new Error(member);
    },
  }) as Record<K, unknown>;
}

/** An object that throws whatever is done with it. */
function unreadable(): Error {
  const { proxy, revoke } = Proxy.revocable(new Error('unreadable'), {});
  revoke();
  return proxy;
}

/** A body that never yields a chunk, and whether it was released. */
function pendingBody() {
  const released = vi.fn(() => Promise.resolve({ done: true as const, value: undefined }));
  const next = (): Promise<never> => new Promise(() => undefined);
  const body: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next, return: released }) };
  return { body, released };
}

describe('toNodeListener', () => {
  const handler: ApiHandler = () => ok({ connection: 'close', upgrade: 'x', 'content-type': 'text/plain' });

  test('sends headers about the connection over HTTP/1 only', async () => {
    const over1 = serve(handler, get());
    const { req, res } = http2();
    serve(handler, req, {}, res);
    await settled();
    const length = { 'content-type': 'text/plain', 'content-length': 10 };
    expect(over1.headers).toEqual({ connection: 'close', upgrade: 'x', ...length });
    expect(res.headers).toEqual(length);
  });

  test('takes a request without a target for one of the root', async () => {
    const seen: string[] = [];
    serve((request) => void seen.push(request.url), Object.assign(get(), { url: undefined }));
    serve((request) => void seen.push(request.url), Object.assign(get(), { originalUrl: '/a/b', url: '/b' }));
    await settled();
    expect(seen.slice(0, 1)).toEqual(['/']);
  });

  test('offers the handler the path below a mount first, then the path that the client sent', async () => {
    const mounted = (): Incoming => Object.assign(get(), { originalUrl: '/a/b', url: '/b' });
    const seen: string[] = [];
    serve((request) => void seen.push(request.url), mounted());
    await settled();
    expect(seen).toEqual(['/b', '/a/b']);
    serve(({ url }) => (seen.push(url), ok()), mounted());
    serve(({ url }) => (seen.push(url), ok()), mounted(), { basePath: '/a' });
    serve(({ url }) => (seen.push(url), ok()), Object.assign(get(), { originalUrl: '/x/a/b', url: '/a/b' }), {
      basePath: '/a',
    });
    await settled();
    expect(seen.slice(2)).toEqual(['/b', '/b', '/b']);
  });
});

describe('a client that has left', () => {
  test.each<[string, () => { req: Incoming; res: Outgoing }]>([
    ['the response was destroyed', () => ({ req: get(), res: Object.assign(new Outgoing(), { destroyed: true }) })],
    ['the stream of HTTP/2 was destroyed', () => http2(new Session(), true)],
  ])('is sent nothing where %s, and the body is released', async (_, make) => {
    const { req, res } = make();
    const { body, released } = pendingBody();
    serve(() => ({ ...ok(), body }), req, {}, res);
    await settled();
    expect([res.status, res.text, res.ended]).toEqual([0, '', 0]);
    expect(released).toHaveBeenCalledOnce();
  });

  test('has its waiting request dropped when the connection broke off', async () => {
    const req = get();
    const res = Object.assign(new Outgoing(), { socket: null });
    let begun = 0;
    serve(() => (begun++, ok()), req, {}, res);
    req.socket.destroyed = true;
    res.emit('socket');
    await settled();
    expect([begun, res.status]).toEqual([0, 0]);
  });

  test('has its waiting request dropped when it has ended its side, and handled when it has not', async () => {
    for (const writable of [true, false]) {
      const req = get();
      const res = Object.assign(new Outgoing(), { socket: null as Socket | null });
      let begun = 0;
      serve(() => (begun++, ok()), req, {}, res);
      expect(begun).toBe(0);
      res.socket = Object.assign(new Socket(), { writable });
      res.emit('socket');
      await settled();
      expect(begun).toBe(writable ? 1 : 0);
    }
  });

  test('is the reason not to report an AbortError of the handler; other errors are reported', async () => {
    const reportedErrors = async (leaves: boolean, error: Error): Promise<unknown[]> => {
      const errors: unknown[] = [];
      const res = new Outgoing();
      const handler: ApiHandler = async ({ signal }) => {
        expect(signal?.aborted).toBe(false);
        if (leaves) res.emit('close');
        await settled();
        throw error;
      };
      serve(handler, get(), { onError: (one) => void errors.push(one) }, res);
      await settled();
      await settled();
      await settled();
      return errors;
    };
    const [stopped, other] = [abortError(), new Error('other')];
    expect(await reportedErrors(true, stopped)).toEqual([]);
    expect(await reportedErrors(false, stopped)).toEqual([stopped]);
    expect(await reportedErrors(true, other)).toEqual([other]);
  });
});

describe('the sending of a response', () => {
  test('breaks the connection off when Node refuses the head, and reports that', async () => {
    const errors: unknown[] = [];
    const res = new Outgoing();
    const refused = new TypeError('Invalid character in header content');
    res.writeHead = () => {
      throw refused;
    };
    serve(() => ok(), get(), { onError: (error) => void errors.push(error) }, res);
    await settled();
    expect([errors, res.destroyed]).toEqual([[refused], true]);
  });

  test.each<[string, () => unknown]>([
    ['whose member `then` throws when it is read', () => throwing('then')],
    ['whose member `body` throws when it is read', () => Object.assign(throwing('body'), { status: 200, headers: {} })],
    [
      'that throws for every member',
      () =>
        new Proxy(
          {},
          {
            get() {
              throw new Error('proxy');
            },
          },
        ),
    ],
    ['whose `then` throws when it is called', () => ({ then: () => throwing('x').x })],
    ['that resolves to one that throws', () => Promise.resolve(Object.assign(throwing('body'), { status: 200 }))],
  ])('of a value %s is a bare 500', async (_title, make) => {
    const onError = vi.fn();
    const res = serve(() => make() as never, get(), { onError });
    await settled();
    expect([res.status, res.text, res.ended]).toEqual([500, 'Internal Server Error\n', 1]);
    expect(onError.mock.calls).toEqual([[expect.any(Error), 'handler']]);
  });

  test('of a handler that throws a value that cannot be read is a bare 500, and that value is reported', async () => {
    const value = unreadable();
    const handlers: ApiHandler[] = [
      () => {
        throw value;
      },
      () => Promise.reject(value),
    ];
    for (const handler of handlers) {
      const errors: unknown[] = [];
      const res = serve(handler, get(), { onError: (error) => void errors.push(error) });
      await settled();
      expect([res.status, res.text, res.ended]).toEqual([500, 'Internal Server Error\n', 1]);
      expect(errors.length === 1 && errors[0] === value).toBe(true);
    }
  });

  test('is broken off where the source of a stream fails with such a value after its signal was aborted', async () => {
    const shutdown = new AbortController();
    const value = unreadable();
    const body: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        async next() {
          await settled();
          throw value;
        },
      }),
    };
    const errors: unknown[] = [];
    const options = { signal: shutdown.signal, onError: (error: unknown) => void errors.push(error) };
    const res = serve(() => ({ ...ok(), body }), get(), options);
    shutdown.abort();
    await settled();
    await settled();
    expect([res.destroyed, errors.length === 1 && errors[0] === value]).toEqual([true, true]);
  });

  test('of a thenable whose `then` returns nothing is that of its value', async () => {
    const thenable = { then: (resolve: (response: ApiResponse) => void): void => resolve(ok()) };
    const res = serve(() => thenable as never, get());
    await settled();
    expect([res.status, res.text, res.ended]).toEqual([200, 'the answer', 1]);
  });

  test.each(['GET', 'HEAD'])('with status 205 has no content and a length of 0: %s', async (method) => {
    const { body, released } = pendingBody();
    for (const given of ['ignored', null, body]) {
      const req = Object.assign(new Incoming({}, method), { complete: true });
      const res = serve(() => ({ status: 205, headers: { 'content-length': '7' }, body: given }), req);
      await settled();
      expect([res.status, res.headers, res.text, res.ended]).toEqual([205, { 'content-length': 0 }, '', 1]);
    }
    expect(released).toHaveBeenCalledOnce();
  });

  test('has no reason phrase set over HTTP/2, where Node warns of it', async () => {
    const { req, res } = http2();
    const set = vi.fn();
    Object.defineProperty(res, 'statusMessage', { set });
    serve(() => throwing('status') as never, req, { onError: () => undefined }, res);
    await settled();
    expect([res.status, set.mock.calls]).toEqual([500, []]);
  });

  test.each([undefined, new AbortController().signal])('completes a stream that has the signal %s', async (signal) => {
    const clock = fakeClock();
    const body = (async function* () {
      yield await Promise.resolve(new TextEncoder().encode('a'));
      clock.advance(200);
      yield new TextEncoder().encode('b');
    })();
    const errors: unknown[] = [];
    const res = serve(() => ({ status: 200, headers: {}, body, signal }) as ApiResponse, get(), {
      clock,
      onError: (error) => void errors.push(error),
    });
    await settled();
    await settled();
    expect([res.text, res.ended, errors]).toEqual(['ab', 1, []]);
  });

  test('breaks off a stream whose signal aborts later or was aborted before, and releases its source', async () => {
    for (const early of [true, false]) {
      const clock = fakeClock();
      const controller = new AbortController();
      if (early) controller.abort();
      const { body, released } = pendingBody();
      let code: unknown;
      const handler: ApiHandler = ({ signal }) => {
        signal?.addEventListener('abort', () => (code = (signal.reason as { code: unknown }).code));
        return { status: 200, headers: {}, body, signal: controller.signal };
      };
      const res = serve(handler, get(), { clock });
      await settled();
      clock.advance(100);
      if (!early) {
        expect(res.destroyed).toBe(false);
        controller.abort();
      }
      expect([res.destroyed, code]).toEqual([true, 'response-abandoned']);
      expect(released).toHaveBeenCalledOnce();
    }
  });

  test('completes a stream that has something else as its signal, and reports that', async () => {
    const clock = fakeClock();
    const body = (async function* () {
      yield await Promise.resolve(new TextEncoder().encode('a'));
      clock.advance(100);
    })();
    const onError = vi.fn();
    const res = serve(() => ({ ...ok(), body, signal: {} as AbortSignal }), get(), { clock, onError });
    await settled();
    await settled();
    expect([res.text, res.ended]).toEqual(['a', 1]);
    expect(onError.mock.calls).toEqual([[expect.any(TypeError), 'handler']]);
  });

  test('breaks off a stream whose client sends more than 8 MiB of body meanwhile', async () => {
    const req = new Incoming();
    const { body } = pendingBody();
    serve(() => ({ status: 200, headers: {}, body }), req);
    await settled();
    req.emit('data', Buffer.alloc(8 * 1024 * 1024));
    expect(req.socket.destroyed).toBe(false);
    req.emit('data', Buffer.alloc(1));
    expect(req.socket.destroyed).toBe(true);
  });
});

describe('a large response in one piece over HTTP/2', () => {
  const text = 'x'.repeat(70_000);

  test.each<[string, string | Uint8Array]>([
    ['text', text],
    ['bytes', new TextEncoder().encode(text)],
  ])('goes out in pieces as %s, and is released when it has been sent', async (_, body) => {
    for (const release of [undefined, vi.fn()]) {
      const { req, res, codes } = http2();
      serve(() => ({ status: 200, headers: {}, body, ...(release && { release }) }), req, {}, res);
      for (let rounds = 0; rounds < 3; rounds++) await settled();
      expect([res.headers, res.text === text, res.ended, codes]).toEqual([{ 'content-length': 70_000 }, true, 1, []]);
      if (release) expect(release).toHaveBeenCalledOnce();
    }
  });

  test('is complete where its release throws, which is reported', async () => {
    const { req, res, codes } = http2();
    const error = new Error('release');
    const onError = vi.fn();
    const release = (): never => {
      throw error;
    };
    serve(() => ({ status: 200, headers: {}, body: text, release }), req, { onError }, res);
    for (let rounds = 0; rounds < 3; rounds++) await settled();
    expect([res.text === text, res.ended, codes, onError.mock.calls]).toEqual([true, 1, [], [[error, 'handler']]]);
  });

  test('is broken off where a write throws, which is reported', async () => {
    const { req, res, codes } = http2();
    const refused = new Error('write after end');
    res.write = () => {
      throw refused;
    };
    const errors: unknown[] = [];
    serve(() => ({ status: 200, headers: {}, body: text }), req, { onError: (error) => void errors.push(error) }, res);
    for (let rounds = 0; rounds < 3; rounds++) await settled();
    expect([errors, codes, res.ended]).toEqual([[refused], [2], 0]);
    // The error of a later write is emitted here.
    expect(() => res.emit('error', new Error('EPIPE'))).not.toThrow();
  });
});

describe('the shutdown of a server', () => {
  test('closes open sessions of HTTP/2 once, and later ones with their first request, but not ended ones', async () => {
    const shutdown = new AbortController();
    const [open, ended, late] = [new Session(), new Session(), new Session()];
    const listener = toNodeListener(() => ok(), { signal: shutdown.signal }) as unknown as (
      req: Incoming,
      res: Outgoing,
    ) => void;
    for (const session of [open, open, ended]) {
      const { req, res } = http2(session);
      listener(req, res);
    }
    expect(open.listenerCount('close')).toBe(1);
    ended.emit('close');
    shutdown.abort();
    expect([open.closes, ended.closes]).toEqual([1, 0]);
    const { req, res } = http2(late);
    listener(req, res);
    expect(late.closes).toBe(1);
    await settled();
  });

  test.each<[unknown, object, string]>([
    [
      undefined,
      { drainTimeoutMs: -1, idleGraceMs: '5', connections: {} },
      'gracefulClose: the first argument must be the server to close, as createServer() or listen() returned it; drainTimeoutMs must be a number of at least 0, or Infinity; idleGraceMs must be a number of at least 0, or Infinity; connections must be what trackConnections() returned',
    ],
    [
      { close: () => undefined },
      { connections: null },
      'gracefulClose: connections must be what trackConnections() returned',
    ],
  ])('by gracefulClose(%j, %j) is refused with every fault of its arguments', (server, options, message) => {
    expect(() => gracefulClose(server as never, options as never)).toThrow(new TypeError(message));
  });

  test('closes a server that can do nothing but close', async () => {
    const close = vi.fn((closed: () => void) => closed());
    expect(await gracefulClose({ close }, { idleGraceMs: 0 })).toBe(true);
    expect(close).toHaveBeenCalledOnce();
  });
});
