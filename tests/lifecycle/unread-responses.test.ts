import { once } from 'node:events';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  allowAuthenticated,
  createEvents,
  memoryStore,
  staticTokens,
  type Events,
  type EventStore,
} from '../../src/index.js';
import { toNodeListener } from '../../src/node.js';
import { call } from '../../src/testing.js';
import { collectGarbage } from '../collect-garbage.js';
import { event, PATH } from './event.js';
import { serveWithHono } from './events-api.js';
import { listen } from './support.js';

const CONNECTIONS = 40;
/** The buffers of the system hold two of these responses at most. */
const REQUESTS = 8;
const EVENT_BYTES = 1_400_000;
const LIMIT_BYTES = 16 * 1_048_576;
/** Other memory: the response beyond the limit, copies of the fetch bridge. */
const SLACK_BYTES = 40 * 1_048_576;

const largeEvent = (name: string, bytes: number): object => ({
  ...event(name),
  // The only field of an event whose length is not limited.
  metadata: { name, ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x'.repeat(bytes), uid: 'u' }] },
});

let store: EventStore;
let events: Events;

beforeAll(async () => {
  store = memoryStore();
  events = createEvents({
    apiDomain: 'example.com',
    store,
    authenticate: staticTokens({ greedy: { name: 'greedy' }, polite: { name: 'polite' } }),
    authorize: allowAuthenticated(),
    managedFields: false,
    maxBodyBytes: 3_145_728,
    limits: { bytesPerCaller: LIMIT_BYTES, queueWaitMs: 500 },
  });
  for (const [name, bytes] of [
    ['large', EVENT_BYTES],
    ['small', 10],
  ] as const) {
    const response = await call(events.handle, `POST ${PATH}`, { token: 'polite', json: largeEvent(name, bytes) });
    expect(response.status).toBe(201);
    await response.text();
  }
});

afterAll(async () => {
  await events.close();
  await store.close();
});

const collected = (): number => {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
};

async function status(name: string, token: string): Promise<number> {
  const response = await call(events.handle, `GET ${PATH}/${name}`, { token });
  await response.text();
  return response.status;
}

/** Checks the memory while no client reads, and after all have left. */
async function holds(attack: () => Promise<() => void>): Promise<void> {
  const before = collected();
  const leave = await attack();
  await expect.poll(() => status('large', 'greedy'), { timeout: 20_000, interval: 20 }).toBe(429);
  // V8 frees buffers in other threads, some time after the collection on a busy machine. What is held stays.
  await expect
    .poll(() => collected() - before, { timeout: 10_000, interval: 100 })
    .toBeLessThan(LIMIT_BYTES + SLACK_BYTES);
  expect([await status('small', 'polite'), await status('large', 'polite')]).toEqual([200, 200]);
  leave();
  await expect.poll(() => status('large', 'greedy'), { timeout: 20_000, interval: 20 }).toBe(200);
}

const requests = `GET ${PATH}/large HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer greedy\r\n\r\n`.repeat(REQUESTS);

async function unread(port: number): Promise<() => void> {
  const sockets: Socket[] = [];
  for (let index = 0; index < CONNECTIONS; index++) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    socket.pause();
    socket.write(requests);
  }
  const leave = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(leave);
  return leave;
}

test('large unread responses hold no more bytes than their caller is allowed: HTTP/1.1', async () => {
  const { port } = await listen(toNodeListener(events.handle));
  await holds(() => unread(port));
}, 60_000);

test('large unread responses hold no more bytes than their caller is allowed: Hono', async () => {
  const { port } = await serveWithHono(events.handle);
  await holds(() => unread(port));
}, 60_000);

test('large unread responses hold no more bytes than their caller is allowed: HTTP/2', async () => {
  const server = createHttp2Server(toNodeListener(events.handle));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  await holds(async () => {
    const { port } = server.address() as AddressInfo;
    const session = connectHttp2(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 0 } });
    session.on('error', () => undefined);
    onTestFinished(() => session.destroy());
    await once(session, 'remoteSettings');
    for (let index = 0; index < 80; index++) {
      const stream = session.request({ ':path': `${PATH}/large`, authorization: 'Bearer greedy' });
      stream.on('error', () => undefined);
    }
    return () => session.destroy();
  });
}, 60_000);
