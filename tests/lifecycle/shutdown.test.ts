import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:http2';
import { createServer as createHttp2Server } from 'node:http2';
import { connect as connectTcp, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock/clock.js';
import { gracefulClose, toNodeListener, trackConnections } from '../../src/node.js';
import { feedHandler, gate, get, raw, serve, text, whole } from './support.js';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

test('open streams end cleanly when the server closes, and the server with them', async () => {
  const { handler, at } = feedHandler();
  const closing = new AbortController();
  const { server, port, errors } = await serve(handler, { signal: closing.signal });
  const clients = [raw(port), raw(port), raw(port)];
  for (const client of clients) client.send(GET);
  const sources = [await at(0), await at(1), await at(2)];
  for (const source of sources) source.push('one');
  for (const client of clients) await client.until('one');
  closing.abort();
  for (const source of sources) expect(await source.aborted).toMatchObject({ code: 'server-closing' });
  expect(await gracefulClose(server)).toBe(true);
  for (const client of clients) expect((await client.closed).endsWith('0\r\n\r\n')).toBe(true);
  expect(errors).toEqual([]);
});

test('a source that ends by throwing the reason of its signal is no error', async () => {
  const closing = new AbortController();
  const { port, errors } = await serve(
    (request) => {
      const signal = request.signal as AbortSignal;
      async function* source(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('one');
        if (!signal.aborted) await once(signal, 'abort');
        signal.throwIfAborted();
      }
      return { status: 200, headers: {}, body: source() };
    },
    { signal: closing.signal },
  );
  const client = raw(port);
  client.send(GET);
  await client.until('one');
  closing.abort();
  await client.until('0\r\n\r\n');
  expect(errors).toEqual([]);
});

test('plain responses are completed, and close their connection', async () => {
  const go = gate();
  const asked = gate();
  let aborted: boolean | undefined;
  const closing = new AbortController();
  const { server, port } = await serve(
    async (request) => {
      const { signal } = request;
      asked.open();
      await go.promise;
      aborted = signal?.aborted;
      return text('completed');
    },
    { signal: closing.signal },
  );
  const client = raw(port);
  client.send(GET);
  await asked.promise;
  closing.abort();
  const closed = gracefulClose(server);
  go.open();
  expect(await client.closed).toContain('completed');
  expect(await closed).toBe(true);
  expect(aborted).toBe(false);
});

test('a request during shutdown gets Connection: close, and a stream ends at once', async () => {
  const feeds = feedHandler();
  const closing = new AbortController();
  const { port } = await serve((request) => (request.url === '/plain' ? text('plain') : feeds.handler(request)), {
    signal: closing.signal,
  });
  closing.abort();
  const plain = await get(port, '/plain', { headers: { connection: 'keep-alive' } });
  expect(plain.headers.connection).toBe('close');
  expect(await whole(plain)).toBe('plain');
  expect(await whole(await get(port, '/stream'))).toBe('');
  expect(await (await feeds.at(0)).aborted).toMatchObject({ code: 'server-closing' });
});

test('an idle keep-alive connection does not keep the server open', async () => {
  const { server, port } = await serve(() => text('x'));
  const client = raw(port);
  client.send(GET);
  await client.until('x');
  expect(await gracefulClose(server)).toBe(true);
  await client.closed;
});

test('requests that take longer than drainTimeoutMs are aborted', async () => {
  const { handler, at } = feedHandler();
  const { server, port } = await serve(handler);
  const client = raw(port);
  client.send(GET);
  const source = await at(0);
  const timers: { callback: () => void; delayMs: number }[] = [];
  const clock = {
    ...systemClock,
    setTimer(callback: () => void, delayMs: number) {
      timers.push({ callback, delayMs });
      return { cancel: () => undefined };
    },
  };
  const closed = gracefulClose(server, { drainTimeoutMs: 123_456, clock });
  timers.find(({ delayMs }) => delayMs === 123_456)?.callback();
  expect(await closed).toBe(false);
  await client.closed;
  expect(await source.aborted).toMatchObject({ code: 'client-left' });
});

test('closing a closed server is not an error', async () => {
  const { server } = await serve(() => text('x'));
  expect(await gracefulClose(server)).toBe(true);
  expect(await gracefulClose(server)).toBe(true);
});

test.each([-1, Number.NaN, '5'])('drainTimeoutMs is refused with a TypeError when it is %s', async (drainTimeoutMs) => {
  const { server } = await serve(() => text('x'));
  expect(() => gracefulClose(server, { drainTimeoutMs: drainTimeoutMs as number })).toThrow(TypeError);
});

test('HTTP/2 sessions receive GOAWAY when the server closes', async () => {
  const { handler, at } = feedHandler();
  const closing = new AbortController();
  const server = createHttp2Server(toNodeListener(handler, { signal: closing.signal }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stream = session.request({ ':path': '/watch' });
  await once(stream, 'response');
  const source = await at(0);
  const body = whole(stream);
  source.push('one');
  const gone = once(session, 'close');
  closing.abort();
  expect(await body).toBe('one');
  expect(await gracefulClose(server)).toBe(true);
  await gone;
});

test('a connection that never sent a request does not delay the shutdown', async () => {
  const server = createServer(toNodeListener(() => ({ status: 200, headers: {}, body: 'ok' })));
  const connections = trackConnections(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const spare = connectTcp((server.address() as AddressInfo).port, '127.0.0.1');
  spare.on('error', () => undefined);
  await accepted;
  const left = once(spare, 'close');
  // No timer ever fires on this clock, so that only what happens at once is seen.
  const clock = { ...systemClock, setTimer: () => ({ cancel: () => undefined }) };
  expect(await gracefulClose(server, { connections, clock, idleGraceMs: 0 })).toBe(true);
  await left;
});

test('until the signal of its listener aborts a connection stays open for further requests', async () => {
  const closing = new AbortController();
  const { port } = await serve(() => text('answered'), { signal: closing.signal });
  const client = raw(port);
  for (let count = 1; count <= 3; count++) {
    client.send(GET);
    await expect.poll(() => client.received().match(/answered/g)?.length).toBe(count);
  }
  expect(client.received()).not.toMatch(/connection: close/i);
  closing.abort();
  client.send(GET);
  expect(await client.closed).toMatch(/connection: close\r\n[^]*answered$/i);
});

test('a request in flight keeps its connection, however short idleGraceMs is', async () => {
  const go = gate();
  const asked = gate();
  const server = createServer(
    toNodeListener(async () => {
      asked.open();
      await go.promise;
      return text('answered');
    }),
  );
  const connections = trackConnections(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [busy, idle] = [raw(port), raw(port)];
  busy.send(GET);
  await asked.promise;
  const closed = gracefulClose(server, { connections, idleGraceMs: 0 });
  // The first sweep has closed the idle connection, and would have closed the other one, too.
  expect(await idle.closed).toBe('');
  go.open();
  expect(await busy.closed).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*answered$/);
  expect(await closed).toBe(true);
});
