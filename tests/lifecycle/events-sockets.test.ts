import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer as createHttp2Server, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { EventsOptions, EventStore } from '../../src/index.js';
import { gracefulClose, toNodeListener, type NodeListenerOptions } from '../../src/node.js';
import { fakeClock } from '../../src/testing/fake-clock.js';
import { event, eventsOfTest, PATH, type EventsApi } from './events-api.js';
import { get, raw, serve, whole, type Served } from './support.js';

const WATCH = `${PATH}?watch=1`;
const ONE = { reads: 1, writes: 1, watches: 1, queued: 0 };

type Json = Record<string, unknown>;

interface Api extends Served, Pick<EventsApi, 'events' | 'store'> {
  /** Statuses of the responses, as observed. */
  readonly answered: number[];
  /** The most bytes that were ever buffered for one response. */
  buffered(): number;
  create(name: string, annotation?: string): Promise<void>;
  names(): Promise<string[]>;
}

async function api(
  options: Partial<EventsOptions> = {},
  listener: NodeListenerOptions = {},
  wrap: (store: EventStore) => EventStore = (store) => store,
): Promise<Api> {
  const answered: number[] = [];
  const made = eventsOfTest(
    {
      observe: (observation) => {
        if (observation.type === 'request') answered.push(observation.status);
      },
      ...options,
    },
    wrap,
  );
  const { events, store } = made;
  const served = await serve(events.handle, listener);
  let most = 0;
  served.server.on('request', (_request: IncomingMessage, response: ServerResponse) => {
    const write = response.write.bind(response) as (chunk: Uint8Array, done?: () => void) => boolean;
    response.write = ((chunk: Uint8Array, done?: () => void) => {
      const going = write(chunk, done);
      most = Math.max(most, response.writableLength);
      return going;
    }) as typeof response.write;
  });
  return {
    ...served,
    events,
    store,
    answered,
    buffered: () => most,
    async create(name, annotation) {
      expect(await made.create(name, annotation)).toBe(201);
    },
    async names() {
      const { records } = await store.list({ limit: 1_000 });
      return records.map(({ key }) => key.name);
    },
  };
}

const status = async (port: number, path: string): Promise<number> => {
  const response = await get(port, path);
  response.destroy();
  return response.statusCode ?? 0;
};

async function* frames(
  response: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ type: string; object: { metadata: Json } }> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as { type: string; object: { metadata: Json } };
  }
}

describe('a client that disconnects', () => {
  test('in the middle of a watch frees its place in flight', async () => {
    const { port, create, errors } = await api({ limits: ONE });
    await create('a');
    const first = await get(port, WATCH);
    expect((await frames(first).next()).value).toMatchObject({ type: 'ADDED' });
    expect(await status(port, WATCH)).toBe(429);
    first.destroy();
    await vi.waitFor(async () => expect(await status(port, WATCH)).toBe(200), { interval: 5 });
    expect(errors).toEqual([]);
  });

  test('during a quiet watch frees its place in flight', async () => {
    const { port, errors } = await api({ limits: ONE });
    const client = raw(port);
    client.send(`GET ${WATCH} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await client.until('\r\n\r\n');
    expect(await status(port, WATCH)).toBe(429);
    client.socket.destroy();
    await vi.waitFor(async () => expect(await status(port, WATCH)).toBe(200), { interval: 5 });
    expect(errors).toEqual([]);
  });

  test.each([
    ['with a length', 'Content-Length: 100000', '{"metadata":{"name":"half"}'],
    ['in chunks', 'Transfer-Encoding: chunked', '1b\r\n{"metadata":{"name":"half"}\r\n'],
    [
      'that is complete but for its end',
      'Transfer-Encoding: chunked',
      `3e8\r\n${JSON.stringify(event('half')).padEnd(1000)}\r\n`,
    ],
  ])('in the middle of a body %s stores nothing and frees its place in flight', async (_title, header, body) => {
    // A request that has waited for 250 ms ends with the disconnection, before its body does.
    const clock = fakeClock();
    const { port, names, create, store, answered, errors } = await api({ limits: ONE, clock });
    const before = await store.revision();
    const client = raw(port);
    client.send(`POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${header}\r\n\r\n${body}`);
    await vi.waitFor(async () => expect(await postStatus(port, 'other')).toBe(429), { interval: 5 });
    client.socket.destroy();
    await vi.waitFor(() => expect(answered.at(-1)).toBe(400), { interval: 5 });
    expect(await store.revision()).toBe(before);
    expect(await postStatus(port, 'whole')).toBe(201);
    await create('another');
    expect(await names()).toEqual(['another', 'whole']);
    expect(errors).toEqual([]);
  });

  test('while it reads a list frees its place in flight', async () => {
    const { port, create, buffered, errors } = await api({ limits: ONE });
    for (let index = 0; index < 200; index++) await create(`e${index}`, 'x'.repeat(100_000));
    const large = await get(port, PATH);
    expect(large.statusCode).toBe(200);
    await once(large, 'readable');
    large.read(1);
    expect(await status(port, PATH)).toBe(429);
    large.destroy();
    await vi.waitFor(async () => expect(await status(port, PATH)).toBe(200), { interval: 5 });
    expect(buffered()).toBeLessThan(1_000_000);
    expect(errors).toEqual([]);
  });
});

async function postStatus(port: number, name: string, agent?: Agent): Promise<number> {
  const response = await post(port, JSON.stringify(event(name)), agent);
  await whole(response);
  return response.statusCode ?? 0;
}

async function post(port: number, body: string | Uint8Array, agent?: Agent): Promise<IncomingMessage> {
  const request = httpRequest({
    host: '127.0.0.1',
    port,
    path: PATH,
    method: 'POST',
    agent: agent ?? false,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  });
  request.on('error', () => undefined);
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

describe('a large list', () => {
  test('is streamed completely, with little of it buffered in the server', async () => {
    const { port, create, buffered } = await api();
    for (let index = 0; index < 200; index++) await create(`e${String(index).padStart(3, '0')}`, 'x'.repeat(100_000));
    const response = await get(port, PATH);
    const text = await whole(response);
    expect(text.length).toBeGreaterThan(20_000_000);
    const { items } = JSON.parse(text) as { items: { metadata: Json }[] };
    expect(items.map((item) => item.metadata['name'])).toEqual(
      Array.from({ length: 200 }, (_, index) => `e${String(index).padStart(3, '0')}`),
    );
    expect(buffered()).toBeLessThan(1_000_000);
  });

  test('that fails in the middle closes the connection, is reported, and frees its place in flight', async () => {
    let broken = true;
    const { port, create, errors } = await api({ limits: ONE }, {}, (store) => ({
      ...store,
      list: (query) => (query.after && broken ? Promise.reject(new Error('secret')) : store.list(query)),
    }));
    for (let index = 0; index < 600; index++) await create(`e${index}`, 'x'.repeat(1_000));
    const client = raw(port);
    client.send(`GET ${PATH} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const received = await client.closed;
    expect(received).toContain('HTTP/1.1 200 OK');
    expect(received.endsWith('0\r\n\r\n')).toBe(false);
    expect(received).not.toContain('secret');
    expect(errors).toEqual([{ error: new Error('secret'), where: 'stream' }]);
    broken = false;
    expect((JSON.parse(await whole(await get(port, PATH))) as { items: unknown[] }).items).toHaveLength(600);
  });
});

describe('a slow reader of a busy watch', () => {
  test('delays no other reader, and uses little memory', async () => {
    const { port, create, buffered, errors } = await api();
    const slow = await get(port, WATCH);
    slow.pause();
    const readers = [await get(port, WATCH), await get(port, WATCH)];
    const count = 300;
    const seen = readers.map(async (response) => {
      const names: unknown[] = [];
      for await (const { object } of frames(response)) {
        names.push(object.metadata['name']);
        if (names.length === count) break;
      }
      return names;
    });
    const expected = Array.from({ length: count }, (_, index) => `e${index}`);
    for (const name of expected) await create(name, 'x'.repeat(100_000));
    expect(await Promise.all(seen)).toEqual([expected, expected]);
    expect(buffered()).toBeLessThan(1_000_000);

    // The slow reader continues, and gets everything, in order.
    const late: unknown[] = [];
    for await (const { object } of frames(slow)) {
      late.push(object.metadata['name']);
      if (late.length === count) break;
    }
    expect(late).toEqual(expected);
    expect(buffered()).toBeLessThan(1_000_000);
    expect(errors).toEqual([]);
  });
});

describe('requests that are refused', () => {
  test('with HEAD get 405 with headers and no body, and the connection stays open', async () => {
    const { port } = await api();
    const client = raw(port);
    client.send(`HEAD ${PATH} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const head = await client.until('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 405 /);
    expect(head).toMatch(/content-type: application\/json/i);
    client.send(`GET ${PATH} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const both = await client.until('EventList');
    expect(both.slice(head.length)).toMatch(/^HTTP\/1.1 200 /);
  });

  test('with a body over the limit get 413, and the connection serves the next request', async () => {
    const { port, store } = await api({ maxBodyBytes: 10_000 });
    const before = await store.revision();
    const client = raw(port);
    const type = 'Content-Type: application/json';
    client.send(
      `POST ${PATH} HTTP/1.1\r\nHost: a\r\n${type}\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(1_000_000)}`,
    );
    const refused = await client.until('RequestEntityTooLarge');
    expect(refused).toMatch(/^HTTP\/1.1 413 /);
    expect(await store.revision()).toBe(before);
    client.send(`GET ${PATH} HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(await client.until('EventList')).toContain('HTTP/1.1 200 OK');
  });

  test('with an endless body get 413, and the connection is closed cleanly', async () => {
    const { port, store } = await api({ maxBodyBytes: 10_000 });
    const before = await store.revision();
    const client = raw(port);
    client.send(`POST ${PATH} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    let open = true;
    void client.closed.then(() => (open = false));
    const pump = (): void => {
      if (open && client.socket.write(chunk)) setImmediate(pump);
      else if (open) client.socket.once('drain', pump);
    };
    pump();
    const received = await client.closed;
    expect(received).toMatch(/^HTTP\/1.1 413 /);
    expect(received).toContain('RequestEntityTooLarge');
    expect(await store.revision()).toBe(before);
  });

  test('with hostile bytes do not disturb other clients', async () => {
    const { port, create, store, errors } = await api();
    const watch = frames(await get(port, WATCH));
    const before = await store.revision();
    const attacks = [
      '\0\0\0\0\r\n\r\n',
      `GET ${PATH}/\u0001 HTTP/1.1\r\nHost: a\r\n\r\n`,
      `GET ${PATH} HTTP/1.1\r\nHost: a\r\nX: a\u0000b\r\n\r\n`,
      `GET ${PATH}/%00%ff%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      `GET ${PATH}?continue=%00&limit=1e9 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      `GET ${PATH} HTTP/1.1\r\nHost: a\r\nAudit-ID: \xe9\xff\r\nAccept: \xff\xfe\r\nConnection: close\r\n\r\n`,
      `POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
      `POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n`,
      `POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nConnection: close\r\n\r\n\xff\xfe\xfd\xfc`,
      `POST ${PATH} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      `GET http://other.example.com${PATH}/../../x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      `GET * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      `FROBNICATE ${PATH} HTTP/1.1\r\nHost: a\r\n\r\n`,
      `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    ];
    for (const bytes of attacks) {
      const client = raw(port);
      client.send(Buffer.from(bytes, 'latin1'));
      const received = await client.closed;
      expect(received).not.toMatch(/^HTTP\/1.1 5/);
    }
    expect(await store.revision()).toBe(before);
    const next = watch.next();
    await create('still-here');
    expect((await next).value).toMatchObject({ type: 'ADDED' });
    await watch.return(undefined);
    expect(errors).toEqual([]);
  });
});

describe('shutdown with open watches', () => {
  test('ends each with its last chunk when the events are closed, and connections can be reused', async () => {
    const { port, events, create, errors } = await api();
    const clients = [raw(port), raw(port), raw(port)];
    for (const client of clients) client.send(`GET ${WATCH} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await create('a');
    for (const client of clients) await client.until('"ADDED"');
    await events.close();
    for (const client of clients) {
      await client.until('0\r\n\r\n');
      client.send(`GET ${PATH} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await client.until('EventList');
    }
    expect(errors).toEqual([]);
  });

  test('ends watches and completes writes when the server closes, and leaves no connection behind', async () => {
    const closing = new AbortController();
    let open: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const { port, server, events, store, names, errors } = await api({}, { signal: closing.signal }, (inner) => ({
      ...inner,
      create: async (key, encoded, options) => {
        await gate;
        return inner.create(key, encoded, options);
      },
    }));
    const clients = [raw(port), raw(port)];
    for (const client of clients) {
      client.send(`GET ${WATCH} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await client.until('\r\n\r\n');
    }
    const written = postStatus(port, 'last');
    await once(server, 'request');
    closing.abort();
    const ended = gracefulClose(server);
    await events.close();
    for (const client of clients) expect((await client.closed).endsWith('0\r\n\r\n')).toBe(true);
    open?.();
    expect(await written).toBe(201);
    expect(await ended).toBe(true);
    expect(await names()).toEqual(['last']);
    expect(await store.revision()).toBeGreaterThan(0);
    expect(errors).toEqual([]);
  });
});

test('one connection is reused after responses of every kind', async () => {
  const { port, server, create } = await api({ maxBodyBytes: 10_000 });
  let connections = 0;
  server.on('connection', () => connections++);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  await create('a');
  const paths = [
    PATH,
    `${PATH}/a`,
    `${PATH}/none`,
    `${PATH}?labelSelector=!!`,
    `${WATCH}&timeoutSeconds=-1`,
    '/apis',
    '/none',
    `${PATH}?limit=x`,
  ];
  for (const path of paths) {
    const response = await get(port, path, { agent });
    await whole(response);
  }
  expect(await postStatus(port, 'b', agent)).toBe(201);
  expect(await postStatus(port, 'b', agent)).toBe(409);
  expect((await post(port, 'x'.repeat(20_000), agent)).resume().statusCode).toBe(413);
  expect(await postStatus(port, 'c', agent)).toBe(201);
  expect(connections).toBe(1);
});

test('two servers in one process share no state', async () => {
  const one = await api({ limits: ONE });
  const two = await api({ limits: ONE });
  await one.create('only-here');
  expect(await two.names()).toEqual([]);
  const first = await get(one.port, WATCH);
  expect(first.statusCode).toBe(200);
  expect(await status(one.port, WATCH)).toBe(429);
  const second = await get(two.port, WATCH);
  expect(second.statusCode).toBe(200);
  const frame = frames(second).next();
  await one.events.close();
  await two.create('there');
  expect((await frame).value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'there' } } });
  second.destroy();
  expect((await frames(first).next()).value).toMatchObject({ object: { metadata: { name: 'only-here' } } });
});

test('HTTP/2 serves a list, a create and concurrent watches, one of which is cancelled', async () => {
  const { events, create } = await api({ limits: { watches: 2 } });
  const errors: unknown[] = [];
  const server = createHttp2Server(toNodeListener(events.handle, { onError: (error) => void errors.push(error) }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  const ask = async (path: string, method = 'GET', body?: string) => {
    const stream = session.request({ ':path': path, ':method': method, 'content-type': 'application/json' });
    stream.end(body);
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status': number }];
    return { stream, status: headers[':status'] };
  };
  const created = await ask(PATH, 'POST', JSON.stringify(event('a')));
  expect(created.status).toBe(201);
  created.stream.resume();
  const list = await ask(PATH);
  expect((JSON.parse(await whole(list.stream)) as { items: unknown[] }).items).toHaveLength(1);

  const watches = [await ask(WATCH), await ask(WATCH)];
  const [cancelled, kept] = watches.map(({ stream }) => stream);
  expect(watches.map((watch) => watch.status)).toEqual([200, 200]);
  const refused = await ask(WATCH);
  expect(refused.status).toBe(429);
  refused.stream.resume();
  cancelled?.close(8);
  await vi.waitFor(
    async () => {
      const again = await ask(WATCH);
      again.stream.close(8);
      expect(again.status).toBe(200);
    },
    { interval: 5 },
  );
  const source = frames(kept as AsyncIterable<Uint8Array>);
  expect((await source.next()).value).toMatchObject({ object: { metadata: { name: 'a' } } });
  const next = source.next();
  await create('b');
  expect((await next).value).toMatchObject({ object: { metadata: { name: 'b' } } });
  const end = source.next();
  await events.close();
  expect(await end).toMatchObject({ done: true });
  expect(errors).toEqual([]);
});
