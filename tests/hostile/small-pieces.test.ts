import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { httpTransport } from '../../src/client.js';
import { readBody } from '../../src/client/requests/read-body.js';
import { framesOf } from '../../src/client/requests/watch-frames.js';
import { toFetchHandler } from '../../src/fetch.js';
import type { ApiHandler } from '../../src/index.js';
import { toNodeListener } from '../../src/node.js';
import { heapGrowth } from '../collect-garbage.js';

const PIECES = 200_000;
/** A list of that many pieces takes more than twice as much. See `heapGrowth`. */
const FEW_BYTES = 9_000_000;
const PIECE = '1\r\nx\r\n';

const never = new Promise<never>(() => undefined);
const noop = (): void => undefined;

/** Reads bodies of up to 3 MiB, and does nothing with them. */
const reading: ApiHandler = async (request) => {
  await request.body?.(3_145_728);
  return { status: 200, headers: {}, body: null };
};

/** Pieces of one byte, and then nothing more. `onEnd` is called when all are taken. */
async function* pieces(onEnd: () => void): AsyncGenerator<Uint8Array, void, undefined> {
  for (let sent = 0; sent < PIECES; sent++) yield Buffer.from('x');
  onEnd();
  await never;
}

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('a body that arrives in pieces of one byte takes little more memory than its bytes, over node:http', async () => {
  const server = createHttpServer(toNodeListener(reading));
  const port = await listening(server);
  const connection = once(server, 'connection') as Promise<[Socket]>;
  const client = connect(port, '127.0.0.1').on('error', noop);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const [socket] = await connection;
  const growth = await heapGrowth(async () => {
    client.write(`POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${PIECE.repeat(PIECES)}`);
    while (socket.bytesRead < PIECE.length * PIECES) await new Promise((resolve) => setTimeout(resolve, 10));
  });
  expect(growth).toBeLessThan(FEW_BYTES);
});

test('other connections are read while bodies arrive in pieces of one byte', async () => {
  let turns = 0;
  let done = false;
  const count = (): void => {
    turns++;
    if (!done) setImmediate(count);
  };
  const server = createHttpServer(toNodeListener(reading));
  const port = await listening(server);
  const connection = once(server, 'connection') as Promise<[Socket]>;
  const client = connect(port, '127.0.0.1').on('error', noop);
  onTestFinished(() => {
    done = true;
    client.destroy();
    server.close();
  });
  const [socket] = await connection;
  const responded = once(client, 'data');
  count();
  client.write(`POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${PIECE.repeat(PIECES)}0\r\n\r\n`);
  const resumes: number[] = [];
  socket.on('resume', () => resumes.push(turns));
  expect(String((await responded)[0])).toContain('200 OK');
  // A read of Node has 64 KiB, a twentieth of the body.
  expect(new Set(resumes).size).toBeGreaterThan(10);
});

test('the rest of a refused body in pieces of one byte is not read for long', async () => {
  const server = createHttpServer(toNodeListener(() => ({ status: 401, headers: {}, body: null })));
  const port = await listening(server);
  const connection = once(server, 'connection') as Promise<[Socket]>;
  const client = connect(port, '127.0.0.1').on('error', noop);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const [socket] = await connection;
  client.write(`POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${PIECE.repeat(PIECES)}`);
  await once(socket, 'close');
  expect(socket.bytesRead).toBeLessThan((PIECE.length * PIECES) / 2);
});

test('a body that arrives in pieces of one byte takes little more memory than its bytes, over fetch', async () => {
  let held: unknown;
  const growth = await heapGrowth(async () => {
    await new Promise<void>((resolve) => {
      const body = ReadableStream.from(pieces(resolve));
      held = toFetchHandler(reading)(new Request('http://x/', { method: 'POST', body, duplex: 'half' } as never));
    });
  });
  expect(held).toBeDefined();
  expect(growth).toBeLessThan(FEW_BYTES);
});

test.each<[string, (chunks: AsyncGenerator<Uint8Array>) => Promise<unknown>]>([
  ['a response', (body) => readBody({ body }, 3_145_728, new AbortController().signal)],
  ['a frame of a watch', (chunks) => framesOf(chunks, 3_145_728, '').next()],
])('%s that arrives in pieces of one byte takes a client little more memory than its bytes', async (_what, read) => {
  let held: unknown;
  const growth = await heapGrowth(async () => {
    await new Promise<void>((resolve) => {
      held = read(pieces(resolve));
    });
  });
  expect(held).toBeDefined();
  expect(growth).toBeLessThan(FEW_BYTES);
});

test('a client does not read ahead many pieces of one byte', async () => {
  const server = createServer((socket) => {
    socket.on('error', noop).write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    const write = (): void => {
      while (!socket.destroyed && socket.write(PIECE.repeat(10_000)));
      socket.once('drain', write);
    };
    write();
  });
  const port = await listening(server);
  const transport = httpTransport({ server: `http://127.0.0.1:${port}` });
  onTestFinished(async () => {
    await transport.close();
    server.close();
  });
  const ask = () => transport.handle({ method: 'GET', url: '/', headers: {} });
  // The first request loads what it needs.
  const held = [await ask()];
  const growth = await heapGrowth(async () => {
    // Three that read ahead take 20 MB.
    held.push(...(await Promise.all([ask(), ask(), ask()])));
    await new Promise((resolve) => setTimeout(resolve, 500));
  });
  expect(held.map((response) => response?.status)).toEqual([200, 200, 200, 200]);
  expect(growth).toBeLessThan(FEW_BYTES);
});
