import { once } from 'node:events';
import type { IncomingMessage, RequestListener, RequestOptions, Server } from 'node:http';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ApiHandler } from '../../src/http/handler.js';
import type { ApiResponse } from '../../src/http/response.js';
import type { NodeListenerOptions } from '../../src/node.js';
import { toNodeListener } from '../../src/node.js';

/** A server on a free port of the loopback address, closed with the test. */
export interface Served {
  readonly server: Server;
  readonly port: number;
  /** The calls of the error hook. */
  readonly errors: { readonly error: unknown; readonly where: string }[];
}

export async function listen(listener: RequestListener): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

export async function serve(handler: ApiHandler, options: NodeListenerOptions = {}): Promise<Served> {
  const errors: Served['errors'][number][] = [];
  const onError = (error: unknown, where: string): void => void errors.push({ error, where });
  return { ...(await listen(toNodeListener(handler, { onError, ...options }))), errors };
}

export const text = (body: string, status = 200): ApiResponse => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body,
});

/** A promise with the functions that settle it. */
export interface Gate<T = void> {
  readonly promise: Promise<T>;
  open(value: T): void;
}

export function gate<T = void>(): Gate<T> {
  let open!: (value: T) => void;
  const promise = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

/** A hand-written stream: yields what is pushed, waits in between, and ends on its signal alone. */
export interface Feed {
  readonly body: AsyncIterable<Uint8Array>;
  push(chunk: string): void;
  end(): void;
  fail(error: unknown): void;
  readonly aborted: Promise<unknown>;
  readonly returned: Promise<void>;
  /** How many chunks were requested. */
  asked: number;
}

export function feed(signal: AbortSignal): Feed {
  const aborted = gate<unknown>();
  const returned = gate();
  const queue: (() => IteratorResult<Uint8Array>)[] = [];
  let waiting: { resolve(result: IteratorResult<Uint8Array>): void; reject(error: unknown): void } | undefined;
  const serveWaiting = (): void => {
    if (waiting === undefined || queue.length === 0) return;
    const { resolve, reject } = waiting;
    waiting = undefined;
    try {
      resolve((queue.shift() as () => IteratorResult<Uint8Array>)());
    } catch (error) {
      reject(error);
    }
  };
  const add = (step: () => IteratorResult<Uint8Array>): void => {
    queue.push(step);
    serveWaiting();
  };
  signal.addEventListener('abort', () => {
    aborted.open(signal.reason);
    add(() => ({ done: true, value: undefined }));
  });
  const result: Feed = {
    asked: 0,
    aborted: aborted.promise,
    returned: returned.promise,
    push: (chunk) => add(() => ({ done: false, value: Buffer.from(chunk) })),
    end: () => add(() => ({ done: true, value: undefined })),
    fail: (error) =>
      add(() => {
        throw error;
      }),
    body: {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          result.asked++;
          return new Promise((resolve, reject) => {
            waiting = { resolve, reject };
            serveWaiting();
          });
        },
        return: () => {
          returned.open();
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    },
  };
  return result;
}

/** A handler that responds to every request with a feed of its own. */
export interface FeedHandler {
  readonly handler: ApiHandler;
  readonly feeds: Feed[];
  /** The feed of the n-th request, once it has come. */
  at(index: number): Promise<Feed>;
}

export function feedHandler(headers: Record<string, string> = { 'content-type': 'application/json' }): FeedHandler {
  const feeds: Feed[] = [];
  const gates: Gate<Feed>[] = [];
  const gateAt = (index: number): Gate<Feed> => (gates[index] ??= gate<Feed>());
  return {
    feeds,
    at: (index) => gateAt(index).promise,
    handler: (request) => {
      const made = feed(request.signal as AbortSignal);
      feeds.push(made);
      gateAt(feeds.length - 1).open(made);
      return { status: 200, headers, body: made.body };
    },
  };
}

/** A client that writes raw bytes to a socket. */
export interface RawClient {
  readonly socket: Socket;
  readonly received: () => string;
  send(bytes: string | Uint8Array): void;
  /** Resolves when the text has been received, rejects when the connection ends without it. */
  until(needle: string): Promise<string>;
  /** Resolves with everything when the connection has ended, in whatever way. */
  closed: Promise<string>;
}

export function raw(port: number): RawClient {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    received += chunk;
  });
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(received)));
  return {
    socket,
    closed,
    received: () => received,
    send: (bytes) => void socket.write(bytes),
    until: (needle) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!received.includes(needle)) return;
          socket.off('data', look);
          resolve(received);
        };
        socket.on('data', look);
        void closed.then(() => reject(new Error(`connection ended without ${needle}; received: ${received}`)));
        look();
      }),
  };
}

/** Sends a GET, or the request of the options; resolves with the response, its body unread. */
export async function get(port: number, path: string, options: RequestOptions = {}): Promise<IncomingMessage> {
  const request = httpRequest({ host: '127.0.0.1', port, path, agent: false, ...options });
  onTestFinished(() => void request.destroy());
  request.on('error', () => undefined);
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return response;
}

export async function whole(message: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
