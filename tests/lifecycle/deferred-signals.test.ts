import { getEventListeners, once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { event, eventsOfTest, PATH } from './events-api.js';
import { feed, get, raw, serve, whole } from './support.js';

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

test('a streaming response whose signal cannot be read is sent, the failure is reported, and other signals count', async () => {
  const failure = new Error('no signal');
  const giveUp = new AbortController();
  const [broken, other] = [feed(new AbortController().signal), feed(giveUp.signal)];
  const stream = (body: AsyncIterable<Uint8Array>) => ({ status: 200, headers: {}, body });
  const { port, errors } = await serve(({ url }) =>
    url === '/broken'
      ? Object.defineProperty(stream(broken.body), 'signal', {
          get() {
            throw failure;
          },
        })
      : { ...stream(other.body), signal: giveUp.signal },
  );
  const [first, second] = [await get(port, '/broken'), await get(port, '/other')];
  await vi.waitFor(() => expect(errors).toEqual([{ error: failure, where: 'handler' }]), { interval: 5 });
  // Those of the feed, which ends by itself, and of the response.
  await vi.waitFor(() => expect(getEventListeners(giveUp.signal, 'abort')).toHaveLength(2), { interval: 5 });
  giveUp.abort();
  await expect(whole(second)).rejects.toThrow('aborted');
  broken.push('complete');
  broken.end();
  expect(await whole(first)).toBe('complete');
});
