import { serve as serveHono } from '@hono/node-server';
import { Hono } from 'hono';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { toHonoMiddleware, type HonoMiddlewareOptions } from '../../src/hono.js';
import type { ApiHandler } from '../../src/http/handler.js';
import {
  allowAnonymous,
  allowEverybody,
  createEvents,
  memoryStore,
  type Events,
  type EventsOptions,
  type EventStore,
} from '../../src/index.js';
import { call } from '../../src/testing.js';
import { event, PATH } from './event.js';

export { event, PATH };

/** The Event API over a store of its own. */
export interface EventsApi {
  readonly events: Events;
  /** The store that holds the events; the API may use it through `options.store`. */
  readonly store: EventStore;
  /** Creates an event, and gives the status of the response. */
  create(name: string, annotation?: string): Promise<number>;
  close(): Promise<void>;
}

/** The Event API, by default open to everybody. The caller has to close it. */
export function openEvents(
  options: Partial<EventsOptions> = {},
  wrap: (store: EventStore) => EventStore = (store) => store,
): EventsApi {
  const store = memoryStore();
  const events = createEvents({
    apiDomain: 'example.com',
    store: wrap(store),
    authenticate: allowAnonymous(),
    authorize: allowEverybody(),
    ...options,
  });
  const own = events.as({ name: 'tester', groups: ['system:masters'] });
  return {
    events,
    store,
    create: async (name, annotation) => (await call(own, `POST ${PATH}`, { json: event(name, annotation) })).status,
    async close() {
      await events.close();
      await store.close();
    },
  };
}

/** The same, closed with the test. */
export function eventsOfTest(...parts: Parameters<typeof openEvents>): EventsApi {
  const api = openEvents(...parts);
  onTestFinished(() => api.close());
  return api;
}

/** A handler behind `@hono/node-server`, on a free port, closed with the test. */
export async function serveWithHono(
  handler: ApiHandler,
  options: HonoMiddlewareOptions = {},
): Promise<{ readonly server: Server; readonly port: number }> {
  const app = new Hono();
  app.use(toHonoMiddleware(handler, options));
  const server = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  if (!server.listening) await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}
