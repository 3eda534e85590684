import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { event, eventsOfTest, PATH } from './events-api.js';
import { raw, serve, whole, get } from './support.js';

test('a list that is not read is aborted at its deadline, and its place goes to the next request', async () => {
  const { events, create } = eventsOfTest({ limits: { reads: 1, readsPerCaller: 1, queueWaitMs: 10_000 } });
  // More than the buffers of two sockets hold.
  for (let index = 0; index < 200; index++) expect(await create(`e${index}`, 'x'.repeat(100_000))).toBe(201);
  const { server, port, errors } = await serve(events.handle, { stallTimeoutMs: Infinity });
  const client = raw(port);
  client.socket.pause();
  const accepted = once(server, 'connection');
  client.send(`GET ${PATH}?timeout=300ms HTTP/1.1\r\nHost: a\r\n\r\n`);
  const [socket] = (await accepted) as [NodeJS.EventEmitter & { writableLength: number }];
  const broken = new Promise((resolve) => socket.once('close', resolve));
  await vi.waitFor(() => expect(socket.writableLength).toBeGreaterThan(0), { interval: 1 });
  // This request waits for the only place.
  const next = await get(port, `${PATH}/e0`);
  expect(next.statusCode).toBe(200);
  expect(JSON.parse(await whole(next))).toMatchObject(event('e0'));
  await broken;
  client.socket.resume();
  expect((await client.closed).endsWith('0\r\n\r\n')).toBe(false);
  expect(errors).toEqual([]);
});
