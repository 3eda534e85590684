import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import {
  connect as connectHttp2,
  createSecureServer as createSecureHttp2Server,
  createServer as createHttp2Server,
} from 'node:http2';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ApiHandler } from '../../src/http/handler.js';
import { gracefulClose, toNodeListener, trackConnections } from '../../src/node.js';
import { gate, raw, text, whole } from './support.js';
import { createRandom } from '../random/random.js';
import { testSeed } from '../random/seed.js';

/** What clients do at random, the same again with the same seed. */
const random = createRandom(testSeed());

const RUNS = 3;
const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

let pem: { readonly private: string; readonly cert: string };

let clients: ChildProcess;

beforeAll(async () => {
  clients = fork(join(import.meta.dirname, 'strict-client.ts'), { execArgv: ['--import', 'tsx'] });
  await once(clients, 'message');
  pem = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 });
});

afterAll(() => void clients.kill());

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const handler: ApiHandler = async (request) => {
  if (request.url === '/slow') await pause(20 + 60 * random.fraction());
  return text('answered');
};

describe.each([
  ['HTTP', false],
  ['TLS', true],
])('draining over %s', (_, secure) => {
  const serverFor = (listener: RequestListener): Server =>
    secure ? (createSecureServer({ key: pem.private, cert: pem.cert }, listener) as Server) : createServer(listener);

  test.each([
    ['with a tracker and the signal of the listener', true],
    ['with neither', false],
  ])('resets no request that was sent before its client could detect the shutdown, %s', async (_title, announced) => {
    for (let run = 0; run < RUNS; run++) {
      const closing = new AbortController();
      const server = serverFor(toNodeListener(handler, announced ? { signal: closing.signal } : {}));
      const connections = announced ? trackConnections(server) : undefined;
      const port = await listening(server);
      clients.send({ port, secure });
      await once(clients, 'message');
      const outcome = once(clients, 'message');
      await pause(100 + 200 * random.fraction());
      // Far longer than clients wait before they send, which takes longer on a busy machine.
      const closed = gracefulClose(server, { connections, idleGraceMs: 8_000, drainTimeoutMs: 20_000 });
      if (announced) closing.abort();
      const [load] = (await outcome) as [{ resets: string[]; responses: number; farewells: number }];
      expect(load.resets).toEqual([]);
      expect(load.responses).toBeGreaterThan(20);
      expect(load.farewells).toBeGreaterThan(0);
      expect(await closed).toBe(true);
    }
  });
});

describe.each([
  ['HTTP', false],
  ['TLS', true],
])('a connection over %s on which nothing was ever sent', (_, secure) => {
  const start = async (): Promise<{ server: Server; port: number }> => {
    const listener: RequestListener = toNodeListener(handler);
    const server = secure
      ? (createSecureServer({ key: pem.private, cert: pem.cert }, listener) as Server)
      : createServer(listener);
    return { server, port: await listening(server) };
  };
  const open = async (port: number): Promise<Socket> => {
    const socket = secure ? connectTls(port, '127.0.0.1', { rejectUnauthorized: false }) : connect(port, '127.0.0.1');
    await once(socket, secure ? 'secureConnect' : 'connect');
    onTestFinished(() => void socket.destroy());
    return socket;
  };

  test.each([
    ['without', false],
    ['with', true],
  ])('is closed after idleGraceMs %s trackConnections, and without a reset', async (_title, tracked) => {
    const { server, port } = await start();
    const connections = tracked ? trackConnections(server) : undefined;
    const unused = await open(port);
    const ended = once(unused, 'end');
    unused.resume();
    const begun = performance.now();
    expect(await gracefulClose(server, { connections, drainTimeoutMs: 15_000, idleGraceMs: 400 })).toBe(true);
    expect(performance.now() - begun).toBeGreaterThan(390);
    expect(performance.now() - begun).toBeLessThan(5_000);
    await ended;
  });

  test('is closed a second later when its client does not close its side', async () => {
    const { server, port } = await start();
    const unused = await open(port);
    unused.allowHalfOpen = true;
    expect(await gracefulClose(server, { drainTimeoutMs: 15_000, idleGraceMs: 0 })).toBe(true);
  });

  test('gets a response when its first request comes in the meantime', async () => {
    const { server, port } = await start();
    const client = await open(port);
    const closed = gracefulClose(server, { drainTimeoutMs: 15_000, idleGraceMs: 2_000 });
    await vi.waitFor(() => expect(server.listening).toBe(false), { interval: 5 });
    client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(await whole(client)).toMatch(/^HTTP\/1\.1 200 OK[^]*answered$/);
    expect(await closed).toBe(true);
  });

  test('that began a request is waited for', async () => {
    const { server, port } = await start();
    const client = await open(port);
    client.write('GET / HTT');
    const closed = gracefulClose(server, { drainTimeoutMs: 15_000, idleGraceMs: 10_000 });
    await pause(1_500);
    client.write('P/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(await whole(client)).toMatch(/^HTTP\/1\.1 200 OK[^]*answered$/);
    expect(await closed).toBe(true);
  });
});

describe('while a server drains', () => {
  const served = async (
    own: ApiHandler,
    signal?: AbortSignal,
  ): Promise<{ server: Server; port: number; connections: ReturnType<typeof trackConnections> }> => {
    const server = createServer(toNodeListener(own, { signal }));
    const connections = trackConnections(server);
    return { server, connections, port: await listening(server) };
  };

  test('a response in flight carries Connection: close, and so does a later one', async () => {
    const go = gate();
    const asked = gate();
    const { server, port, connections } = await served(async (request) => {
      if (request.url === '/slow') {
        asked.open();
        await go.promise;
      }
      return text('answered');
    });
    const [slow, idle, unused] = [raw(port), raw(port), raw(port)];
    slow.send(GET('/slow'));
    idle.send(GET('/'));
    await idle.until('answered');
    await asked.promise;
    const closed = gracefulClose(server, { connections });
    // Responses announce the close once the server has stopped listening, which it does later on a busy machine.
    await vi.waitFor(() => expect(server.listening).toBe(false), { interval: 5, timeout: 10_000 });
    const before = idle.received().length;
    idle.send(GET('/'));
    unused.send(GET('/'));
    expect((await idle.closed).slice(before)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*connection: close\r\n[^]*answered$/i);
    expect(await unused.closed).toMatch(/connection: close\r\n[^]*answered$/i);
    go.open();
    expect(await slow.closed).toMatch(/connection: close\r\n[^]*answered$/i);
    expect(await closed).toBe(true);
  });

  test("a response of the service's own route carries it as well", async () => {
    const ours = toNodeListener(() => undefined);
    // Until the server has stopped listening.
    const stopped = (): Promise<void> => vi.waitFor(() => expect(server.listening).toBe(false), { interval: 5 });
    const server = createServer((req, res) => ours(req, res, () => void stopped().then(() => res.end('own'))));
    const port = await listening(server);
    const connections = trackConnections(server);
    const client = raw(port);
    client.send(GET('/'));
    await once(server, 'request');
    expect(await gracefulClose(server, { connections })).toBe(true);
    expect(await client.closed).toMatch(/connection: close\r\n[^]*own/i);
  });

  test('all pipelined requests get responses, and the last one carries it', async () => {
    const go = gate();
    const asked = gate();
    const closing = new AbortController();
    const { server, port, connections } = await served(async (request) => {
      asked.open();
      await go.promise;
      return text(`<${request.url}>`);
    }, closing.signal);
    const client = raw(port);
    client.send(GET('/1') + GET('/2') + GET('/3'));
    await asked.promise;
    const closed = gracefulClose(server, { connections });
    closing.abort();
    // Until the server has stopped listening.
    await vi.waitFor(() => expect(server.listening).toBe(false), { interval: 5 });
    go.open();
    const received = await client.closed;
    expect(received.match(/connection: (close|keep-alive)|<\/\d>/gi)?.map((found) => found.toLowerCase())).toEqual([
      'connection: keep-alive',
      '</1>',
      'connection: keep-alive',
      '</2>',
      'connection: close',
      '</3>',
    ]);
    expect(await closed).toBe(true);
  });

  test('an idle connection is closed after idleGraceMs, with FIN and without a reset', async () => {
    const { server, port, connections } = await served(() => text('answered'));
    const [idle, unused] = [raw(port), raw(port)];
    const errors: unknown[] = [];
    for (const client of [idle, unused]) client.socket.on('error', (error) => errors.push(error));
    idle.send(GET('/'));
    await idle.until('answered');
    const begun = performance.now();
    expect(await gracefulClose(server, { connections, idleGraceMs: 300 })).toBe(true);
    expect(performance.now() - begun).toBeGreaterThan(290);
    await Promise.all([idle.closed, unused.closed]);
    expect(errors).toEqual([]);
  });

  test('a client that does not close its side is disconnected a second later', async () => {
    const { server, port, connections } = await served(() => text('answered'));
    const client = raw(port);
    client.socket.allowHalfOpen = true;
    client.send(GET('/'));
    await client.until('answered');
    expect(await gracefulClose(server, { connections, idleGraceMs: 0 })).toBe(true);
  });

  test('HTTP/2 streams finish', async () => {
    const closing = new AbortController();
    const go = gate();
    const asked = gate();
    const server = createHttp2Server(
      toNodeListener(
        async (request) => {
          if (request.url === '/slow') {
            asked.open();
            await go.promise;
          }
          return text('answered');
        },
        { signal: closing.signal },
      ),
    );
    const connections = trackConnections(server as never);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => session.destroy());
    const slow = session.request({ ':path': '/slow' });
    await asked.promise;
    const closed = gracefulClose(server as never, { connections });
    closing.abort();
    go.open();
    expect(await whole(slow)).toBe('answered');
    expect(await closed).toBe(true);
  });

  test.each([['h2c', false] as const, ['TLS', true] as const])(
    'an HTTP/2 client that does not close its side is waited for a second, over %s',
    async (_title, secure) => {
      const listener = toNodeListener(() => text('answered'));
      const key = { key: pem.private, cert: pem.cert };
      const server = secure ? createSecureHttp2Server(key, listener) : createHttp2Server(listener);
      const connections = trackConnections(server as never);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const where = { port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true };
      const tls = { ALPNProtocols: ['h2'], rejectUnauthorized: false };
      // Apache httpd keeps such connections in its pool.
      const socket = secure ? connectTls({ ...where, ...tls }) : connect(where);
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => undefined);
      // The preface, SETTINGS, and GET / on stream 1.
      socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
      socket.write(Buffer.from('000000040000000000' + '000006010500000001' + '828684010178', 'hex'));
      let received = '';
      socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
      await expect.poll(() => received).toContain('answered');
      const closed = gracefulClose(server as never, { connections, drainTimeoutMs: 8_000, idleGraceMs: 100 });
      expect(await closed).toBe(true);
    },
  );

  test('an HTTP/2 server is closed after drainTimeoutMs', async () => {
    const never = gate();
    const asked = gate();
    const server = createHttp2Server(
      toNodeListener(async () => {
        asked.open();
        await never.promise;
        return text('');
      }),
    );
    const connections = trackConnections(server as never);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    session.on('error', () => undefined);
    session.request({ ':path': '/' }).on('error', () => undefined);
    await asked.promise;
    const gone = new Promise((resolve) => session.on('close', resolve));
    expect(await gracefulClose(server as never, { connections, drainTimeoutMs: 50 })).toBe(false);
    await gone;
  });
});

test.each([
  ['no server', [undefined], /the first argument must be the server to close/],
  ['a number', [8080], /the first argument must be the server to close/],
  [
    'a tracker that is none',
    [createServer(), { connections: {} }],
    /connections must be what trackConnections\(\) returned/,
  ],
  [
    'every fault at once',
    [null, { idleGraceMs: -1, drainTimeoutMs: '1' }],
    /first argument.*drainTimeoutMs.*idleGraceMs/,
  ],
])('gracefulClose refuses %s with a TypeError, at once', (_, given, message) => {
  const close = (): unknown => gracefulClose(...(given as Parameters<typeof gracefulClose>));
  expect(close).toThrow(TypeError);
  expect(close).toThrow(message);
});
