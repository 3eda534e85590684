import { describe, expect, test } from 'vitest';
import type { ApiHandler } from '../../../../src/http/handler.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { Incoming, listening, Outgoing, serve, settled } from './hand-made.js';

const MIB = 1024 * 1024;
const ok = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'the answer' };

/** Reads the body up to a limit, and keeps what came of it. */
function reader(limit = 10): { handler: ApiHandler; came: unknown[] } {
  const came: unknown[] = [];
  const handler: ApiHandler = async (request) => {
    try {
      came.push(String(Buffer.from((await request.body?.(limit)) ?? new Uint8Array())));
    } catch (error) {
      came.push((error as { code?: unknown }).code ?? error);
      throw error;
    }
    return ok;
  };
  return { handler, came };
}

describe('the body of a request', () => {
  test.each([
    [['0123456789'], '0123456789'],
    [['01', '234', '56789'], '0123456789'],
    [[], ''],
  ])('is joined from the pieces %j, and no listener is left', async (pieces, body) => {
    const { handler, came } = reader();
    const req = new Incoming();
    const before = listening(req);
    const res = serve(handler, req);
    for (const piece of pieces) req.write(piece);
    req.end();
    await settled();
    expect([came, res.status, res.text]).toEqual([[body], 200, 'the answer']);
    expect(listening(req)).toEqual(before);
    expect(res.listenerCount('close')).toBe(0);
  });

  test('is responded to in the turn of the event loop in which it is handed over', async () => {
    const { handler, came } = reader();
    const req = new Incoming();
    const res = serve(handler, req);
    const turn = new Promise((resolve) => req.once('end', () => setImmediate(resolve)));
    req.end('0123');
    await turn;
    expect([came, res.ended]).toEqual([['0123'], 1]);
  });

  test('is encoded again where a framework has decoded it', async () => {
    const { handler, came } = reader();
    const req = new Incoming();
    req.setEncoding('utf8');
    serve(handler, req);
    req.write('é');
    await settled();
    req.end('ü'.repeat(4));
    await settled();
    expect(came).toEqual(['éüüüü']);
  });

  test('is limited by its bytes where a framework has decoded it', async () => {
    const { handler, came } = reader();
    const req = new Incoming();
    req.setEncoding('utf8');
    serve(handler, req);
    req.end('ü'.repeat(6));
    await settled();
    expect(came).toEqual(['too-large']);
  });

  test.each([
    ['0123456789', 200, '0123456789'],
    ['0123456789x', 413, 'too-large'],
  ])('of %j gets %i where ten bytes are allowed', async (body, status, outcome) => {
    const { handler, came } = reader();
    const req = new Incoming();
    const res = serve(handler, req);
    req.write(body.slice(0, 6));
    req.end(body.slice(6));
    await settled();
    expect([came, res.status]).toEqual([[outcome], status]);
  });

  test.each([
    ['10', '0123456789'],
    ['11', 'too-large'],
  ])('is checked by its content-length of %s before anything is read', async (length, outcome) => {
    const { handler, came } = reader();
    const req = new Incoming({ 'content-length': length });
    serve(handler, req);
    if (outcome !== 'too-large') req.end(outcome);
    await settled();
    expect(came).toEqual([outcome]);
  });

  test('is limited by the handler and by maxBodyBytes, whichever is less', async () => {
    for (const [limit, maxBodyBytes] of [
      [10, 4],
      [4, 10],
    ] as const) {
      const { handler, came } = reader(limit);
      const req = new Incoming();
      serve(handler, req, { maxBodyBytes });
      req.end('01234');
      await settled();
      expect(came).toEqual(['too-large']);
    }
  });

  test.each<[string, (req: Incoming, res: Outgoing) => void]>([
    ['the request reports an error', (req) => req.emit('error', new Error('ECONNRESET'))],
    ['the request closes', (req) => req.emit('close')],
    ['the response closes', (_, res) => res.emit('close')],
  ])('is no longer read where %s, and only listeners for errors are left', async (_, end) => {
    const { handler, came } = reader();
    const req = new Incoming();
    const before = listening(req);
    const res = serve(handler, req);
    req.write('01');
    await settled();
    end(req, res);
    await settled();
    expect([came, res.status]).toEqual([['aborted'], 400]);
    expect(listening(req)).toMatchObject(before);
    // One for errors after this, and those of the discarding.
    expect([req.listenerCount('error'), req.listenerCount('data'), res.listenerCount('close')]).toEqual([2, 1, 0]);
  });

  test('may report its error after the response has closed, as in Bun', async () => {
    const { handler, came } = reader();
    const req = new Incoming();
    const res = serve(handler, req);
    req.write('01');
    await settled();
    Object.assign(req, { complete: true });
    res.destroyed = true;
    res.emit('close');
    expect(() => req.emit('error', new Error('aborted'))).not.toThrow();
    await settled();
    expect(came).toEqual(['aborted']);
  });

  test('is aborted where the request broke off before it was read', async () => {
    const { handler, came } = reader();
    const req = new Incoming();
    req.destroy();
    serve(handler, req);
    await settled();
    expect(came).toEqual(['aborted']);
  });

  test.each<[Record<string, string>]>([[{}], [{ 'content-length': '0' }], [{ 'content-length': '00' }]])(
    'is empty with the headers %j, and the stream is not read',
    async (headers) => {
      const { handler, came } = reader();
      const req = new Incoming(headers);
      req.write('left for others');
      const res = serve(handler, req);
      await settled();
      expect([came, res.status, req.readableDidRead]).toEqual([[''], 200, false]);
    },
  );
});

describe('a body that a framework has read', () => {
  const parsed = async (
    more: object,
    limit?: number,
  ): Promise<{ came: unknown[]; res: Outgoing; errors: unknown[] }> => {
    const { handler, came } = reader(limit);
    const req = Object.assign(new Incoming(), more);
    req.end('gone');
    req.resume();
    await settled();
    const errors: unknown[] = [];
    const res = Object.assign(new Outgoing(), 'stream' in more ? { stream: more.stream } : {});
    serve(handler, req, { onError: (error) => void errors.push(error) }, res);
    await settled();
    return { came, res, errors };
  };

  test.each<[string, object, string]>([
    ['rawBody as text', { rawBody: 'raw', body: { a: 1 } }, 'raw'],
    ['rawBody as bytes', { rawBody: Buffer.from('raw'), body: 'b' }, 'raw'],
    ['body as text', { body: 'text' }, 'text'],
    ['body as bytes', { body: Buffer.from('bytes') }, 'bytes'],
    ['body as a value', { body: { a: 1 } }, '{"a":1}'],
    ['body as null', { body: null }, 'null'],
    ['body as a value that has no JSON', { body: () => 1 }, ''],
    ['rawBody of another type beside a body', { rawBody: 5, body: 'text' }, 'text'],
  ])('is taken from %s', async (_, more, expected) => {
    expect((await parsed(more)).came).toEqual([expected]);
  });

  test.each([[{ rawBody: '0123' }], [{ body: '0123' }], [{ body: { a: 1 } }]])(
    'has the limit of every body: %j',
    async (more) => {
      const { came, res } = await parsed(more, 3);
      expect([came, res.status]).toEqual([['too-large'], 413]);
    },
  );

  test('is too large when it is nested too deeply to be written, and an error when it cannot be written', async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect((await parsed({ body: deep })).came).toEqual(['too-large']);
    const { res, errors } = await parsed({ body: { a: 1n } });
    expect([res.status, errors]).toMatchObject([500, [{ name: 'TypeError' }]]);
  });

  test('is an error that explains what to do when nothing of it is left', async () => {
    const { res, errors } = await parsed({});
    expect(res.status).toBe(500);
    expect(String(errors[0])).toMatch(
      /^TypeError: something has read the request body already: mount the listener .*kube-vitals\/fastify.*kube-vitals\/nest/,
    );
  });

  test('is aborted, and not reported, when the client has reset the stream of HTTP/2 before it is read', async () => {
    // Node has ended this body, though nothing has read it.
    const stream = { destroyed: true, endAfterHeaders: false, close: () => undefined, once: () => undefined };
    const { came, errors } = await parsed({ stream });
    expect([came, errors]).toEqual([['aborted'], []]);
  });
});

describe('the rest of a body after the response', () => {
  const refuse: ApiHandler = () => ok;
  const withClock = (): { clock: ReturnType<typeof fakeClock>; timers: () => number } => {
    const clock = fakeClock();
    const waiting = new Set<object>();
    const { setTimer } = clock;
    return {
      clock: {
        ...clock,
        setTimer(callback, delay) {
          const mark = {};
          waiting.add(mark);
          const timer = setTimer(() => {
            waiting.delete(mark);
            callback();
          }, delay);
          return {
            cancel() {
              waiting.delete(mark);
              timer.cancel();
            },
          };
        },
      },
      timers: () => waiting.size,
    };
  };

  test('does not delay the response, which ends when the rest has been read', async () => {
    const { clock, timers } = withClock();
    const req = new Incoming();
    const res = serve(refuse, req, { clock, stallTimeoutMs: Infinity });
    expect([res.text, res.ended]).toEqual(['the answer', 0]);
    req.write('more');
    await settled();
    expect(res.ended).toBe(0);
    req.end();
    await settled();
    expect([res.text, res.ended, req.socket.destroyed, timers()]).toEqual(['the answer', 1, false, 0]);
    expect(req.isPaused()).toBe(false);
    expect(listening(req)).toEqual({ error: 1 });
  });

  test('does not delay the head of a response without content', async () => {
    const req = new Incoming();
    const res = serve(() => ({ status: 204, headers: {}, body: null }), req);
    expect([res.status, res.flushed, res.ended]).toEqual([204, 1, 0]);
    req.end();
    await settled();
    expect(res.ended).toBe(1);
  });

  test.each([
    [8 * MIB, false],
    [8 * MIB + 1, true],
  ])('of %i bytes destroys the connection: %s', async (bytes, destroyed) => {
    const { clock, timers } = withClock();
    const req = new Incoming();
    const res = serve(refuse, req, { clock, stallTimeoutMs: Infinity });
    await settled();
    req.emit('data', Buffer.alloc(8 * MIB));
    if (bytes > 8 * MIB) req.emit('data', Buffer.alloc(1));
    expect([req.socket.destroyed, res.ended, timers()]).toEqual([destroyed, destroyed ? 1 : 0, destroyed ? 0 : 1]);
  });

  test('is read for five seconds, after which the connection is destroyed', async () => {
    const { clock, timers } = withClock();
    const req = new Incoming();
    const res = serve(refuse, req, { clock, stallTimeoutMs: Infinity });
    await settled();
    clock.advance(4_999);
    expect([req.socket.destroyed, res.ended]).toEqual([false, 0]);
    clock.advance(1);
    expect([req.socket.destroyed, res.ended, timers(), req.isPaused()]).toEqual([true, 1, 0, true]);
    req.emit('end');
    expect(res.ended).toBe(1);
  });

  test('ends when the client leaves, and an error after that is ignored', async () => {
    const { clock, timers } = withClock();
    const req = new Incoming();
    const res = serve(refuse, req, { clock, stallTimeoutMs: Infinity });
    await settled();
    req.emit('close');
    expect([res.ended, timers()]).toEqual([1, 0]);
    expect(() => req.emit('error', new Error('EPIPE'))).not.toThrow();
    expect(res.ended).toBe(1);
  });

  test.each([
    [String(8 * MIB), true],
    [String(8 * MIB + 1), false],
  ])('keeps the connection alive with a content-length of %s: %s', (length, keeps) => {
    const res = serve(refuse, new Incoming({ 'content-length': length }));
    expect(res.shouldKeepAlive).toBe(keeps);
  });

  test('keeps the connection alive when it has been read, and not when its length is unknown', async () => {
    expect(serve(refuse, new Incoming()).shouldKeepAlive).toBe(false);
    const { handler } = reader();
    const req = new Incoming();
    req.end('01');
    const res = serve(handler, req);
    await settled();
    expect([res.shouldKeepAlive, res.ended]).toEqual([true, 1]);
  });
});
