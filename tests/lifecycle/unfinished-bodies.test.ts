import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve as serveHono } from '@hono/node-server';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { toFetchHandler } from '../../src/fetch.js';
import { allowAnonymous, allowEverybody, createEvents, memoryStore, type Events } from '../../src/index.js';
import { raw, serve } from './support.js';

const PATH = '/apis/events.example.com/v1/namespaces/default/events';
const EVENT = JSON.stringify({
  metadata: { generateName: 'whole-' },
  eventTime: '2026-03-05T06:07:08.123456Z',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'default', name: 'web-1' },
});

function events(writes: number): Events {
  const made = createEvents({
    apiDomain: 'example.com',
    store: memoryStore(),
    authenticate: allowAnonymous(),
    authorize: allowEverybody(),
    limits: { writes },
  });
  onTestFinished(() => made.close());
  return made;
}

async function honoPort(made: Events): Promise<number> {
  const vitals = toFetchHandler(made.handle);
  const app = new Hono();
  app.use(async (c, next) => (await vitals(c.req.raw)) ?? next());
  const server = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  if (!server.listening) await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe.each([
  ['node:http', async (made: Events) => (await serve(made.handle)).port],
  ['@hono/node-server', honoPort],
])('over %s, writes whose bodies never come', (_title, listen) => {
  const unfinished = (query: string): string =>
    `POST ${PATH}${query} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`;
  const statusOf = async (port: number): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${port}${PATH}`, { method: 'POST', body: EVENT, headers });
    await answer.text();
    return answer.status;
  };
  /** Places are given back within a second. */
  const writable = async (port: number): Promise<boolean> => {
    for (let attempt = 0; attempt < 20; attempt++) {
      if ((await statusOf(port)) === 201) return true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return false;
  };

  test('give their places back after their deadline, whether the client stays or not', async () => {
    const port = await listen(events(4));
    for (let round = 0; round < 3; round++) {
      const clients = Array.from({ length: 4 }, () => raw(port));
      for (const client of clients) client.send(unfinished('?timeout=1ms'));
      for (const client of clients) await client.until(' 504 ');
      if (round > 0) for (const client of clients) client.socket.destroy();
      expect(await writable(port)).toBe(true);
    }
  });

  test('give their places back when the client leaves', async () => {
    const port = await listen(events(4));
    for (let round = 0; round < 3; round++) {
      const clients = Array.from({ length: 4 }, () => raw(port));
      for (const client of clients) client.send(unfinished(''));
      // Answers on the same server: the requests before have been taken.
      for (;;) {
        if ((await statusOf(port)) === 429) break;
      }
      for (const client of clients) client.socket.resetAndDestroy();
      expect(await writable(port)).toBe(true);
    }
  });
});
