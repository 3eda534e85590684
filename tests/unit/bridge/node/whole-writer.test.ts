import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApiHandler } from '../../../../src/http/handler.js';
import { toNodeListener } from '../../../../src/node.js';
import { settled } from './hand-made.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

interface Handle {
  writeBuffer(...given: unknown[]): unknown;
  writev(...given: unknown[]): unknown;
}

/** A server that counts how often the system is given bytes. */
async function serve(handler: ApiHandler, before: (res: ServerResponse) => void = () => undefined) {
  const listener = toNodeListener(handler);
  const server = createServer((req, res) => {
    before(res);
    listener(req, res);
  });
  servers.push(server);
  const calls = { writeBuffer: 0, writev: 0 };
  server.on('connection', (socket: Socket & { _handle?: Handle }) => {
    const handle = socket._handle;
    if (handle === undefined) return;
    for (const name of ['writeBuffer', 'writev'] as const) {
      const write = handle[name].bind(handle);
      handle[name] = (...given) => ((calls[name] += 1), write(...given));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, calls, port: (server.address() as AddressInfo).port };
}

const request = (path: string, method = 'GET', more = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
const last = (path: string, method = 'GET'): string => request(path, method, 'Connection: close\r\n');

async function piecesOf(port: number, text: string): Promise<Buffer[]> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  const pieces: Buffer[] = [];
  for await (const bytes of socket) pieces.push(bytes as Buffer);
  return pieces;
}

const ask = async (port: number, text: string): Promise<string> => Buffer.concat(await piecesOf(port, text)).toString();

const bodies = (text: string): string[] => text.split(/HTTP\/1.1 200 OK\r\n[^]*?\r\n\r\n/).slice(1);

describe('a response in one piece', () => {
  it.each<[string, string | Uint8Array | null, string]>([
    ['text', 'a – b', 'a – b'],
    ['bytes', new TextEncoder().encode('a – b'), 'a – b'],
    ['no body', null, ''],
  ])('is given to the system in one write: %s', async (_, body, expected) => {
    const { port, calls } = await serve(() => ({ status: 200, headers: {}, body }));
    expect(bodies(await ask(port, request('/1') + last('/2')))).toEqual([expected, expected]);
    expect(calls).toEqual({ writeBuffer: 2, writev: 0 });
  });

  it('has its headers in Latin-1 and its text in UTF-8', async () => {
    const { port, calls } = await serve(() => ({ status: 200, headers: { 'x-a': 'é' }, body: 'é' }));
    const bytes = Buffer.concat(await piecesOf(port, request('/1') + last('/2'))).toString('latin1');
    expect(bytes.match(/x-a: .*/g)).toEqual(['x-a: \u00e9', 'x-a: \u00e9']);
    expect(bytes.match(/\r\n\r\n../g)).toEqual(['\r\n\r\n\u00c3\u00a9', '\r\n\r\n\u00c3\u00a9']);
    expect(calls).toEqual({ writeBuffer: 2, writev: 0 });
  });

  it('has no body for HEAD', async () => {
    const { port } = await serve(() => ({ status: 200, headers: {}, body: 'content' }));
    const text = await ask(port, last('/', 'HEAD'));
    expect(text).toContain('content-length: 7\r\n');
    expect(text.endsWith('\r\n\r\n')).toBe(true);
  });

  it('releases its own memory at once', async () => {
    let released = 0;
    const { port } = await serve(() => ({ status: 200, headers: {}, body: 'a', release: () => void (released += 1) }));
    await ask(port, request('/1') + last('/2'));
    expect(released).toBe(2);
  });

  it('of more than 64 KiB is written by Node', async () => {
    const body = 'x'.repeat(70_000);
    const { port, calls } = await serve(() => ({ status: 200, headers: {}, body }));
    expect(bodies(await ask(port, last('/')))).toEqual([body]);
    // Which of its other ways Node takes depends on its version.
    expect(calls.writeBuffer).toBe(0);
  });

  it('is written by Node to a response whose length Node checks, or that is sent in chunks', async () => {
    const response = { status: 200, headers: {}, body: 'a' };
    const checked = await serve(
      () => response,
      (res) => void (res.strictContentLength = true),
    );
    expect(bodies(await ask(checked.port, last('/')))).toEqual(['a']);
    expect(checked.calls.writeBuffer).toBe(0);
    const chunked = await serve(
      () => response,
      (res) => void (res.chunkedEncoding = true),
    );
    expect(bodies(await ask(chunked.port, last('/')))).toEqual(['1\r\na\r\n0\r\n\r\n']);
  });

  it.each(['end', 'write'] as const)(
    'is written by Node to a response whose `%s` middleware has replaced',
    async (name) => {
      let seen = 0;
      const { port, calls } = await serve(
        () => ({ status: 200, headers: {}, body: 'a' }),
        (res) => {
          const original = res[name] as (...given: unknown[]) => unknown;
          Object.assign(res, { [name]: (...given: unknown[]) => ((seen += 1), original.apply(res, given)) });
        },
      );
      expect(bodies(await ask(port, last('/')))).toEqual(['a']);
      expect(seen).toBe(name === 'end' ? 1 : 0);
      expect(calls.writeBuffer).toBe(0);
    },
  );

  it('is written by Node to a connection that is no socket of the system, which may keep what it is given', async () => {
    const { server } = await serve(({ url }) => ({ status: 200, headers: {}, body: url }));
    const kept: Buffer[] = [];
    const connection = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => (kept.push(chunk), done()),
    });
    server.emit('connection', connection);
    for (const path of ['/1', '/2', '/3']) {
      connection.push(request(path));
      await settled();
    }
    expect(bodies(Buffer.concat(kept).toString())).toEqual(['/1', '/2', '/3']);
  });

  it('keeps its bytes while its client does not read, whatever other clients are sent', async () => {
    const long = (url: string): string => url.padEnd(60_000, url.slice(-1));
    let handled = 0;
    const { server, port } = await serve(({ url }) => {
      handled += 1;
      return { status: 200, headers: {}, body: Buffer.from(long(url)) };
    });
    const slow = connect(port, '127.0.0.1').pause();
    const [connection] = (await once(server, 'connection')) as [Socket];
    // One by one, since a response that waits behind another of its connection is written by Node, until the system
    // takes no more.
    const paths: string[] = [];
    while (connection.writableLength === 0) {
      paths.push(`/${paths.length}`);
      slow.write(request(paths.at(-1) ?? ''));
      while (handled < paths.length) await settled();
      await settled();
    }
    for (let turn = 0; turn < 20; turn++) expect(bodies(await ask(port, last('/x')))).toEqual([long('/x')]);
    const expected = paths.map(long).join('');
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const bytes of slow) {
      pieces.push(bytes as Buffer);
      length += (bytes as Buffer).length;
      if (length > expected.length && bodies(Buffer.concat(pieces).toString()).join('').length === expected.length)
        break;
    }
    const text = Buffer.concat(pieces).toString();
    expect(bodies(text).join('') === expected).toBe(true);
  });
});
