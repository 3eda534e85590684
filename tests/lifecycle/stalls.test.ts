import { getEventListeners, once } from 'node:events';
import { connect, createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import { connect as connectTcp, createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ApiRequest } from '../../src/http/request.js';
import type { ApiHandler } from '../../src/http/handler.js';
import { toNodeListener } from '../../src/node.js';
import { fakeClock, type FakeClock } from '../../src/testing.js';
import { feedHandler, gate, raw, serve, text, type Gate } from './support.js';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const CHUNK = Buffer.alloc(256 * 1024, 'x');

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((done) => setImmediate(done));
};

/** A source without an end, which records how it was ended. */
function endless(chunk = CHUNK): {
  readonly handler: ApiHandler;
  readonly given: () => number;
  readonly aborted: Gate<unknown>;
  readonly returned: Gate;
  readonly request: Gate<ApiRequest>;
} {
  let given = 0;
  const aborted = gate<unknown>();
  const returned = gate();
  const request = gate<ApiRequest>();
  return {
    given: () => given,
    aborted,
    returned,
    request,
    handler: (asked) => {
      request.open(asked);
      asked.signal?.addEventListener('abort', () => aborted.open(asked.signal?.reason));
      async function* source(): AsyncGenerator<Uint8Array> {
        try {
          for (;;) {
            given++;
            yield await Promise.resolve(chunk);
          }
        } finally {
          returned.open();
        }
      }
      return { status: 200, headers: {}, body: source() };
    },
  };
}

/** Waits until the count stops growing, because the buffers of the system are full. */
async function untilStill(count: () => number): Promise<void> {
  let before = -1;
  await vi.waitFor(
    async () => {
      await turns(20);
      const now = count();
      const still = now === before && now > 0;
      before = now;
      expect(still).toBe(true);
    },
    { timeout: 10_000, interval: 5 },
  );
}

/** Advances the clock sweep by sweep, with turns of the event loop in between. */
async function pass(clock: FakeClock, ms: number, between: () => unknown = () => undefined): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5_000) {
    clock.advance(5_000);
    await between();
    await turns(2);
  }
}

describe('a client that reads nothing of a streaming response', () => {
  test('is disconnected after stallTimeoutMs, with a reason, and the source is ended', async () => {
    const clock = fakeClock();
    const source = endless();
    const { port, errors } = await serve(source.handler, { clock });
    const client = raw(port);
    client.socket.pause();
    client.send(GET);
    await untilStill(source.given);
    const aborted = vi.fn();
    void source.aborted.promise.then(aborted);
    await pass(clock, 55_000);
    expect(aborted).not.toHaveBeenCalled();
    await pass(clock, 10_000);
    expect(await source.aborted.promise).toMatchObject({ name: 'AbortError', code: 'reader-stalled' });
    await source.returned.promise;
    client.socket.resume();
    expect((await client.closed).endsWith('0\r\n\r\n')).toBe(false);
    expect(errors).toEqual([]);
  });

  test('is kept if it reads slowly, also within one large chunk', async () => {
    const clock = fakeClock();
    const source = endless(Buffer.alloc(64 * 1024 * 1024, 'x'));
    const { server, port } = await serve(source.handler, { clock });
    const client = raw(port);
    client.socket.pause();
    let taken = 0;
    client.socket.on('data', (data: string) => (taken += data.length));
    const accepted = once(server, 'connection');
    client.send(GET);
    const [socket] = (await accepted) as [{ _handle: { writeQueueSize: number } }];
    await source.request.promise;
    const left = (): number => socket._handle.writeQueueSize;
    await vi.waitFor(() => expect(left()).toBeGreaterThan(0), { interval: 1 });
    const aborted = vi.fn();
    void source.aborted.promise.then(aborted);
    for (let minute = 0; minute < 3; minute++) {
      await pass(clock, 55_000);
      // The system accepts more only once a good part of its buffer is free.
      const before = left();
      client.socket.resume();
      await vi.waitFor(() => expect(left()).toBeLessThan(before), { interval: 1, timeout: 5_000 });
      client.socket.pause();
      await turns(5);
    }
    expect(source.given()).toBe(1);
    expect(aborted).not.toHaveBeenCalled();
    expect(taken).toBeGreaterThan(0);
  });

  test('is not confused with a quiet watch', async () => {
    const clock = fakeClock();
    const { handler, at } = feedHandler();
    const { port } = await serve(handler, { clock });
    const client = raw(port);
    client.send(GET);
    const source = await at(0);
    source.push('one');
    await client.until('one');
    await pass(clock, 600_000);
    source.push('two');
    await client.until('two');
  });

  test('is never disconnected if stallTimeoutMs is Infinity', async () => {
    const timers: number[] = [];
    const clock = fakeClock();
    const source = endless();
    const { port } = await serve(source.handler, {
      stallTimeoutMs: Infinity,
      clock: { ...clock, setTimer: (callback, ms) => (timers.push(ms), clock.setTimer(callback, ms)) },
    });
    const client = raw(port);
    client.socket.pause();
    client.send(GET);
    await untilStill(source.given);
    expect(timers).toEqual([]);
  });

  test('costs one timer for all, and none when no stream is open', async () => {
    const clock = fakeClock();
    let timers = 0;
    const counted = {
      ...clock,
      setTimer: (callback: () => void, ms: number) => (timers++, clock.setTimer(callback, ms)),
    };
    const { handler, at } = feedHandler();
    const { port } = await serve(handler, { clock: counted });
    const clients = Array.from({ length: 10 }, () => raw(port));
    for (const client of clients) client.send(GET);
    const sources = await Promise.all(clients.map((_, index) => at(index)));
    for (let frame = 0; frame < 50; frame++) for (const source of sources) source.push(`frame ${frame};`);
    for (const client of clients) await client.until('frame 49;');
    expect(timers).toBe(1);
    for (const source of sources) source.end();
    for (const client of clients) await client.until('0\r\n\r\n');
    await turns(5);
    await pass(clock, 60_000);
    expect(timers).toBe(1);
  });
});

describe('a response in one piece that is not read', () => {
  const large = 'x'.repeat(32 * 1024 * 1024);

  test('is aborted after stallTimeoutMs', async () => {
    const clock = fakeClock();
    const { server, port } = await serve(() => text(large), { clock });
    const client = raw(port);
    client.socket.pause();
    const accepted = once(server, 'connection');
    client.send(GET);
    const [socket] = (await accepted) as [NodeJS.EventEmitter & { writableLength: number }];
    await vi.waitFor(() => expect(socket.writableLength).toBeGreaterThan(0), { interval: 1 });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await turns(20);
    await pass(clock, 70_000);
    await closed;
  });

  /** 64 MiB pass through two sockets of one process. */
  const PATIENT = { interval: 50, timeout: 10_000 };

  test('arrives completely when the client reads on', async () => {
    const clock = fakeClock();
    const { port } = await serve(() => text(large), { clock });
    const client = raw(port);
    client.socket.pause();
    client.send(GET);
    await turns(20);
    await pass(clock, 30_000);
    client.socket.resume();
    await vi.waitFor(() => expect(client.received().length).toBeGreaterThan(large.length), PATIENT);
    await pass(clock, 120_000);
    client.send(GET);
    await vi.waitFor(() => expect(client.received().length).toBeGreaterThan(2 * large.length), PATIENT);
  });
});

describe('over HTTP/2', () => {
  const serve2 = async (handler: ApiHandler, clock: FakeClock) => {
    const server = createHttp2Server(toNodeListener(handler, { clock }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sessions: ServerHttp2Session[] = [];
    server.on('session', (opened) => void sessions.push(opened));
    const { port } = server.address() as AddressInfo;
    const session = connect(`http://127.0.0.1:${port}`);
    session.on('error', () => undefined);
    onTestFinished(() => {
      session.destroy();
      server.close();
    });
    /** The session of the client that came last. */
    const serverSession = async (): Promise<ServerHttp2Session> => {
      await vi.waitFor(() => expect(sessions.length).toBeGreaterThan(1), { interval: 1 });
      return sessions.at(-1) as ServerHttp2Session;
    };
    return { port, session, serverSession };
  };

  test('a stalled stream is ended, and the connection stays open', async () => {
    const clock = fakeClock();
    const source = endless();
    const { session } = await serve2(
      (request) => (request.url === '/plain' ? text('plain') : source.handler(request)),
      clock,
    );
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => undefined);
    await once(stream, 'response');
    stream.pause();
    await turns(50);
    await pass(clock, 55_000);
    expect(stream.closed).toBe(false);
    await pass(clock, 15_000);
    expect(await source.aborted.promise).toMatchObject({ code: 'reader-stalled' });
    await source.returned.promise;
    const plain = session.request({ ':path': '/plain' });
    let received = '';
    for await (const data of plain) received += String(data);
    expect(received).toBe('plain');
  });

  test('a large response in one piece arrives completely, and is ended if it is not read', async () => {
    const clock = fakeClock();
    const large = 'é'.repeat(1024 * 1024);
    const { session } = await serve2(() => text(large), clock);
    const read = session.request({ ':path': '/' });
    const chunks: Buffer[] = [];
    for await (const data of read) chunks.push(data as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe(large);

    const unread = session.request({ ':path': '/' });
    const broken = new Promise<number | undefined>((resolve) => unread.on('close', () => resolve(unread.rstCode)));
    unread.on('error', () => undefined);
    await once(unread, 'response');
    unread.pause();
    await turns(50);
    await pass(clock, 70_000);
    await turns(50);
    unread.resume();
    expect(await broken).toBe(2);
  });

  test('a connection on which nothing is read is closed with its streams', async () => {
    const clock = fakeClock();
    const source = endless();
    const { serverSession, port } = await serve2(source.handler, clock);
    // A proxy between client and server, which stops reading.
    const upstreams: Socket[] = [];
    const between = createServer((client) => {
      const upstream = connectTcp(port, '127.0.0.1');
      upstreams.push(upstream);
      for (const socket of [client, upstream]) socket.on('error', () => undefined);
      client.pipe(upstream).pipe(client);
    });
    between.listen(0, '127.0.0.1');
    await once(between, 'listening');
    const session = connect(`http://127.0.0.1:${(between.address() as AddressInfo).port}`, {
      settings: { initialWindowSize: 2 ** 30 },
    });
    session.on('error', () => undefined);
    onTestFinished(() => {
      session.destroy();
      for (const upstream of upstreams) upstream.destroy();
      between.close();
    });
    await once(session, 'connect');
    session.setLocalWindowSize(2 ** 30);
    const gone = serverSession().then((opened) => new Promise((resolve) => opened.once('close', resolve)));
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => undefined);
    await once(stream, 'response');
    for (const upstream of upstreams) upstream.unpipe().pause();
    await untilStill(source.given);
    await pass(clock, 70_000);
    expect(await source.aborted.promise).toMatchObject({ code: 'reader-stalled' });
    await gone;
  });
});

describe('the signal of a response', () => {
  const givingUp = (): { handler: ApiHandler; giveUp: AbortController; source: ReturnType<typeof endless> } => {
    const giveUp = new AbortController();
    const source = endless();
    const handler: ApiHandler = (request) =>
      ({ ...(source.handler(request) as object), signal: giveUp.signal }) as never;
    return { handler, giveUp, source };
  };

  test('ends it while a chunk waits for the socket', async () => {
    const { handler, giveUp, source } = givingUp();
    const { port, errors } = await serve(handler);
    const client = raw(port);
    client.socket.pause();
    client.send(GET);
    await untilStill(source.given);
    giveUp.abort();
    expect(await source.aborted.promise).toMatchObject({ code: 'response-abandoned' });
    await source.returned.promise;
    client.socket.resume();
    expect((await client.closed).endsWith('0\r\n\r\n')).toBe(false);
    expect(errors).toEqual([]);
  });

  test('ends it if it was aborted before, and does nothing after the end', async () => {
    const early = feedHandler();
    const { port } = await serve(
      (request) => ({ ...(early.handler(request) as object), signal: AbortSignal.abort() }) as never,
    );
    const client = raw(port);
    client.send(GET);
    await (
      await early.at(0)
    ).returned;
    await client.closed;

    const late = new AbortController();
    const feeds = feedHandler();
    const other = await serve((request) => ({ ...(feeds.handler(request) as object), signal: late.signal }) as never);
    const second = raw(other.port);
    second.send(GET);
    (await feeds.at(0)).push('first');
    await second.until('first');
    await expect.poll(() => getEventListeners(late.signal, 'abort').length).toBe(1);
    (await feeds.at(0)).end();
    await second.until('0\r\n\r\n');
    expect(getEventListeners(late.signal, 'abort')).toEqual([]);
    late.abort();
    second.send(GET);
    (await feeds.at(1)).push('second');
    await second.until('second');
    second.send(GET);
    await feeds.at(1);
  });
});
