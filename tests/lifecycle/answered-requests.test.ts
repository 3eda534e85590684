import express from 'express';
import { fastify } from 'fastify';
import { once } from 'node:events';
import { Agent, request, type RequestListener, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { toFastifyPlugin } from '../../src/fastify.js';
import type { ApiHandler } from '../../src/http/handler.js';
import { createHealth, firstOf } from '../../src/index.js';
import { toNodeListener } from '../../src/node.js';
import { collectGarbage, collectYoungGarbage } from '../collect-garbage.js';
import { event, openEvents, PATH, serveWithHono, type EventsApi } from './events-api.js';
import { listen } from './support.js';

const REQUESTS = 300;
/** Each request refers to a buffer of this size, which is freed with it. */
const BALLAST_BYTES = 8_000;

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: object;
  readonly status: number;
}

const generated = { ...event(''), metadata: { generateName: 'event-' } };
const merge = { method: 'PATCH', path: `${PATH}/one`, type: 'application/merge-patch+json' };
const KINDS: Readonly<Record<string, (index: number) => Sent>> = {
  create: () => ({ method: 'POST', path: PATH, body: generated, status: 201 }),
  'create that is refused': () => ({ method: 'POST', path: PATH, body: event('one'), status: 409 }),
  get: () => ({ path: `${PATH}/one`, status: 200 }),
  'get of an event that does not exist': () => ({ path: `${PATH}/none`, status: 404 }),
  list: () => ({ path: `${PATH}?limit=1`, status: 200 }),
  patch: (index) => ({ ...merge, body: { metadata: { labels: { index: `${index}` } } }, status: 200 }),
  // With a body, as kubectl sends it: for one without, undici creates a Request in Hono, which Node 24 frees later.
  'delete of an event that does not exist': () => ({
    method: 'DELETE',
    path: `${PATH}/none`,
    body: { propagationPolicy: 'Background' },
    status: 404,
  }),
  'health request': () => ({ path: '/readyz', status: 200 }),
};

type Mount = (handler: ApiHandler) => Promise<{ readonly server: Server; readonly port: number }>;

const MOUNTS: Readonly<Record<string, Mount>> = {
  'node:http': (handler) => listen(toNodeListener(handler)),
  Express: (handler) => listen(express().use(toNodeListener(handler)) as unknown as RequestListener),
  Hono: serveWithHono,
  async Fastify(handler) {
    const app = fastify();
    await app.register(toFastifyPlugin(handler));
    await app.listen({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => app.close());
    return { server: app.server, port: (app.server.address() as { port: number }).port };
  },
};

let api: EventsApi;
let handler: ApiHandler;
beforeAll(async () => {
  api = openEvents({ managedFields: true });
  await api.create('one');
  const health = createHealth();
  health.add({ name: 'passing', check: async () => true });
  handler = firstOf(health.handle, api.events.handle);
});
afterAll(() => api.close());

describe.each(Object.entries(MOUNTS))('over %s', (_, mount) => {
  test.each(Object.entries(KINDS))(
    'minor garbage collections free the memory of a finished %s',
    async (_kind, sent) => {
      const { server, port } = await mount(handler);
      // Before the listener of the service.
      server.prependListener('request', (req) => Object.assign(req, { ballast: new ArrayBuffer(BALLAST_BYTES) }));
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      onTestFinished(() => agent.destroy());

      collectGarbage();
      for (let index = 0; index < REQUESTS; index++) {
        const { method, path, type = 'application/json', body, status } = sent(index);
        const json = body === undefined ? '' : JSON.stringify(body);
        const headers = body === undefined ? {} : { 'content-type': type, 'content-length': json.length };
        const asked = request({ agent, host: '127.0.0.1', port, path, method, headers });
        asked.end(json);
        const [response] = await once(asked, 'response');
        expect(response.statusCode).toBe(status);
        response.resume();
        await once(response, 'end');
      }
      // The memory of buffers is freed in the background, until the next collection at the latest.
      for (let times = 0; times < 3; times++) collectYoungGarbage();
      const { arrayBuffers } = process.memoryUsage();
      collectGarbage();
      const freedLater = arrayBuffers - process.memoryUsage().arrayBuffers;
      expect(freedLater / BALLAST_BYTES).toBeLessThan(REQUESTS / 3);
    },
  );
});
