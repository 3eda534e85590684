import { createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { httpTransport, isResponseError } from '../../src/client.js';
import { respond, clientOf, clientOver, closedLater, failureOf, local, STORED } from './client-support.js';

/** A client of a server that writes arbitrary bytes. */
async function clientOfRaw(answerWith: (socket: Socket) => void) {
  let written = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => answerWith(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) {
      written += socket.bytesWritten;
      socket.destroy();
    }
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const transport = closedLater(httpTransport({ server: local(port) }));
  const bytes = (): number => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, written);
  const client = clientOver(transport, { maxResponseBytes: 100_000, maxFrameBytes: 100_000 });
  return { client, server: local(port), bytes };
}

/** Writes the same text for ever, as fast as the client reads. */
const endless = (socket: Socket, text: string): void => {
  const write = (): void => {
    while (!socket.destroyed && socket.write(text));
    if (!socket.destroyed) socket.once('drain', write);
  };
  write();
};

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

describe('a hostile server', () => {
  test('that never ends its headers causes a ResponseError', async () => {
    const { client } = await clientOfRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      endless(socket, 'x-more: 0123456789\r\n');
    });
    expect(await failureOf(client.get({ name: 'a' }))).toSatisfy(isResponseError);
  });

  test('that does not send HTTP causes a ResponseError', async () => {
    const { client } = await clientOfRaw((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
    expect(await failureOf(client.get({ name: 'a' }))).toSatisfy(isResponseError);
  });

  test('that never ends its response is disconnected after maxResponseBytes', async () => {
    const { client, server, bytes } = await clientOfRaw((socket) => {
      socket.write(`${HEAD}connection: close\r\n\r\n{"note":"`);
      endless(socket, 'x'.repeat(10_000));
    });
    const error = await failureOf(client.get({ name: 'a' }));
    expect(error).toSatisfy(isResponseError);
    expect(error.message).toBe(`the response from ${server} has more than 100000 bytes`);
    expect(bytes()).toBeLessThan(20_000_000);
  });

  test('that never ends its refusal causes a StatusError with a short message', async () => {
    const { client, server } = await clientOfRaw((socket) => {
      socket.write('HTTP/1.1 403 Forbidden\r\ncontent-type: text/html\r\n\r\n<html><title>No</title><body>');
      endless(socket, '<p>access denied</p>');
    });
    const error = await failureOf(client.get({ name: 'a' }));
    expect(error).toMatchObject({ name: 'StatusError', code: 403, reason: '' });
    expect(error.message.length).toBeLessThan(300);
    expect(error.message.startsWith(`${server} responded with 403: No access denied access denied`)).toBe(true);
  });

  test('that never ends the line of a watch is disconnected after maxFrameBytes', async () => {
    const { client, server, bytes } = await clientOfRaw((socket) => {
      socket.write(`${HEAD}connection: close\r\n\r\n{"type":"ADDED","object":{"note":"`);
      endless(socket, 'x'.repeat(10_000));
    });
    const frames = client.watch()[Symbol.asyncIterator]();
    const error = await failureOf(frames.next());
    expect(error).toSatisfy(isResponseError);
    expect(error.message).toBe(`a frame of the watch from ${server} has more than 100000 bytes`);
    expect(bytes()).toBeLessThan(20_000_000);
  });

  test('that returns the same continue token again causes a ResponseError', async () => {
    let asked = 0;
    const { client } = await clientOf((_request, response) => {
      asked++;
      respond(response, 200, { kind: 'EventList', metadata: { resourceVersion: '1', continue: 'more' }, items: [] });
    });
    const error = await failureOf(client.list().toArray());
    expect(error).toSatisfy(isResponseError);
    expect(asked).toBe(2);
  });

  test('whose continue tokens come in a cycle causes a ResponseError, however long the cycle is', async () => {
    for (const length of [2, 3, 17]) {
      let asked = 0;
      const { client, port } = await clientOf((_request, response) => {
        const metadata = { resourceVersion: '1', continue: String(asked++ % length) };
        respond(response, 200, { kind: 'EventList', metadata, items: [STORED] });
      });
      expect(await failureOf(client.list().toArray(1_000))).toMatchObject({
        message: `${local(port)} returns the same continue token again and again`,
      });
      expect(asked).toBeLessThanOrEqual(4 * length);
    }
  });

  test('that returns empty pages with ever new tokens causes a ResponseError after 1,000', async () => {
    let asked = 0;
    const { client, port } = await clientOf((_request, response) => {
      const metadata = { resourceVersion: '1', continue: String(++asked) };
      respond(response, 200, { kind: 'EventList', metadata, items: [] });
    });
    const error = await failureOf(client.list().toArray());
    expect(error).toSatisfy(isResponseError);
    expect(error.message).toBe(`1000 pages of the list from ${local(port)} in a row are empty`);
    expect(asked).toBe(1_000);
  });

  test('that returns ever more events makes toArray fail at its limit', async () => {
    let asked = 0;
    const { client, port } = await clientOf((_request, response) => {
      const metadata = { resourceVersion: '1', continue: String(++asked) };
      respond(response, 200, { kind: 'EventList', metadata, items: [STORED, STORED] });
    });
    const message = `the list from ${local(port)} has more than 10 events`;
    expect(await failureOf(client.list().toArray(10))).toMatchObject({ message });
    expect(asked).toBe(6);
  });

  test('that compresses its response without a request for that causes a ResponseError, and nothing is decompressed', async () => {
    let encoding: unknown;
    const bomb = gzipSync(Buffer.alloc(50_000_000, 'x'));
    const { client, port } = await clientOf((request, response) => {
      encoding = request.headers['accept-encoding'];
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb);
    });
    const error = await failureOf(client.get({ name: 'a' }));
    expect(error).toSatisfy(isResponseError);
    expect(error.message).toBe(`the response from ${local(port)} is compressed (gzip), which was not requested`);
    expect(encoding).toBeUndefined();
    const frames = client.watch()[Symbol.asyncIterator]();
    expect(await failureOf(frames.next())).toSatisfy(isResponseError);
  });

  test('that responds with HTML causes a ResponseError with the beginning of its text', async () => {
    const { client, port } = await clientOf((request, response) => {
      if (request.url?.includes('?')) return respond(response, 200, { kind: 'EventList', metadata: {}, items: 5 });
      response.writeHead(200, { 'content-type': 'text/html' });
      return void response.end('<!doctype html><script>alert(1)</script><h1>Sign\n in</h1>\u001b[31m');
    });
    const error = await failureOf(client.get({ name: 'a' }));
    expect(error.message).toBe(`the response from ${local(port)} is not a JSON object: Sign in [31m`);
    const ofList = await failureOf(client.list().toArray());
    expect(ofList).toSatisfy(isResponseError);
    expect(ofList.message).toBe(`the response from ${local(port)} is not a list of events: its items are not an array`);
  });

  test('that sends two responses to one request does not confuse the next request', async () => {
    let first = true;
    const { client } = await clientOfRaw((socket) => {
      const body = JSON.stringify(STORED);
      const whole = `${HEAD}content-length: ${body.length}\r\n\r\n${body}`;
      socket.write(first ? whole + whole.replace('"a"', '"b"') : whole);
      first = false;
    });
    const seen = [await client.get({ name: 'a' }), await client.get({ name: 'a' }).catch(() => undefined)];
    expect(seen[0]).toMatchObject(STORED);
    if (seen[1] !== undefined) expect(seen[1]).toMatchObject(STORED);
  });
});
