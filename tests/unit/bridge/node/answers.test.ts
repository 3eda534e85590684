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
  const stream = { session, destroyed, endAfterHeaders: true, close: (code: number) => void codes.push(code) };
  return { req: Object.assign(get(), { stream }), res: Object.assign(new Outgoing(), { stream }), codes };
};

/** A body that never gives anything, and says when it is let go of. */
function parked() {
  const released = vi.fn(() => Promise.resolve({ done: true as const, value: undefined }));
  const next = (): Promise<never> => new Promise(() => undefined);
  const body: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next, return: released }) };
  return { body, released };
}

describe('the head of an answer', () => {
  const handler: ApiHandler = () => ok({ connection: 'close', upgrade: 'x', 'content-type': 'text/plain' });

  test('Headers about the connection go out over HTTP/1 and stay away from HTTP/2.', async () => {
    const over1 = serve(handler, get());
    const { req, res } = http2();
    serve(handler, req, {}, res);
    await settled();
    const length = { 'content-type': 'text/plain', 'content-length': 10 };
    expect(over1.headers).toEqual({ connection: 'close', upgrade: 'x', ...length });
    expect(res.headers).toEqual(length);
  });

  test('A request without a target is one for the root.', async () => {
    const seen: string[] = [];
    serve((request) => void seen.push(request.url), Object.assign(get(), { url: undefined }));
    serve((request) => void seen.push(request.url), Object.assign(get(), { originalUrl: '/a/b', url: '/b' }));
    await settled();
    expect(seen.slice(0, 1)).toEqual(['/']);
  });

  test('Below a mount the path that is left is asked for first, then the path that the client sent.', async () => {
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
    ['the answer was destroyed', () => ({ req: get(), res: Object.assign(new Outgoing(), { destroyed: true }) })],
    ['the stream of HTTP/2 was destroyed', () => http2(new Session(), true)],
  ])('Nothing is written where %s, and a body is let go of.', async (_, make) => {
    const { req, res } = make();
    const { body, released } = parked();
    serve(() => ({ ...ok(), body }), req, {}, res);
    await settled();
    expect([res.status, res.text, res.ended]).toEqual([0, '', 0]);
    expect(released).toHaveBeenCalledOnce();
  });

  test('An answer that waits for its turn on a connection that broke off is not begun.', async () => {
    const req = get();
    const res = Object.assign(new Outgoing(), { socket: null });
    let begun = 0;
    serve(() => (begun++, ok()), req, {}, res);
    req.socket.destroyed = true;
    res.emit('socket');
    await settled();
    expect([begun, res.status]).toEqual([0, 0]);
  });

  test('An answer whose client has ended its side is not begun, and one whose client has not is.', async () => {
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

  test('What a handler throws because it was told that the client left is no error; anything else is.', async () => {
    const told = async (leaves: boolean, error: Error): Promise<unknown[]> => {
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
    expect(await told(true, stopped)).toEqual([]);
    expect(await told(false, stopped)).toEqual([stopped]);
    expect(await told(true, other)).toEqual([other]);
  });
});

describe('an answer that cannot be sent', () => {
  test('A head that Node refuses breaks the connection off, and the service is told.', async () => {
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

  test.each([undefined, new AbortController().signal])(
    'A stream may come with the signal %s and ends by itself.',
    async (signal) => {
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
    },
  );

  test('A stream whose signal aborts late or had aborted before is broken off, and its source is let go.', async () => {
    for (const early of [true, false]) {
      const clock = fakeClock();
      const controller = new AbortController();
      if (early) controller.abort();
      const { body, released } = parked();
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
      expect([res.destroyed, code]).toEqual([true, 'answer-given-up']);
      expect(released).toHaveBeenCalledOnce();
    }
  });

  test('A stream whose client keeps sending a body is cut off when that is too much.', async () => {
    const req = new Incoming();
    const { body } = parked();
    serve(() => ({ status: 200, headers: {}, body }), req);
    await settled();
    req.emit('data', Buffer.alloc(8 * 1024 * 1024));
    expect(req.socket.destroyed).toBe(false);
    req.emit('data', Buffer.alloc(1));
    expect(req.socket.destroyed).toBe(true);
  });
});

describe('a large answer in one piece over HTTP/2', () => {
  const text = 'x'.repeat(70_000);

  test.each<[string, string | Uint8Array]>([
    ['text', text],
    ['bytes', new TextEncoder().encode(text)],
  ])('As %s it goes out in pieces, and is released when it has been sent.', async (_, body) => {
    for (const release of [undefined, vi.fn()]) {
      const { req, res, codes } = http2();
      serve(() => ({ status: 200, headers: {}, body, ...(release && { release }) }), req, {}, res);
      for (let rounds = 0; rounds < 3; rounds++) await settled();
      expect([res.headers, res.text === text, res.ended, codes]).toEqual([{ 'content-length': 70_000 }, true, 1, []]);
      if (release) expect(release).toHaveBeenCalledOnce();
    }
  });

  test('Where a write of it throws the stream is broken off, and the service is told.', async () => {
    const { req, res, codes } = http2();
    const refused = new Error('write after end');
    res.write = () => {
      throw refused;
    };
    const errors: unknown[] = [];
    serve(() => ({ status: 200, headers: {}, body: text }), req, { onError: (error) => void errors.push(error) }, res);
    for (let rounds = 0; rounds < 3; rounds++) await settled();
    expect([errors, codes, res.ended]).toEqual([[refused], [2], 0]);
    // A write that fails later says it here as well.
    expect(() => res.emit('error', new Error('EPIPE'))).not.toThrow();
  });
});

describe('a server that shuts down', () => {
  test('Sessions of HTTP/2 are closed once, those that have ended are forgotten, and those that come later end soon.', async () => {
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
  ])('gracefulClose(%j, %j) names every fault of its arguments.', (server, options, message) => {
    expect(() => gracefulClose(server as never, options as never)).toThrow(new TypeError(message));
  });

  test('A server that can do nothing but close is closed.', async () => {
    const close = vi.fn((closed: () => void) => closed());
    expect(await gracefulClose({ close }, { idleGraceMs: 0 })).toBe(true);
    expect(close).toHaveBeenCalledOnce();
  });
});
