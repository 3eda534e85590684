import { once } from 'node:events';
import { createServer as createProxy, type ServerResponse } from 'node:http';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { httpTransport, type HttpTransportOptions } from '../../src/client.js';
import { countKeepAliveTimers } from '../unit/client/keep-alive-timers.js';
import { clientOver, closedLater, failureOf, listenTls, respond, STORED } from './client-support.js';

/** The sockets that keep the process alive. Those of the servers of these tests do not. */
const sockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap' || name === 'TLSWrap').length;

beforeEach(() => vi.waitFor(() => expect(sockets()).toBe(0)));

async function listenTo(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A server that responds only to a CONNECT, and only where it says so. */
const silent = (connects: boolean): Server =>
  createServer((socket) => {
    socket.unref().on('error', () => undefined);
    socket.once('data', () => connects && socket.write('HTTP/1.1 200 Connection established\r\n\r\n'));
    onTestFinished(() => void socket.destroy());
  });

test.each<[string, boolean, (port: number) => HttpTransportOptions]>([
  ['over HTTP/1.1', false, (port) => ({ server: `https://localhost:${port}` })],
  ['over HTTP/2', false, (port) => ({ server: `https://localhost:${port}`, http2: true })],
  ['to a proxy', false, (port) => ({ server: 'https://127.0.0.1:1', proxyUrl: `https://localhost:${port}` })],
  ['that a proxy makes', false, (port) => ({ server: 'https://127.0.0.1:1', proxyUrl: `http://127.0.0.1:${port}` })],
  ['through a proxy', true, (port) => ({ server: 'https://127.0.0.1:1', proxyUrl: `http://127.0.0.1:${port}` })],
])(
  'a connection %s does not keep the process alive once the call that waited for it was aborted',
  async (_, connects, optionsFor) => {
    const keepAlives = countKeepAliveTimers();
    const server = silent(connects);
    const port = await listenTo(server);
    const client = clientOver(closedLater(httpTransport(optionsFor(port))));
    const stopping = new AbortController();
    const failed = failureOf(client.get({ name: 'a' }, { signal: stopping.signal }));
    const [socket] = await once(server, 'connection');
    await once(socket, 'data');
    await vi.waitFor(() => expect(sockets()).toBe(0));
    expect(keepAlives()).toBe(1);
    stopping.abort(new Error('enough'));
    expect((await failed).message).toBe('enough');
    expect([sockets(), keepAlives()]).toEqual([0, 0]);
  },
);

test.each(['directly', 'through a proxy'])(
  'a connection %s keeps the process alive while a request runs',
  async (way) => {
    let response: ServerResponse | undefined;
    const { server } = await listenTls((request, given) => {
      request.socket.unref();
      response = given;
    });
    const proxy = createProxy().on('connection', (socket) => socket.unref());
    proxy.on('connect', (_request, socket) => {
      const upstream = connect(Number(new URL(server).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.unref().on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
    const proxyUrl = way === 'directly' ? undefined : `http://127.0.0.1:${await listenTo(proxy)}`;
    const transport = closedLater(httpTransport({ server, proxyUrl, tls: { insecureSkipTlsVerify: true } }));
    const got = clientOver(transport).get({ name: 'a' });
    await vi.waitFor(() => expect(response).toBeDefined());
    expect(sockets()).toBe(1);
    respond(response as ServerResponse, 200, STORED);
    await got;
    await vi.waitFor(() => expect(sockets()).toBe(0));
  },
);
