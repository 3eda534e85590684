// Compiled by `npm run typecheck`, never run. The compiler has to refuse each line below `@ts-expect-error`.
import { firstOf } from '../../src/index.js';
import { toFetchHandler } from '../../src/fetch.js';
import { toNodeListener } from '../../src/node.js';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { ApiHandler, ApiResponse } from '../../src/index.js';

const ok: ApiResponse = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'ok' };

/** Handlers are plain functions that return a response, a promise of one, or undefined. */
export const sync: ApiHandler = () => ok;
export const later: ApiHandler = async ({ method, url }) =>
  Promise.resolve(`${method} ${url}` === 'GET /x' ? ok : undefined);
export const notMine: ApiHandler = () => undefined;

/** Bodies are text, bytes, nothing, or a stream of bytes. */
export const bodies: readonly ApiResponse['body'][] = [
  'text',
  new Uint8Array(2),
  null,
  (async function* () {
    yield await Promise.resolve(new Uint8Array(1));
  })(),
];

/** Repeated headers are lists. */
export const warned: ApiResponse = { ...ok, headers: { warning: ['299 - "one"', '299 - "two"'] } };

/** A handler joins others, and serves node:http, node:http2 and fetch without a cast. */
const joined: ApiHandler = firstOf(sync, later);
createServer(toNodeListener(joined));
createSecureServer(toNodeListener(joined, { basePath: '/ops' }));
export const fetched: Promise<Response | undefined> = toFetchHandler(joined)(new Request('http://localhost/x'));

// @ts-expect-error a response has headers and a body
export const halfAResponse: ApiHandler = () => ({ status: 200 });

// @ts-expect-error `null` is no response: `undefined` means that the path is not the handler's
export const nothing: ApiHandler = () => null;

async function* words(): AsyncGenerator<string> {
  yield await Promise.resolve('x');
}
// @ts-expect-error a stream of text is no body: chunks are bytes
export const textStream: ApiResponse = { ...ok, body: words() };

// @ts-expect-error a method and a URL are needed
void sync({ method: 'GET' });

// @ts-expect-error the option is called basePath
toNodeListener(joined, { prefix: '/ops' });
