import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { firstOf } from '../../src/http/handler.js';
import { toNodeListener } from '../../src/node.js';
import { feedHandler, get, listen, raw, serve, text, whole } from './support.js';

const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

test('pipelined requests on one connection get their responses in order, however long each takes', async () => {
  const { port } = await serve(async (request) => {
    if (request.url === '/slow') for (let turn = 0; turn < 5; turn++) await new Promise((done) => setImmediate(done));
    return text(`<${request.url}>`);
  });
  const client = raw(port);
  client.send(GET('/slow') + GET('/1') + GET('/slow') + GET('/2'));
  const received = await client.until('</2>');
  expect(received.match(/<[^>]+>/g)).toEqual(['</slow>', '</1>', '</slow>', '</2>']);
});

test('a path of another handler gets a plain-text 404 where there is no next', async () => {
  const { port } = await serve((request) => (request.url === '/ours' ? text('ours') : undefined));
  const response = await get(port, '/theirs');
  expect(response.statusCode).toBe(404);
  expect(response.headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-length': '19',
  });
  expect(await whole(response)).toBe('404 page not found\n');
});

test('a base path is removed, and paths outside it are left to the service', async () => {
  const { port } = await serve((request) => text(request.url), { basePath: '/internal/' });
  expect(await whole(await get(port, '/internal/readyz?verbose'))).toBe('/readyz?verbose');
  expect(await whole(await get(port, '/internal'))).toBe('/');
  expect((await get(port, '/internally/readyz')).statusCode).toBe(404);
  const client = raw(port);
  client.send('GET http://elsewhere/internal/livez HTTP/1.1\r\nHost: a\r\n\r\n');
  await client.until('/livez');
});

test('the handler gets the address of the socket, and no certificate without TLS', async () => {
  const { port } = await serve((request) => text(`${request.remoteAddress} ${String(request.peerCertificate)}`));
  expect(await whole(await get(port, '/'))).toBe('127.0.0.1 undefined');
});

test('an error thrown by next gets 500 and is reported to onError', async () => {
  const errors: unknown[] = [];
  const ours = toNodeListener(() => Promise.resolve(undefined), { onError: (error) => void errors.push(error) });
  const { port } = await listen((req, res) =>
    ours(req, res, () => {
      throw new Error('next');
    }),
  );
  expect((await get(port, '/')).statusCode).toBe(500);
  expect(errors).toEqual([new Error('next')]);
});

describe('bytes that are not HTTP', () => {
  test.each([
    ['noise', '\u0000\u0001\u0002\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n'],
    ['raw bytes in the path', 'GET /é HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a bad chunk', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['a header that is too long', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('are refused by Node, and the service continues: %s', async (_, bytes) => {
    const { port, errors } = await serve(async (request) => {
      if (request.method === 'POST') await request.body?.(10);
      return text('fine');
    });
    const client = raw(port);
    client.send(bytes);
    client.socket.end();
    expect(await client.closed).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await whole(await get(port, '/'))).toBe('fine');
    expect(errors).toEqual([]);
  });
});

test('a client that half-closes gets its response', async () => {
  const { port } = await serve(() => text('answered'));
  const client = raw(port);
  client.socket.end(GET('/'));
  expect(await client.closed).toContain('answered');
});

test('consecutive requests reuse the connection, streams included', async () => {
  const feeds = feedHandler();
  const { server, port } = await serve(
    firstOf((request) => (request.url === '/plain' ? text('plain') : undefined), feeds.handler),
  );
  let connections = 0;
  server.on('connection', () => void connections++);
  const { Agent } = await import('node:http');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let round = 0; round < 3; round++) {
    const plain = httpRequest({ host: '127.0.0.1', port, path: '/plain', agent }).end();
    expect(await whole((await once(plain, 'response'))[0] as AsyncIterable<Uint8Array>)).toBe('plain');
    const watch = httpRequest({ host: '127.0.0.1', port, path: '/watch', agent }).end();
    const [response] = (await once(watch, 'response')) as [AsyncIterable<Uint8Array>];
    (await feeds.at(round)).end();
    expect(await whole(response)).toBe('');
  }
  agent.destroy();
  expect(connections).toBe(1);
});
