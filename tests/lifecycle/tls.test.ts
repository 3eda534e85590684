import { once } from 'node:events';
import { createServer, request as httpsRequest } from 'node:https';
import type { RequestListener } from 'node:http';
import type { RequestOptions } from 'node:https';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { Worker } from 'node:worker_threads';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { generate } from 'selfsigned';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { nextTurn } from '../../src/clock/clock.js';
import { toFetchHandler } from '../../src/fetch.js';
import { toHonoMiddleware } from '../../src/hono.js';
import type { ApiHandler } from '../../src/http/handler.js';
import { toNodeListener } from '../../src/node.js';
import { text, whole } from './support.js';

interface Pem {
  readonly private: string;
  readonly cert: string;
}

let serverPem: Pem;
let janePem: Pem;
let strangerPem: Pem;

beforeAll(async () => {
  const options = { keySize: 2048 as const };
  const jane = [
    { name: 'commonName', value: 'jane' },
    { name: 'organizationName', value: 'ops' },
  ];
  [serverPem, janePem, strangerPem] = await Promise.all([
    generate([{ name: 'commonName', value: 'localhost' }], options),
    generate(jane, options),
    generate(jane, options),
  ]);
});

const listener = toNodeListener((request) => text(JSON.stringify(request.peerCertificate ?? null)));

async function ask(server: Server, client: RequestOptions): Promise<unknown> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const request = httpsRequest({ host: '127.0.0.1', port, agent: false, rejectUnauthorized: false, ...client });
  request.end();
  const [response] = (await once(request, 'response')) as [AsyncIterable<Uint8Array>];
  return JSON.parse(await whole(response)) as unknown;
}

const tls = (): object => ({
  key: serverPem.private,
  cert: serverPem.cert,
  ca: [janePem.cert],
  requestCert: true,
  rejectUnauthorized: false,
});

test('the subject of a verified client certificate reaches the handler', async () => {
  const certificate = { key: janePem.private, cert: janePem.cert };
  expect(await ask(createServer(tls(), listener), certificate)).toEqual({ commonName: 'jane', organizations: ['ops'] });
});

test('a certificate of an unknown authority is ignored, like a missing one', async () => {
  const certificate = { key: strangerPem.private, cert: strangerPem.cert };
  expect(await ask(createServer(tls(), listener), certificate)).toBeNull();
  expect(await ask(createServer(tls(), listener), {})).toBeNull();
});

test('a server for both HTTP/2 and HTTP/1 passes the subject as well', async () => {
  const certificate = { key: janePem.private, cert: janePem.cert };
  const server = createSecureServer({ ...tls(), allowHTTP1: true }, listener);
  expect(await ask(server, certificate)).toEqual({ commonName: 'jane', organizations: ['ops'] });
});

/** Sends a GET and, as soon as its response has arrived, a PUT whose head and body are two TLS records; 5 connections. */
const CLIENT = `
const { connect } = require('node:tls');
const { parentPort, workerData: port } = require('node:worker_threads');
const talk = () => new Promise((resolve) => {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, noDelay: true });
  let received = '';
  socket.setEncoding('latin1').on('error', () => undefined).on('close', () => resolve(received.slice(-4)));
  socket.on('data', (chunk) => {
    received += chunk;
    if (received.endsWith('done')) socket.end();
    if (!received.endsWith('list')) return;
    socket.write('PUT / HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 4\\r\\n\\r\\n');
    socket.write('body');
  });
  socket.write('GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n');
});
(async () => {
  const ends = [];
  for (let turn = 0; turn < 5; turn++) ends.push(await talk());
  parentPort.postMessage(ends);
})();
`;

/** A large response to a GET; others have a body. */
const handler: ApiHandler = async (request) => {
  if (request.method === 'GET') return text(`${'x'.repeat(90_000)}list`);
  await request.body?.(4);
  return text('done');
};
const hono = new Hono().use(toHonoMiddleware(async (request) => nextTurn().then(() => handler(request))));

test.each<[string, RequestListener]>([
  ['node:https', toNodeListener(handler)],
  ['Hono, later than in the turn of the request', getRequestListener(hono.fetch)],
  ['an adapter for fetch', getRequestListener(async (request) => (await toFetchHandler(handler)(request)) as Response)],
])('a request with a body right after a large response is served by %s', async (_name, ours) => {
  const server = createServer(tls(), (req, res) => {
    // The client receives the response, and sends its next request, before the event loop of the server continues.
    res.once('prefinish', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50));
    ours(req, res);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  // In a thread, because the event loop of the client must not wait for that of the server.
  const client = new Worker(CLIENT, { eval: true, workerData: (server.address() as AddressInfo).port });
  const [ends] = (await once(client, 'message')) as [string[]];
  expect(ends).toEqual(Array.from({ length: 5 }, () => 'done'));
});
