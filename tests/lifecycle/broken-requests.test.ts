import { once } from 'node:events';
import { connect as connectHttp2, createServer as createHttp2Server, type ClientHttp2Session } from 'node:http2';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { toNodeListener } from '../../src/node.js';
import { event, openEvents, PATH, serveWithHono, type EventsApi } from './events-api.js';
import { listen } from './support.js';
import { createRandom } from '../random/random.js';
import { testSeed } from '../random/seed.js';

/** What clients do at random, the same again with the same seed. */
const random = createRandom(testSeed());

const PLACES = 20;
/** A client that reads nothing is disconnected after this time. */
const STALL_MS = 1_000;

let api: EventsApi;

beforeAll(async () => {
  api = openEvents({
    limits: {
      // A request that gets no place is refused soon.
      queueWaitMs: 500,
      reads: PLACES,
      readsPerCaller: PLACES,
      writes: PLACES,
      writesPerCaller: PLACES,
      watches: PLACES,
      watchesPerCaller: PLACES,
      // A list of these events takes 20 MB, and each place can have one.
      bytes: PLACES * 40_000_000,
      bytesPerCaller: PLACES * 40_000_000,
    },
  });
  // More than the buffers of two sockets hold.
  for (let index = 0; index < 200; index++) await api.create(`large-${index}`, 'x'.repeat(100_000));
});

afterAll(() => api.close());

const honoPort = async (): Promise<number> => {
  // @hono/node-server prints aborted requests.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => void vi.restoreAllMocks());
  return (await serveWithHono(api.events.handle, { stallTimeoutMs: STALL_MS })).port;
};
const nodePort = async (): Promise<number> =>
  (await listen(toNodeListener(api.events.handle, { stallTimeoutMs: STALL_MS }))).port;

const get = (query: string): string => `GET ${PATH}${query} HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (query: string, length: number, body: string): string =>
  `POST ${PATH}${query} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;

/** Sends a raw request; resolves once its connection has ended. The client ends it after a while, or never. */
function broken(port: number, request: string, leave: 'end' | 'reset' | 'stay', reads: boolean): Promise<void> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(request));
    if (reads) socket.resume();
    else socket.pause();
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
    const over = (): void => {
      if (leave === 'reset') socket.resetAndDestroy();
      else socket.destroy();
    };
    // A client that stays and does not read does not notice the end.
    setTimeout(over, leave === 'stay' ? 2 * STALL_MS : 15 * random.fraction());
  });
}

/** The kinds of broken requests over HTTP/1.1, and how many of each. */
const KINDS: readonly (readonly [string, number, (port: number) => Promise<void>])[] = [
  ['a write without its body', 700, (port) => broken(port, post('', 9, ''), 'end', true)],
  ['half a body', 700, (port) => broken(port, post('', 90, '{"metadata":'), 'end', true)],
  ['half a body, reset', 700, (port) => broken(port, post('', 90, '{"metadata":'), 'reset', true)],
  ['half a body and timeout=1ms', 800, (port) => broken(port, post('?timeout=1ms', 9, '{'), 'end', true)],
  ['a list and timeout=1ms', 200, (port) => broken(port, get('?timeout=1ms&limit=1'), 'end', true)],
  ['a list, reset', 200, (port) => broken(port, get(''), 'reset', true)],
  ['a list that is not read', 60, (port) => broken(port, get(''), 'end', false)],
  ['a list that is not read to its timeout', 20, (port) => broken(port, get('?timeout=1s'), 'stay', false)],
  ['a watch that is left', 400, (port) => broken(port, get('?watch=1&resourceVersion=0'), 'end', true)],
  ['a watch that is not read', 60, (port) => broken(port, get('?watch=1'), 'reset', false)],
  ['a watch that is not read and stays', 20, (port) => broken(port, get('?watch=1'), 'stay', false)],
  ['a pipeline that is left', 200, (port) => broken(port, get('').repeat(20), 'end', false)],
];

async function inBatches(count: number, size: number, one: () => Promise<void>): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await one();
  };
  await Promise.all(Array.from({ length: size }, worker));
}

/** Checks that all places are free: as many requests as there are places get one, and one more does not. */
async function expectAllPlacesFree(): Promise<void> {
  // The events and their places are the same on any port; on this one clients that do not read stay connected.
  const { port } = await listen(toNodeListener(api.events.handle));
  for (const [request, waitsFor] of [
    [post('', 9, '{'), undefined],
    [get(''), ' 200 OK'],
    [get('?watch=1&resourceVersion=0'), ' 200 OK'],
  ] as const) {
    const sockets = Array.from({ length: PLACES }, () => connect(port, '127.0.0.1'));
    const received = sockets.map(() => '');
    sockets.forEach((socket, index) => {
      socket.on('error', () => undefined);
      socket.once('data', (data: Buffer) => {
        received[index] = data.toString('latin1');
        socket.pause();
      });
      socket.write(request);
    });
    const until = Date.now() + 10_000;
    while (waitsFor !== undefined && received.includes('') && Date.now() < until) await pause(10);
    if (waitsFor === undefined) await pause(200);
    for (const text of received) expect(text.slice(0, 40)).toContain(waitsFor ?? '');
    expect(await answerTo(port, request)).toMatch(/^HTTP\/1\.1 429 /);
    for (const socket of sockets) socket.destroy();
    await pause(1_000);
  }
  await expectPolite(port);
}

/** The first bytes of a response. */
async function answerTo(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(request);
  const [data] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return data.toString('latin1');
}

/**
 * Waits until the server has ended what clients left behind: lists of 20 MB, hundreds of them on a busy machine. While
 * any holds a place, the list of a well-behaved client waits for 500 ms and is refused.
 */
async function expectPlaceFree(port: number): Promise<void> {
  const list = async (): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${port}${PATH}?limit=1`);
    await response.arrayBuffer();
    return response.status;
  };
  await expect.poll(list, { timeout: 20_000, interval: 100 }).toBe(200);
}

async function expectPolite(port: number): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const name = `polite-${random.below(2 ** 32).toString(36)}`;
  const created = await fetch(`http://127.0.0.1:${port}${PATH}`, {
    method: 'POST',
    body: JSON.stringify(event(name)),
    headers,
  });
  expect(created.status).toBe(201);
  const list = await fetch(`http://127.0.0.1:${port}${PATH}?limit=1`);
  expect(list.status).toBe(200);
  await list.arrayBuffer();
}

describe.each([
  ['node:http', nodePort],
  ['@hono/node-server', honoPort],
])('over %s', (_, start) => {
  test('four thousand broken requests of every kind leave no place in flight taken', { timeout: 60_000 }, async () => {
    const port = await start();
    for (const [, count, one] of KINDS) await inBatches(count, PLACES, () => one(port));
    await expectPlaceFree(port);
    await expectPolite(port);
    await expectAllPlacesFree();
  });
});

test(
  'over HTTP/2 two thousand broken streams of every kind leave no place in flight taken',
  { timeout: 60_000 },
  async () => {
    const server = createHttp2Server(toNodeListener(api.events.handle, { stallTimeoutMs: STALL_MS }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const open = (): ClientHttp2Session => {
      const session = connectHttp2(`http://127.0.0.1:${port}`);
      session.on('error', () => undefined);
      return session;
    };
    let session = open();

    const stream = async (
      query: string,
      body: string | undefined,
      leave: 'cancel' | 'session' | 'answered' | 'stay',
      reads = true,
    ) => {
      if (session.destroyed || session.closed) session = open();
      const own = leave === 'session' ? open() : session;
      const asked = own.request({
        ':path': `${PATH}${query}`,
        ':method': body === undefined ? 'GET' : 'POST',
        'content-type': 'application/json',
      });
      asked.on('error', () => undefined);
      if (body !== undefined) asked.write(body);
      if (reads) asked.resume();
      const closed = new Promise((resolve) => asked.on('close', resolve));
      if (leave === 'stay' || leave === 'answered') {
        await Promise.race([closed, leave === 'stay' ? pause(2 * STALL_MS) : once(asked, 'response')]);
        asked.close(8);
      } else {
        await pause(15 * random.fraction());
        if (leave === 'cancel') asked.close(8);
        else own.destroy();
      }
      await closed;
    };
    const kinds: readonly (readonly [number, () => Promise<void>])[] = [
      [400, () => stream('', '', 'cancel')],
      [400, () => stream('', '{"metadata":', 'cancel')],
      [300, () => stream('', '{"metadata":', 'session')],
      [400, () => stream('?timeout=1ms', '{', 'answered')],
      [100, () => stream('', undefined, 'cancel')],
      [100, () => stream('', undefined, 'session', false)],
      [20, () => stream('', undefined, 'stay', false)],
      [240, () => stream('?watch=1&resourceVersion=0', undefined, 'cancel')],
      [40, () => stream('?watch=1', undefined, 'stay', false)],
    ];
    for (const [count, one] of kinds) await inBatches(count, PLACES, one);
    await pause(1_000);
    await expectAllPlacesFree();
    session.destroy();
  },
);
