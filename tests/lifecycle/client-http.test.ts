import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createEventsClient,
  httpTransport,
  isConnectionError,
  isResponseError,
  isStatusError,
  type EventsClientOptions,
  type HttpTransportOptions,
} from '../../src/client.js';
import { toNodeListener } from '../../src/node.js';
import { event, eventsOfTest } from './events-api.js';
import { listen } from './support.js';

/** A transport that is closed with the test. */
function transportTo(server: string, options: Partial<HttpTransportOptions> = {}) {
  const transport = httpTransport({ server, ...options });
  onTestFinished(() => transport.close());
  return transport;
}

const address = (port: number, path = ''): string => `http://127.0.0.1:${port}${path}`;

/** A client of a server that answers as `listener` does, without repetitions unless the options say otherwise. */
async function clientOf(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
  options: Partial<HttpTransportOptions> = {},
  more: Partial<EventsClientOptions> = {},
) {
  const { server, port } = await listen(listener);
  const transport = transportTo(address(port), options);
  const client = createEventsClient({
    transport,
    group: 'events.example.com',
    namespace: 'default',
    retry: { retries: 0 },
    ...more,
  });
  return { client, server, port, transport };
}

const json = (response: ServerResponse, status: number, body: object, headers = {}): void => {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
};

const stored = { kind: 'Event', metadata: { name: 'a', namespace: 'default' } };

describe('a client over HTTP', () => {
  test('does with a server what it does in its process', async () => {
    const { events } = eventsOfTest();
    const { client } = await clientOf(toNodeListener(events.handle));
    const created = await client.create(event('a') as never);
    expect(await client.get({ name: 'a' })).toEqual(created);
    for (const name of ['b', 'c']) await client.create(event(name) as never);
    const names = (await client.list({ pageSize: 2 }).toArray()).map(({ metadata }) => metadata.name);
    expect(names).toEqual(['a', 'b', 'c']);
    const seen: string[] = [];
    for await (const { type, object } of client.watch({ sendInitialEvents: true })) {
      seen.push(`${type} ${object.metadata.name}`);
      if (type === 'BOOKMARK') await client.delete({ name: 'b' });
      if (type === 'DELETED') break;
    }
    expect(seen).toEqual(['ADDED a', 'ADDED b', 'ADDED c', 'BOOKMARK undefined', 'DELETED b']);
  });

  test('uses connections again', async () => {
    let connections = 0;
    const { client, server } = await clientOf((_request, response) => json(response, 200, stored));
    server.on('connection', () => connections++);
    for (let index = 0; index < 20; index++) await client.get({ name: 'a' });
    // The next request may come before undici has noticed that the last one is complete: it then takes a second connection.
    expect(connections).toBeLessThanOrEqual(2);
  });

  test('says that a refused connection sent nothing', async () => {
    const { server, port } = await listen(() => undefined);
    server.close();
    const client = createEventsClient({
      transport: transportTo(address(port)),
      namespace: 'default',
      retry: { retries: 0 },
    });
    const error = await client.create(event('a') as never).catch((caught: unknown) => caught);
    expect(error).toSatisfy(isConnectionError);
    expect(error).toMatchObject({ sent: false });
  });

  test('says that a request may have been carried out when its connection is reset', async () => {
    const { client } = await clientOf((request) => request.socket.destroy());
    const error = await client.patch({ name: 'a' }, { type: 'merge', patch: {} }).catch((caught: unknown) => caught);
    expect(error).toSatisfy(isConnectionError);
    expect(error).toMatchObject({ sent: true });
  });

  test('fails when the connection is reset in the middle of an answer', async () => {
    const { client } = await clientOf((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"kind":"Event",');
      setTimeout(() => request.socket.destroy(), 10);
    });
    await expect(client.get({ name: 'a' })).rejects.toSatisfy(isConnectionError);
  });

  test('ends a request that waits when its signal is aborted, and gives the connection back', async () => {
    const closed: Promise<unknown>[] = [];
    const { client } = await clientOf((request) => void closed.push(once(request.socket, 'close')));
    const controller = new AbortController();
    const asked = client.get({ name: 'a' }, { signal: controller.signal });
    const reason = new Error('enough');
    setTimeout(() => controller.abort(reason), 20);
    await expect(asked).rejects.toBe(reason);
    await closed[0];
  });
});
