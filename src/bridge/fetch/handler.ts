import { systemClock } from '../../clock/clock.js';
import { normalizeBasePath, stripBasePath } from '../../http/base-path.js';
import type { ApiHandler } from '../../http/handler.js';
import { isPromise } from '../../http/promise.js';
import type { AbortCode } from '../../model/abort-code.js';
import { checkResponse, isBodiless, isStream, type ApiResponse } from '../../http/response.js';
import { isAbortError } from '../exchange/abort-reason.js';
import { createReport, failureResponse, isExpected } from '../exchange/failures.js';
import { checkBridge, STALL_TIMEOUT_MS, type BridgeOptions } from '../exchange/options.js';
import { drop, plainBodyOf, streamOf, withNoTransform } from '../exchange/response-body.js';
import { createStallDetector } from '../exchange/stall-detector.js';
import { BodyStream } from './body-stream.js';
import { createSharedCopies } from './shared-copies.js';
import { createStreamingResponses } from '../exchange/streaming-responses.js';
import { FetchExchange, type FetchInfo, type ServerInfo } from './fetch-exchange.js';
import { plainHeaders, responseInit } from './response-init.js';
import { turnEnd } from './turn-end.js';

/** Options of `toFetchHandler`. */
export type FetchHandlerOptions = BridgeOptions;

/**
 * A handler for servers with the fetch API. `undefined` means that the path is outside the base path, or not one of the
 * handler's.
 */
export type FetchHandler = (request: Request, info?: FetchInfo) => Promise<Response | undefined>;

/**
 * Serves a handler in any server that passes a `Request` and expects a `Response`: Hono, Deno, Bun, service workers.
 *
 * Streams have `Cache-Control: no-transform` in addition to the handler's directives, because a compressor would hold
 * back the frames of a watch. They are pulled chunk by chunk; a stream that is not pulled for `stallTimeoutMs` ends
 * with an error. A watch that has nothing to send yet begins with an empty chunk, because many servers send the headers
 * with the first one. Cancelling the response body, or aborting the request's signal, aborts the signal of the normalized
 * request and releases the source. Errors before the response become a bare 500; later ones end the body with an error.
 * Both reach `onError`. Several `Warning` values may become one line, depending on the `Headers` of the server.
 *
 * The promise rejects only with a TypeError, for a Request whose body has already been read, and for anything else than
 * a Request.
 *
 * @throws TypeError that names every fault of the arguments.
 */
export function toFetchHandler(handler: ApiHandler, options: FetchHandlerOptions = {}): FetchHandler {
  return createFetchHandler('toFetchHandler', handler, options);
}

export function createFetchHandler(
  maker: string,
  handler: ApiHandler,
  options: FetchHandlerOptions,
): (request: Request, info?: ServerInfo) => Promise<Response | undefined> {
  checkBridge(maker, handler, options);
  const basePath = normalizeBasePath(options.basePath);
  const { clock = systemClock, maxBodyBytes = Infinity, stallTimeoutMs = STALL_TIMEOUT_MS } = options;
  const report = createReport(maker, options.onError);
  const stalls = createStallDetector(clock, stallTimeoutMs);
  const streaming = createStreamingResponses(options.signal);
  const copies = createSharedCopies();

  const toResponse = (exchange: FetchExchange, response: ApiResponse): Response => {
    checkResponse(response);
    const { method } = exchange;
    const source = streamOf(method, response);
    if (source === undefined) {
      if (isStream(response.body)) drop(exchange, response);
      return plainResponse(method, response);
    }
    // Always with `no-transform`: middleware is a function around this one, and cannot be detected.
    const init = responseInit(response.status, plainHeaders(withNoTransform(response.headers)));
    return streamedResponse(exchange, source, response.signal, init);
  };

  const streamedResponse = (
    exchange: FetchExchange,
    source: AsyncIterable<Uint8Array>,
    signal: AbortSignal | undefined,
    init: ResponseInit,
  ): Response => {
    const over = (): void => {
      streaming.remove(exchange);
      stalls.remove(body);
      signal?.removeEventListener('abort', onGiveUp);
      exchange.finish();
    };
    const onGiveUp = (): void => {
      exchange.abort('response-abandoned');
      body.breakOff();
      over();
    };
    const onFailure = (error: unknown): boolean => {
      const harmless = exchange.aborted && isAbortError(error);
      over();
      if (!harmless) report(error, 'stream');
      return harmless;
    };
    const onOver = (code?: AbortCode): void => {
      if (code !== undefined) exchange.abort(code);
      over();
    };
    const body = new BodyStream(source, { onOver, onFailure }, copies);
    // Both may throw; until then nothing else must refer to this body.
    const response = new Response(body.stream, init);
    signal?.addEventListener('abort', onGiveUp);
    exchange.streams = true;
    streaming.add(exchange);
    stalls.add(body);
    if (signal?.aborted) onGiveUp();
    return response;
  };

  const failed = (exchange: FetchExchange, error: unknown): Response => {
    if (exchange.misuse !== undefined) throw exchange.misuse;
    if (!isExpected(error, exchange)) report(error, 'handler');
    exchange.finish();
    return plainResponse(exchange.method, failureResponse(error));
  };

  return async function fetchHandler(request, info): Promise<Response | undefined> {
    // Without types, a request of Node is easily passed: its URL is a path.
    if ((request as Partial<Request> | undefined)?.url?.startsWith('/') !== false) {
      throw new TypeError(`${maker}: called without a Request of fetch: kube-vitals/node is for the requests of Node`);
    }
    const url = stripBasePath(withoutFragment(request.url), basePath);
    if (url === undefined) return undefined;
    const exchange = new FetchExchange(request, info, url, maxBodyBytes);
    let handled: ApiResponse | undefined;
    try {
      const pending = handler(exchange);
      handled = isPromise(pending) ? await pending : pending;
      if (exchange.misuse !== undefined) throw exchange.misuse;
      const response = handled === undefined ? undefined : toResponse(exchange, handled);
      if (exchange.streams) return response;
      exchange.finish();
      const end = isLarge(handled) ? undefined : turnEnd();
      if (end !== undefined) await end;
      return response;
    } catch (error) {
      drop(exchange, handled);
      return failed(exchange, error);
    }
  };
}

/**
 * True for a body beyond the high-water mark of Node's sockets (16 KiB, 64 KiB since Node 22). Over TLS, Node may close
 * the connection if such a body is written at the end of a turn: see `bridge/exchange/paused-reading.ts`.
 */
function isLarge(response: ApiResponse | undefined): boolean {
  const { body } = response ?? {};
  return (typeof body === 'string' || body instanceof Uint8Array) && body.length > 16_384;
}

function withoutFragment(url: string): string {
  const hash = url.indexOf('#');
  return hash === -1 ? url : url.slice(0, hash);
}

const UTF8 = /* @__PURE__ */ new TextEncoder();

function plainResponse(method: string, response: ApiResponse): Response {
  const { status } = response;
  const headers = plainHeaders(response.headers);
  const { values } = headers;
  if (isBodiless(status)) {
    delete values['content-length'];
    return new Response(null, responseInit(status, headers));
  }
  const body = plainBodyOf(response);
  // Passed as bytes: a string would get a default content type if the handler set none.
  const bytes = typeof body === 'string' ? UTF8.encode(body) : (body ?? NO_BYTES);
  const keepsLength = body === undefined || (body === null && method === 'HEAD' && 'content-length' in values);
  if (!keepsLength) values['content-length'] = String(bytes.byteLength);
  return new Response(
    method === 'HEAD' || bytes.byteLength === 0 ? null : (bytes as Uint8Array<ArrayBuffer>),
    responseInit(status, headers),
  );
}

const NO_BYTES = /* @__PURE__ */ new Uint8Array(0);
