import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';
import {
  createEventsClient,
  httpTransport,
  type ConnectedTransport,
  type EventsClient,
  type EventsClientOptions,
  type HttpTransportOptions,
} from '../../src/client.js';
import { listen } from './support.js';

/** A transport that is closed with the test. */
export function closedLater<T extends ConnectedTransport>(transport: T): T {
  onTestFinished(() => transport.close());
  return transport;
}

const ONCE = { retries: 0 };

/** A client that by default retries nothing. */
export function clientOver(transport: ConnectedTransport, options: Partial<EventsClientOptions> = {}): EventsClient {
  return createEventsClient({
    transport,
    group: 'events.example.com',
    namespace: 'default',
    retry: ONCE,
    timeoutMs: 5_000,
    ...options,
  });
}

/** The address of a server on this machine. */
export const local = (port: number, path = ''): string => `http://127.0.0.1:${port}${path}`;

/** A client of a server that responds as `listener` does. */
export async function clientOf(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
  options: Partial<HttpTransportOptions> = {},
  more: Partial<EventsClientOptions> = {},
) {
  const { server, port } = await listen(listener);
  const transport = closedLater(httpTransport({ server: local(port), ...options }));
  return { client: clientOver(transport, more), server, port, transport };
}

let ofLoopback: Promise<{ readonly private: string; readonly cert: string }> | undefined;

/** A server over TLS, as the credentials of a kubeconfig need one; `ca` is its certificate in base64. */
export async function listenTls(listener: RequestListener): Promise<{ readonly server: string; readonly ca: string }> {
  const extensions = [
    {
      name: 'subjectAltName',
      altNames: [
        { type: 7, ip: '127.0.0.1' },
        { type: 2, value: 'localhost' },
      ],
    },
  ];
  ofLoopback ??= generate([{ name: 'commonName', value: '127.0.0.1' }], { keySize: 2048, extensions } as never);
  const { private: key, cert } = await ofLoopback;
  const server = createServer({ key, cert }, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, ca: btoa(cert) };
}

/** Responds with an object. */
export function respond(response: ServerResponse, status: number, body: object, headers: object = {}): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** A folder that is removed with the test. */
export function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-client-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What a call rejects with. */
export const failureOf = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => {
      throw new Error('the call did not fail');
    },
    (error: Error) => error,
  );

/** An event as a server responds with it. */
export const STORED = { kind: 'Event', metadata: { name: 'a', namespace: 'default' } };
