import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toFetchHandler } from '../../src/fetch.js';
import type { ApiHandler } from '../../src/http/handler.js';
import { toNodeListener } from '../../src/node.js';

/** What a check sends. */
export interface Ask {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A complete response. A header that came several times is a list joined by newlines. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A streaming response: JSON frames, one a line. */
export interface Stream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The next frame; undefined when the stream ended. */
  next(): Promise<unknown>;
  /** The client leaves. */
  leave(): Promise<void>;
}

/** One way to reach a handler: checks do not depend on which. */
export interface Transport {
  readonly name: string;
  ask(method: string, url: string, ask?: Ask): Promise<HttpResponse>;
  open(url: string, ask?: Ask): Promise<Stream>;
  close(): Promise<void>;
}

const flatten = (headers: Readonly<Record<string, string | readonly string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value : value.join('\n')]],
    ),
  );

async function* chunksOf(body: unknown): AsyncGenerator<Uint8Array> {
  if (body === null || body === undefined) return;
  if (typeof body === 'string') yield new TextEncoder().encode(body);
  else if (body instanceof Uint8Array) yield body;
  else for await (const chunk of body as AsyncIterable<Uint8Array>) yield Uint8Array.from(chunk);
}

async function textOf(body: unknown): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunksOf(body)) parts.push(chunk);
  return Buffer.concat(parts).toString('utf8');
}

async function* framesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line) as unknown;
  }
}

function stream(
  status: number,
  headers: Readonly<Record<string, string>>,
  chunks: AsyncIterable<Uint8Array>,
  leave: () => void | Promise<void>,
): Stream {
  const frames = framesOf(chunks);
  return {
    status,
    headers,
    async next() {
      const step = await frames.next();
      return step.done ? undefined : (step.value as unknown);
    },
    async leave() {
      await leave();
    },
  };
}

/** The handler called as a function. */
export function inMemory(handler: ApiHandler): Transport {
  const send = async (method: string, url: string, { headers, body }: Ask, signal?: AbortSignal) => {
    const response = await handler({
      method,
      url,
      ...(headers && { headers }),
      ...(body !== undefined && { body: () => body }),
      ...(signal && { signal }),
    });
    return response ?? { status: 404, headers: {}, body: 'not ours' };
  };
  return {
    name: 'memory',
    async ask(method, url, ask = {}) {
      const { status, headers, body } = await send(method, url, ask);
      return { status, headers: flatten(headers), text: method === 'HEAD' ? '' : await textOf(body) };
    },
    async open(url, ask = {}) {
      const client = new AbortController();
      const { status, headers, body } = await send('GET', url, ask, client.signal);
      return stream(status, flatten(headers), chunksOf(body), () => client.abort());
    },
    close: () => Promise.resolve(),
  };
}

/** The handler behind a real socket. */
export async function overNode(handler: ApiHandler): Promise<Transport> {
  const server = createServer(toNodeListener(handler));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const send = (method: string, path: string, { headers, body }: Ask): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const request = httpRequest(
        { host: '127.0.0.1', port, method, path, headers: { ...headers, ...lengthOf(body) } },
        resolve,
      );
      request.on('error', reject);
      request.end(body);
    });
  return {
    name: 'node:http',
    async ask(method, url, ask = {}) {
      const response = await send(method, url, ask);
      return {
        status: response.statusCode ?? 0,
        headers: flatten(headersOf(response)),
        text: await textOf(response),
      };
    },
    async open(url, ask = {}) {
      const response = await send('GET', url, ask);
      return stream(response.statusCode ?? 0, flatten(headersOf(response)), response, () => {
        response.destroy();
      });
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Node's client frames the body of a DELETE only when its length is known. */
const lengthOf = (body: string | Uint8Array | undefined): Record<string, string> =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };

const headersOf = (response: IncomingMessage): Record<string, string | string[] | undefined> => ({
  ...response.headers,
  ...(response.headersDistinct['warning'] && { warning: response.headersDistinct['warning'] }),
});

/** The handler behind the fetch bridge, with Request and Response of the runtime. */
export function overFetch(handler: ApiHandler): Transport {
  const bridge = toFetchHandler(handler);
  const send = async (method: string, url: string, { headers, body }: Ask, signal?: AbortSignal): Promise<Response> => {
    const request = new Request(`http://localhost${url}`, {
      method,
      ...(headers && { headers }),
      ...(body !== undefined && { body: body as string | Uint8Array<ArrayBuffer> }),
      ...(signal && { signal }),
    });
    // Request resolves dots in its URL; a server that hands over what it received does not
    Object.defineProperty(request, 'url', { value: `http://localhost${url}` });
    return (await bridge(request, { hasNext: false })) ?? new Response('not ours', { status: 404 });
  };
  return {
    name: 'fetch',
    async ask(method, url, ask = {}) {
      const response = await send(method, url, ask);
      return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
    },
    async open(url, ask = {}) {
      const client = new AbortController();
      const response = await send('GET', url, ask, client.signal);
      const reader = response.body?.getReader();
      const chunks = async function* (): AsyncGenerator<Uint8Array> {
        while (reader) {
          const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
          if (done || !value) return;
          yield value;
        }
      };
      return stream(response.status, Object.fromEntries(response.headers), chunks(), () => client.abort());
    },
    close: () => Promise.resolve(),
  };
}

/** All transports. */
export const TRANSPORTS: readonly ((handler: ApiHandler) => Transport | Promise<Transport>)[] = [
  inMemory,
  overNode,
  overFetch,
];
