import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
