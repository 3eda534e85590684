import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { toFetchHandler } from '../../src/fetch.js';
import { allowAnonymous, allowEverybody, createEvents, createHealth, firstOf, memoryStore } from '../../src/index.js';
import { installShutdown, orderRequests, toNodeListener } from '../../src/node.js';

// A service with health, events and routes of its own, to be ended by a signal. Prints its port and, in the end, the report.
const [framework = 'node-http', whileDraining] = process.argv.slice(2);
const store = memoryStore();
const health = createHealth();
const hooks = { authenticate: allowAnonymous(), authorize: allowEverybody() };
const events = createEvents({ apiDomain: 'example.com', store, ...hooks });
const handle = firstOf(health.handle, events.handle);

let asked = 0;
/** The body of a route of the service. */
async function own(path: string): Promise<string> {
  if (path === '/asked') return `answered ${asked}`;
  asked += 1;
  if (path === '/never') await new Promise(() => undefined);
  if (path === '/slow') await pause(60);
  return 'answered';
}

const frameworks: Readonly<Record<string, () => Promise<{ server: Server; close?: () => Promise<void> }>>> = {
  'node-http': async () => {
    const listener = toNodeListener(handle);
    return {
      server: createServer((req, res) =>
        listener(req, res, () => void own(req.url ?? '').then((body) => res.end(body))),
      ),
    };
  },
  express: async () => {
    const app = express();
    app.use(toNodeListener(handle));
    app.get('/:name', async (req, res) => void res.send(await own(req.path)));
    return { server: createServer(app) };
  },
  fastify: async () => {
    const app = fastify();
    const listener = toNodeListener(handle);
    app.addHook('onRequest', ({ raw: req }, { raw: res }, done) => listener(req, res, () => done()));
    app.get('/:name', (request) => own(request.url));
    await app.ready();
    return { server: app.server, close: () => app.close() };
  },
  hono: async () => {
    const app = new Hono();
    const vitals = toFetchHandler(handle);
    app.use(async (c, next) => (await vitals(c.req.raw)) ?? next());
    app.get('/:name', async (c) => c.text(await own(c.req.path)));
    const server = createAdaptorServer(app) as Server;
    return { server: orderRequests(server) };
  },
};

const { server, close } = (await frameworks[framework]?.()) ?? {};
if (server === undefined) throw new Error(`there is no framework ${framework}`);
installShutdown({
  server,
  health,
  events,
  store,
  close,
  delayMs: 100,
  whileDraining: whileDraining as 'close' | 'retry-after',
  drainTimeoutMs: 10_000,
  onReport: (report) => void process.stdout.write(`${JSON.stringify(report)}\n`),
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
