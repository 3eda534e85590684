import fastifyCompress from '@fastify/compress';
import { serve as serveHono } from '@hono/node-server';
import compression from 'compression';
import express from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import { Hono } from 'hono';
import { compress as honoCompress } from 'hono/compress';
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { toHonoMiddleware } from '../../src/hono.js';
import type { ApiHandler } from '../../src/http/handler.js';
import { toNodeListener } from '../../src/node.js';
import { eventsOfTest, PATH } from './events-api.js';
import { get, listen, whole } from './support.js';

/** Larger than every threshold below which middleware does not compress. */
const LARGE = 'x'.repeat(4_000);

type Serve = (handler: ApiHandler) => Promise<number>;

const portOf = async (server: Server): Promise<number> => {
  if (!server.listening) await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

const behindExpress =
  (make: typeof express, options: compression.CompressionOptions = {}): Serve =>
  async (handler) => {
    const app = make();
    app.use(compression(options) as never);
    app.use(toNodeListener(handler));
    app.get('/own', (_, res) => void res.type('text').send(LARGE));
    return (await listen(app as unknown as RequestListener)).port;
  };

/** Middleware in front of a listener that has no `next`. */
const behindCompression: Serve = async (handler) => {
  const compress = compression() as unknown as (...args: [unknown, unknown, () => void]) => void;
  const ours = toNodeListener(handler);
  const own: RequestListener = (_, res) => void res.setHeader('content-type', 'text/plain').end(LARGE);
  const { port } = await listen((req, res) =>
    compress(req, res, () => (req.url === '/own' ? own(req, res) : ours(req, res))),
  );
  return port;
};

const behindHono: Serve = async (handler) => {
  const app = new Hono();
  app.use(honoCompress());
  app.use(toHonoMiddleware(handler));
  app.get('/own', (c) => c.text(LARGE));
  return portOf(serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server);
};

const inFastifyHook: Serve = async (handler) => {
  const app = fastify({ forceCloseConnections: true });
  onTestFinished(() => app.close());
  const ours = toNodeListener(handler);
  await app.register(fastifyCompress);
  app.addHook('onRequest', ({ raw: req }, { raw: res }, done) => ours(req, res, () => done()));
  app.get('/own', (_, reply) => reply.type('text/plain').send(LARGE));
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
};

const MIDDLEWARE: readonly (readonly [string, Serve])[] = [
  ['compression in Express 5', behindExpress(express)],
  ['compression in Express 4', behindExpress(express4)],
  ['compression before a listener without next', behindCompression],
  ['compress() of Hono', behindHono],
  ['@fastify/compress and a hook', inFastifyHook],
];

/** Reads a watch until it has sent the event. */
const eventReader = (watch: AsyncIterable<Buffer>): ((name: string) => Promise<void>) => {
  const chunks = watch[Symbol.asyncIterator]();
  let received = '';
  return async (name) => {
    while (!received.includes(`"name":"${name}"`)) {
      const { value, done } = await chunks.next();
      if (done === true) throw new Error(`the watch ended without ${name}`);
      received += String(value);
    }
  };
};

const ACCEPT = { headers: { 'accept-encoding': 'gzip' } };

test.each(MIDDLEWARE)('a watch behind %s sends each event at once', async (_, serve) => {
  const { events, create } = eventsOfTest();
  const port = await serve(events.handle);
  expect((await get(port, '/own', ACCEPT)).headers['content-encoding']).toBe('gzip');

  const watch = await get(port, `${PATH}?watch=true`, ACCEPT);
  expect(watch.headers['content-encoding']).toBeUndefined();
  const sent = eventReader(watch);
  for (let index = 0; index < 40; index++) {
    await create(`event-${index}`);
    await sent(`event-${index}`);
  }
});

test.each(MIDDLEWARE.filter(([name]) => !name.includes('hook')))(
  'a watch behind %s is sent with Cache-Control: no-transform',
  async (_, serve) => {
    const { events, create } = eventsOfTest();
    const port = await serve(events.handle);
    const watch = await get(port, `${PATH}?watch=true`, ACCEPT);
    expect(watch.headers['cache-control']).toBe('no-cache, private, no-transform');
    await create('one', LARGE);
    const list = await get(port, PATH, ACCEPT);
    expect(list.headers['content-encoding']).toBe('gzip');
    expect(list.headers['cache-control']).toBe('no-cache, private');
    expect(await whole(list.pipe(createGunzip()))).toContain('"name":"one"');
  },
);

test('a watch without middleware has the Cache-Control of kube-apiserver', async () => {
  const { events } = eventsOfTest();
  const { port } = await listen(toNodeListener(events.handle));
  const watch = await get(port, `${PATH}?watch=true`, ACCEPT);
  expect(watch.headers['cache-control']).toBe('no-cache, private');
});

/** A compressor that ignores Cache-Control. */
const compressEverything: express.RequestHandler = (req, res, next) => {
  compression()(req, res, () => {
    const writeHead = res.writeHead.bind(res) as (status: number, headers: Record<string, string>) => typeof res;
    res.writeHead = ((status: number, headers: Record<string, string>) => {
      const { 'cache-control': dropped, ...rest } = headers;
      expect(dropped).toContain('no-transform');
      return writeHead(status, rest);
    }) as typeof res.writeHead;
    next();
  });
};

test.each([
  ['gzip', createGunzip],
  ['br', createBrotliDecompress],
] as const)(
  'a watch that is compressed with %s despite no-transform is flushed after each event',
  async (encoding, decoder) => {
    const { events, create } = eventsOfTest();
    const app = express();
    app.use(compressEverything, toNodeListener(events.handle));
    const { port } = await listen(app as unknown as RequestListener);
    const watch = await get(port, `${PATH}?watch=true`, { headers: { 'accept-encoding': encoding } });
    expect(watch.headers['content-encoding']).toBe(encoding);
    const sent = eventReader(watch.pipe(decoder()));
    for (let index = 0; index < 40; index++) {
      await create(`event-${index}`);
      await sent(`event-${index}`);
    }
  },
);
