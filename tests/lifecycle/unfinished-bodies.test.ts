import { describe, expect, test } from 'vitest';
import type { Events } from '../../src/index.js';
import { event, eventsOfTest, PATH, serveWithHono } from './events-api.js';
import { raw, serve } from './support.js';

const EVENT = JSON.stringify({ ...event(''), metadata: { generateName: 'whole-' } });

const events = (writes: number): Events => eventsOfTest({ limits: { writes } }).events;

describe.each([
  ['node:http', async (made: Events) => (await serve(made.handle)).port],
  ['@hono/node-server', async (made: Events) => (await serveWithHono(made.handle)).port],
])('writes over %s whose bodies never arrive', (_title, listen) => {
  const unfinished = (query: string): string =>
    `POST ${PATH}${query} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`;
  const statusOf = async (port: number): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`http://127.0.0.1:${port}${PATH}`, { method: 'POST', body: EVENT, headers });
    await response.text();
    return response.status;
  };
  /** Whether a write gets a place within a second. */
  const writable = async (port: number): Promise<boolean> => {
    for (let attempt = 0; attempt < 20; attempt++) {
      if ((await statusOf(port)) === 201) return true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return false;
  };

  test('free their places after their deadline, whether the client stays or not', async () => {
    const port = await listen(events(4));
    for (let round = 0; round < 3; round++) {
      const clients = Array.from({ length: 4 }, () => raw(port));
      for (const client of clients) client.send(unfinished('?timeout=1ms'));
      for (const client of clients) await client.until(' 504 ');
      if (round > 0) for (const client of clients) client.socket.destroy();
      expect(await writable(port)).toBe(true);
    }
  });

  test('free their places when the client disconnects', async () => {
    const port = await listen(events(4));
    for (let round = 0; round < 3; round++) {
      const clients = Array.from({ length: 4 }, () => raw(port));
      for (const client of clients) client.send(unfinished(''));
      // The server has accepted the requests before once it responds to this one.
      for (;;) {
        if ((await statusOf(port)) === 429) break;
      }
      for (const client of clients) client.socket.resetAndDestroy();
      expect(await writable(port)).toBe(true);
    }
  });
});
