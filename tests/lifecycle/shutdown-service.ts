import 'reflect-metadata';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import { Controller, Get, Module, Param } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import express from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import { H3, serve as serveH3 } from 'h3';
import { Hono } from 'hono';
import Koa from 'koa';
import { generate } from 'selfsigned';
import { toFastifyPlugin } from '../../src/fastify.js';
import { toFetchHandler } from '../../src/fetch.js';
import { toHonoMiddleware } from '../../src/hono.js';
import { allowAnonymous, allowEverybody, createEvents, createHealth, firstOf, memoryStore } from '../../src/index.js';
import { toKoaMiddleware } from '../../src/koa.js';
import { KubeVitalsModule } from '../../src/nest.js';
import { installShutdown, orderRequests, toNodeListener, type ShutdownReport } from '../../src/node.js';

// A service with health, events and routes of its own, which a signal shuts down. Prints its port and, at the end, the
// report with the names of the events that were in the store when it was closed. With the third word `hangs` its
// step `close` never ends; with `twice` it passes the first SIGTERM on to itself.
const [framework = 'node-http', whileDraining, special] = process.argv.slice(2);
if (special === 'twice') process.once('SIGTERM', () => process.kill(process.pid, 'SIGTERM'));
const store = memoryStore();
const health = createHealth();
const hooks = { authenticate: allowAnonymous(), authorize: allowEverybody() };
const events = createEvents({ apiDomain: 'example.com', store, ...hooks });
const handle = firstOf(health.handle, events.handle);

let stored: readonly string[] = [];
const listedStore = {
  ...store,
  async close(): Promise<void> {
    stored = (await store.list({ limit: 1_000_000 })).records.map(({ key }) => key.name);
    await store.close();
  },
};

const shutdown = {
  delayMs: 100,
  whileDraining: whileDraining as 'close' | 'retry-after',
  // Far longer than clients wait before they send, which takes longer on a busy machine.
  idleGraceMs: 8_000,
  drainTimeoutMs: 20_000,
  onReport: (report: ShutdownReport) => void process.stdout.write(`${JSON.stringify({ ...report, stored })}\n`),
};

let asked = 0;
/** The body of a route of the service. */
async function own(path: string): Promise<string> {
  if (path === '/asked') return `answered ${asked}`;
  asked += 1;
  if (path === '/never') await new Promise(() => undefined);
  if (path === '/slow') await pause(60);
  return 'answered';
}

/** Nest shuts down by itself, with the hooks of the module. */
async function nest(adapter: ExpressAdapter | FastifyAdapter): Promise<{ server: Server; installed: true }> {
  class Own {
    read(name: string): Promise<string> {
      return own(`/${name}`);
    }
  }
  Param('name')(Own.prototype, 'read', 0);
  Get(':name')(Own.prototype, 'read', Object.getOwnPropertyDescriptor(Own.prototype, 'read') as PropertyDescriptor);
  Controller()(Own);
  class Root {}
  Module({ controllers: [Own], imports: [KubeVitalsModule.forRoot({ health, events, store: listedStore, shutdown })] })(
    Root,
  );
  const app = await NestFactory.create(Root, adapter, { logger: false });
  app.enableShutdownHooks();
  await app.init();
  if (adapter instanceof FastifyAdapter) await adapter.getInstance().ready();
  return { server: app.getHttpServer() as Server, installed: true };
}

interface Started {
  readonly server: Server;
  readonly installed?: true;
  readonly close?: () => Promise<void>;
}

const listener = toNodeListener(handle);
const withoutFramework: RequestListener = (req, res) =>
  listener(req, res, () => void own(req.url ?? '').then((body) => res.end(body)));

function behindExpress(make: typeof express): Started {
  const app = make();
  app.use(listener);
  app.get('/:name', async (req, res) => void res.send(await own(req.path)));
  return { server: createServer(app) };
}

const frameworks: Readonly<Record<string, () => Promise<Started>>> = {
  'node-http': async () => ({ server: createServer(withoutFramework) }),
  'node-https': async () => {
    const pem = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 });
    return { server: createSecureServer({ key: pem.private, cert: pem.cert }, withoutFramework) as Server };
  },
  'node-http2': async () => ({ server: createHttp2Server(withoutFramework as never) as unknown as Server }),
  'express-4': async () => behindExpress(express4),
  'express-5': async () => behindExpress(express),
  koa: async () => {
    const app = new Koa();
    app.use(toKoaMiddleware(handle));
    app.use(async (ctx) => {
      ctx.body = await own(ctx.path);
    });
    return { server: createServer(app.callback() as RequestListener) };
  },
  fastify: async () => {
    const app = fastify();
    await app.register(toFastifyPlugin(handle));
    app.get('/:name', (request) => own(request.url));
    await app.ready();
    return { server: app.server, close: () => app.close() };
  },
  'fastify-hook': async () => {
    const app = fastify();
    app.addHook('onRequest', ({ raw: req }, { raw: res }, done) => listener(req, res, () => done()));
    app.get('/:name', (request) => own(request.url));
    await app.ready();
    return { server: app.server, close: () => app.close() };
  },
  hono: async () => {
    const app = new Hono();
    app.use(toHonoMiddleware(handle));
    app.get('/:name', async (c) => c.text(await own(c.req.path)));
    const server = createAdaptorServer(app) as Server;
    return { server: orderRequests(server) };
  },
  h3: async () => {
    const app = new H3();
    const vitals = toFetchHandler(handle);
    app.use(async (event, next) => (await vitals(event.req)) ?? next());
    app.get('/:name', (event) => own(event.url.pathname));
    const served = serveH3(app, { port: 0, hostname: '127.0.0.1', gracefulShutdown: false, silent: true });
    await served.ready();
    return { server: served.node?.server as Server };
  },
  'nest-express': () => nest(new ExpressAdapter()),
  'nest-fastify': () => nest(new FastifyAdapter()),
};

const { server, installed, close } = (await frameworks[framework]?.()) ?? {};
if (server === undefined) throw new Error(`there is no framework ${framework}`);
if (installed !== true) {
  const own =
    special === 'hangs' ? { close: () => new Promise<void>(() => undefined), closeTimeoutMs: 300 } : { close };
  installShutdown({ server, health, events, store: listedStore, ...own, ...shutdown });
}
if (!server.listening) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
