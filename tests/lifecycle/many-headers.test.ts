import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { ApiHandler } from '../../src/http/handler.js';
import { toNodeListener } from '../../src/node.js';
import { serveWithHono } from './events-api.js';
import { listen, text } from './support.js';

/** Responds with the user to impersonate. */
const handler: ApiHandler = ({ headers }) => text(`as ${String(headers?.['impersonate-user'])}`);

/** Sends a number of headers, the last of which is the user to impersonate. */
async function sent(port: number, count: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1').on('data', (data: string) => (received += data));
  socket.on('error', () => undefined);
  const others = Array.from({ length: count - 3 }, (_, index) => `a${index}: b\r\n`).join('');
  socket.write(`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${others}Impersonate-User: nobody\r\n\r\n`);
  // Not `once`, which rejects when the server resets the connection before it is closed.
  await new Promise((resolve) => socket.once('close', resolve));
  return `${received.slice(9, 12)} ${/as \w+/.exec(received)?.[0] ?? ''}`;
}

const servers = {
  'node:http': async (): Promise<number> => (await listen(toNodeListener(handler))).port,
  Hono: async (): Promise<number> => (await serveWithHono(handler)).port,
};

test.each(['node:http', 'Hono'] as const)(
  'a request with so many headers that Node drops some of them is refused, over %s',
  async (kind) => {
    const port = await servers[kind]();
    expect(await sent(port, 900)).toBe('200 as nobody');
    for (const count of [1_001, 1_020, 1_100]) expect(await sent(port, count)).toBe('431 ');
  },
);

test.each([20, 31, 50])('maxHeadersCount of a server is respected, and may be %i', async (most) => {
  const { server, port } = await listen(toNodeListener(handler));
  server.maxHeadersCount = most;
  expect(await sent(port, most - 1)).toBe('200 as nobody');
  for (const more of [1, 10, 80]) expect(await sent(port, most + more)).toBe('431 ');
});

test('a server without a limit on the number of headers gets all of them', async () => {
  const { server, port } = await listen(toNodeListener(handler));
  server.maxHeadersCount = 0;
  expect(await sent(port, 1_500)).toBe('200 as nobody');
});
