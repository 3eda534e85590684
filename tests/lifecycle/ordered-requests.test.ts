import express from 'express';
import fastify from 'fastify';
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ApiHandler } from '../../src/http/handler.js';
import { gracefulClose, orderRequests, toNodeListener, trackConnections } from '../../src/node.js';
import { event, eventsOfTest, PATH, serveWithHono } from './events-api.js';
import { gate, listen, raw, serve, text, whole } from './support.js';

type Listening = { readonly server: Server; readonly port: number };

const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** An Express service without orderRequests, with our handler mounted in it. */
const inExpress = (handler: ApiHandler): Promise<Listening> => {
  const service = express();
  service.get('/own', (_, res) => void setImmediate(() => res.send('own')));
  service.use(toNodeListener(handler));
  return listen(service as unknown as RequestListener);
};

const inFastify = async (handler: ApiHandler): Promise<Listening> => {
  const service = fastify();
  const listener = toNodeListener(handler);
  service.addHook('onRequest', (request, reply, done) => {
    reply.hijack();
    listener(request.raw, reply.raw, () => done());
  });
  await service.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => service.close());
  return { server: service.server, port: (service.server.address() as AddressInfo).port };
};

/** The statuses of a create, get, delete and get that are sent at once. */
async function statusesOf(port: number, name: string): Promise<(string | undefined)[]> {
  const body = JSON.stringify(event(name));
  const post = `POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const read = GET(`${PATH}/${name}`);
  const last = GET('/apis').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  const client = raw(port);
  client.send(post + read + read.replace('GET', 'DELETE') + read + last);
  return [...((await client.closed).match(/(?<=HTTP\/1\.1 )\d+/g) ?? [])];
}

describe.each<[string, (handler: ApiHandler) => Promise<Listening>, boolean]>([
  ['@hono/node-server with orderRequests', serveWithHono, true],
  ['node:http with orderRequests', (handler) => serve(handler), true],
  ['Express', inExpress, false],
  ['Express with orderRequests', inExpress, true],
  ['a hook of Fastify', inFastify, false],
  ['a hook of Fastify with orderRequests', inFastify, true],
])('over %s', (_, start, ordered) => {
  test('a pipelined create, get, delete, get sees the effects of the requests before it', async () => {
    const { events } = eventsOfTest({ discovery: true });
    const { server, port } = await start(events.handle);
    if (ordered) orderRequests(server);
    for (let run = 0; run < 10; run++) {
      expect(await statusesOf(port, `e${run}`)).toEqual(['201', '200', '200', '404', '200']);
    }
  });

  test('a connection that sends one request at a time is served as before', async () => {
    const { server, port } = await start((request) => text(`<${request.url}>`));
    if (ordered) orderRequests(server);
    const client = raw(port);
    for (let index = 0; index < 20; index++) {
      client.send(GET(`/${index}`));
      await client.until(`</${index}>`);
    }
  });
});

/** A service without any of our handlers, which responds to earlier requests later. */
const unordered = (log: string[]): Server =>
  createServer((req, res) => {
    log.push(`begin ${req.url}`);
    setTimeout(
      () => {
        log.push(`end ${req.url}`);
        res.end(`<${req.url}>`);
      },
      20 - 5 * Number(req.url?.slice(1)),
    );
  });

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe('a server whose requests are in order', () => {
  test('calls any route of the service in order, even if it is registered twice', async () => {
    const log: string[] = [];
    const server = unordered(log);
    expect(orderRequests(orderRequests(server))).toBe(server);
    const client = raw(await listening(server));
    client.send(GET('/1') + GET('/2') + GET('/3'));
    await client.until('</3>');
    expect(log).toEqual(['begin /1', 'end /1', 'begin /2', 'end /2', 'begin /3', 'end /3']);
  });

  test('calls no route once the client has disconnected', async () => {
    const log: (string | undefined)[] = [];
    const go = gate();
    const server = orderRequests(
      createServer((req, res) => {
        log.push(req.url);
        void go.promise.then(() => res.end('.'));
      }),
    );
    const port = await listening(server);
    const accepted = once(server, 'connection');
    const client = raw(port);
    client.send(GET('/1') + GET('/2') + GET('/3'));
    const [socket] = (await accepted) as [NodeJS.EventEmitter];
    await vi.waitFor(() => expect(log).toEqual(['/1']), { interval: 1 });
    const gone = once(socket, 'close');
    client.socket.destroy();
    await gone;
    go.open();
    await pause(20);
    expect(log).toEqual(['/1']);
  });

  test('keeps the async context of one request separate from that of the next', async () => {
    const current = new AsyncLocalStorage<string>();
    const found: (string | undefined)[] = [];
    const server = orderRequests(
      createServer((req, res) => {
        found.push(current.getStore());
        current.run(String(req.url), () => setTimeout(() => res.end(`<${req.url}>`), 1));
      }),
    );
    const client = raw(await listening(server));
    client.send(GET('/1') + GET('/2') + GET('/3'));
    await client.until('</3>');
    expect(found).toEqual([undefined, undefined, undefined]);
  });

  test('handles a request that expects 100-continue', async () => {
    const urls: (string | undefined)[] = [];
    const server = orderRequests(
      createServer().on('checkContinue', (req, res) => {
        urls.push(req.url);
        res.writeContinue();
        setTimeout(() => res.end(`<${req.url}>`), 5);
      }),
    );
    const client = raw(await listening(server));
    const asking = (path: string): string => `${GET(path).slice(0, -2)}Expect: 100-continue\r\n\r\n`;
    client.send(asking('/1') + asking('/2'));
    await client.until('</1>');
    await client.until('</2>');
    expect(urls).toEqual(['/1', '/2']);
  });

  test('does not affect the streams of HTTP/2', async () => {
    const both = gate();
    let begun = 0;
    const server = createHttp2Server((_req, res) => {
      begun += 1;
      if (begun === 2) both.open();
      void both.promise.then(() => res.end('done'));
    });
    orderRequests(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => {
      session.destroy();
      server.close();
    });
    const streams = [session.request({ ':path': '/1' }), session.request({ ':path': '/2' })];
    expect(await Promise.all(streams.map(whole))).toEqual(['done', 'done']);
  });

  test.each([
    ['with its tracker made before', true],
    ['with its tracker made afterwards', false],
  ])('handles all of them when it closes, and only the last response announces it, %s', async (_, before) => {
    const asked = gate();
    const go = gate();
    const closing = new AbortController();
    const listener = toNodeListener(
      async (request) => {
        asked.open();
        await go.promise;
        return text(`<${request.url}>`);
      },
      { signal: closing.signal },
    );
    const server = createServer(listener);
    if (!before) orderRequests(server);
    const connections = trackConnections(server);
    if (before) orderRequests(server);
    const client = raw(await listening(server));
    client.send(GET('/1') + GET('/2') + GET('/3'));
    await asked.promise;
    const closed = gracefulClose(server, { connections });
    closing.abort();
    await vi.waitFor(() => expect(server.listening).toBe(false), { interval: 5 });
    go.open();
    const received = await client.closed;
    expect(received.match(/connection: close|<\/\d>/gi)?.map((found) => found.toLowerCase())).toEqual([
      '</1>',
      '</2>',
      'connection: close',
      '</3>',
    ]);
    expect(await closed).toBe(true);
  });
});

test.each([undefined, null, 8080, {}])(
  'orderRequests refuses %j with a TypeError that names the expected argument',
  (given) => {
    expect(() => orderRequests(given as never)).toThrow(
      new TypeError('orderRequests: the argument must be a server, as createServer(), listen() or serve() returned it'),
    );
  },
);

test('an application of Express in place of its server is refused', () => {
  const message = 'must be a server, as createServer(), listen() or serve() returned it';
  expect(() => orderRequests(express() as never)).toThrow(message);
  expect(() => trackConnections(express() as never)).toThrow(message);
});
