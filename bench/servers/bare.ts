// The floor behind the routes of a framework, as a service would write them. Our handler in that framework is compared
// to it.
import { createServer, type Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import express, { type Response as ExpressResponse } from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { BASE, type Framework } from '../protocol.js';
import { createRooms, listBytes, MISSING, TAKEN } from './floor-rooms.js';
import { createFanOut } from './floor-watch.js';
import { serveBench } from './own-process.js';

const EVENTS = `${BASE}/namespaces/:namespace/events` as const;
const EVENT = `${EVENTS}/:name` as const;
const JSON_TYPE = 'application/json';

/** An empty list for any query: the harness reads only the revision. */
const emptyList = ({ revision }: { readonly revision: number }): Buffer => listBytes(revision, [], undefined);

function onExpress(): Server {
  const rooms = createRooms(createFanOut);
  const app = express();
  const send = (response: ExpressResponse, status: number, bytes: Buffer): void => {
    response.status(status).type(JSON_TYPE).send(bytes);
  };
  app.post(EVENTS, express.text({ type: JSON_TYPE }), (request, response) => {
    const bytes = rooms.of(request.params['namespace'] ?? '').events.create(request.body as string);
    send(response, bytes ? 201 : 409, bytes ?? TAKEN);
  });
  app.get(EVENT, (request, response) => {
    const { namespace = '', name = '' } = request.params;
    const bytes = rooms.of(namespace).events.get(name);
    send(response, bytes ? 200 : 404, bytes ?? MISSING);
  });
  app.get(EVENTS, (request, response) => {
    if (request.query['watch'] === undefined) send(response, 200, emptyList(rooms));
    else rooms.of(request.params['namespace'] ?? '').watchers.add(response);
  });
  return createServer(app as (...args: unknown[]) => void);
}

async function onFastify(): Promise<Server> {
  const rooms = createRooms(createFanOut);
  const app = fastify();
  app.addContentTypeParser(JSON_TYPE, { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.post<{ Params: { namespace: string } }>(EVENTS, (request, reply) => {
    const bytes = rooms.of(request.params.namespace).events.create(request.body as string);
    void reply
      .code(bytes ? 201 : 409)
      .type(JSON_TYPE)
      .send(bytes ?? TAKEN);
  });
  app.get<{ Params: { namespace: string; name: string } }>(EVENT, (request, reply) => {
    const bytes = rooms.of(request.params.namespace).events.get(request.params.name);
    void reply
      .code(bytes ? 200 : 404)
      .type(JSON_TYPE)
      .send(bytes ?? MISSING);
  });
  app.get<{ Params: { namespace: string }; Querystring: { watch?: string } }>(EVENTS, (request, reply) => {
    if (request.query.watch === undefined) {
      void reply.type(JSON_TYPE).send(emptyList(rooms));
      return;
    }
    reply.hijack();
    rooms.of(request.params.namespace).watchers.add(reply.raw);
  });
  await app.ready();
  return app.server;
}

function onHono(): Server {
  const rooms = createRooms(createStreams);
  const app = new Hono();
  const headers = { 'content-type': JSON_TYPE };
  app.post(EVENTS, async (context) => {
    const bytes = rooms.of(context.req.param('namespace')).events.create(await context.req.text());
    return context.body(asBody(bytes ?? TAKEN), bytes ? 201 : 409, headers);
  });
  app.get(EVENT, (context) => {
    const bytes = rooms.of(context.req.param('namespace')).events.get(context.req.param('name'));
    return context.body(asBody(bytes ?? MISSING), bytes ? 200 : 404, headers);
  });
  app.get(EVENTS, (context) => {
    if (context.req.query('watch') === undefined) return context.body(asBody(emptyList(rooms)), 200, headers);
    return context.body(rooms.of(context.req.param('namespace')).watchers.stream(), 200, headers);
  });
  return createAdaptorServer(app) as Server;
}

const asBody = (bytes: Buffer): Uint8Array<ArrayBuffer> => bytes as unknown as Uint8Array<ArrayBuffer>;

const START = Buffer.from('{"type":"ADDED","object":');
const END = Buffer.from('}\n');

/** The watchers of one namespace over fetch: all frames of one turn become one chunk of every stream. */
function createStreams(): { stream(): ReadableStream<Uint8Array>; publish(bytes: Buffer): void } {
  const open = new Set<ReadableStreamDefaultController<Uint8Array>>();
  let waiting: Buffer[] = [];
  const flush = (): void => {
    const chunk = Buffer.concat(waiting);
    waiting = [];
    for (const controller of open) controller.enqueue(chunk);
  };
  return {
    stream() {
      let own: ReadableStreamDefaultController<Uint8Array> | undefined;
      return new ReadableStream({
        start(controller) {
          own = controller;
          open.add(controller);
        },
        cancel: () => void (own && open.delete(own)),
      });
    },
    publish(bytes) {
      if (open.size === 0) return;
      if (waiting.length === 0) setImmediate(flush);
      waiting.push(START, bytes, END);
    },
  };
}

const servers: Record<Framework, () => Server | Promise<Server>> = {
  express: onExpress,
  fastify: onFastify,
  hono: onHono,
};
await serveBench(await servers[process.argv[2] as Framework]());
