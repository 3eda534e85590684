import 'reflect-metadata';
import fastifyCompress from '@fastify/compress';
import { serve as serveHono } from '@hono/node-server';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import compression from 'compression';
import express from 'express';
import express4 from 'express4';
import fastify, { type FastifyInstance } from 'fastify';
import { H3, serve as serveH3 } from 'h3';
import { Hono } from 'hono';
import { compress as honoCompress } from 'hono/compress';
import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { toFastifyPlugin } from '../../src/fastify.js';
import { toFetchHandler } from '../../src/fetch.js';
import { toHonoMiddleware } from '../../src/hono.js';
import type { ApiHandler } from '../../src/http/handler.js';
import { createHealth } from '../../src/index.js';
import { KubeVitalsModule } from '../../src/nest.js';
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

const behindFastify =
  (mount: (app: FastifyInstance, handler: ApiHandler) => unknown): Serve =>
  async (handler) => {
    const app = fastify({ forceCloseConnections: true });
    onTestFinished(() => app.close());
    await app.register(fastifyCompress);
    await mount(app, handler);
    app.get('/own', (_, reply) => reply.type('text/plain').send(LARGE));
    return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
  };

const inFastifyHook = behindFastify((app, handler) => {
  const ours = toNodeListener(handler);
  app.addHook('onRequest', ({ raw: req }, { raw: res }, done) => ours(req, res, () => done()));
});

const inFastifyPlugin = behindFastify((app, handler) => app.register(toFastifyPlugin(handler)));

const behindNest: Serve = async (handler) => {
  class Root {}
  Module({ imports: [KubeVitalsModule.forRoot({ health: createHealth(), handle: handler })] })(Root);
  const app = await NestFactory.create(Root, new ExpressAdapter(), { logger: false });
  app.use(compression());
  app.use('/own', (_: unknown, res: ServerResponse) => void res.setHeader('content-type', 'text/plain').end(LARGE));
  await app.listen(0, '127.0.0.1');
  return portOf(app.getHttpServer() as Server);
};

/** h3 has no compression of its own. */
const behindH3: Serve = async (handler) => {
  const app = new H3();
  const vitals = toFetchHandler(handler);
  app.use(async (event, next) => (await vitals(event.req)) ?? next());
  const server = serveH3(app, { port: 0, hostname: '127.0.0.1', silent: true });
  onTestFinished(() => server.close(true));
  await server.ready();
  return Number(new URL(server.url ?? '').port);
};

const MIDDLEWARE: readonly (readonly [string, Serve])[] = [
  ['compression in Express 5', behindExpress(express)],
  ['compression in Express 4', behindExpress(express4)],
  ['compression before a listener without next', behindCompression],
  ['compress() of Hono', behindHono],
  ['compression in Nest on Express', behindNest],
];

/** `@fastify/compress` is an `onSend` hook, and these hooks do not run for responses of the listener or the plugin. */
const IN_FASTIFY: readonly (readonly [string, Serve])[] = [
  ['@fastify/compress and a hook', inFastifyHook],
  ['@fastify/compress and the plugin', inFastifyPlugin],
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

test.each([...MIDDLEWARE, ...IN_FASTIFY])('a watch behind %s sends each event at once', async (_, serve) => {
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

test.each([
  ...MIDDLEWARE.map(([name, serve]) => [name, 'gzip', serve] as const),
  ['@fastify/compress and a hook', 'identity', inFastifyHook] as const,
  ['toFetchHandler in h3', 'identity', behindH3] as const,
])(
  'behind %s a watch has Cache-Control: no-transform, and a list, which is sent as %s, does not',
  async (_, encoding, serve) => {
    const { events, create } = eventsOfTest();
    const port = await serve(events.handle);
    await create('one', LARGE);
    const watch = await get(port, `${PATH}?watch=true`, ACCEPT);
    expect(watch.headers['cache-control']).toBe('no-cache, private, no-transform');
    const list = await get(port, PATH, ACCEPT);
    expect(list.headers['content-encoding'] ?? 'identity').toBe(encoding);
    expect(list.headers['cache-control']).toBe('no-cache, private');
    expect(await whole(encoding === 'gzip' ? list.pipe(createGunzip()) : list)).toContain('"name":"one"');
  },
);

const withoutMiddleware: Serve = async (handler) => (await listen(toNodeListener(handler))).port;

test.each([
  ['without middleware', withoutMiddleware],
  ['behind @fastify/compress and the plugin', inFastifyPlugin],
])('a watch %s has the Cache-Control of kube-apiserver', async (_, serve) => {
  const { events } = eventsOfTest();
  const watch = await get(await serve(events.handle), `${PATH}?watch=true`, ACCEPT);
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
