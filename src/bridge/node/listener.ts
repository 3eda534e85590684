import type { ApiHandler } from '../../http/handler.js';
import type { BridgeOptions } from '../exchange/options.js';
import type { NodeIncoming, NodeOutgoing } from './message.js';
import type { RequestRouting } from './node-exchange.js';
import { createServing } from './serving.js';

/** A request listener of `node:http` and `node:http2`, and a middleware of Express, Connect, polka and others. */
export type NodeListener = (req: NodeIncoming, res: NodeOutgoing, next?: (error?: unknown) => void) => void;

/**
 * Serves a handler with `node:http`, `node:http2` (compatibility API), Express or any other framework that passes their
 * request and response.
 *
 * - A path that is not one of the handler's is passed to `next()`; without `next` it gets 404. `hasNext` of the
 *   request shows which of the two applies: with `next` the events leave `/api`, `/apis`, `/openapi/v2` and
 *   `/openapi/v3` to routes of the service, unless `discovery: true`.
 * - Mounted under a path of Express, Connect or polka, the handler gets the path below the mount (`req.url`); if that
 *   is not one of its paths, it is called again with the path that the client sent (`originalUrl`). With `basePath` the
 *   order is reversed: the prefix is first removed from the path that the client sent.
 * - For a body that a body parser has already read, `req.rawBody` is used, else `req.body`.
 * - Pipelined requests of one HTTP/1.1 connection are handled one after the other: each begins when the previous
 *   response has been handed to the operating system, and none begins after the client has disconnected. Four are read
 *   ahead; the 1,000th waiting request is the last one of its connection.
 * - Streams respect back-pressure chunk by chunk; when the client disconnects, the request's signal aborts and the
 *   source is released. Errors before the headers become a bare 500; after them the connection is closed. Both reach
 *   `onError`.
 * - Streams that pass through middleware have `Cache-Control: no-transform` in addition to the handler's directives: a
 *   compressor would hold back the frames of a watch.
 * - A client that reads no bytes of a response for `stallTimeoutMs` is disconnected.
 * - The rest of an unread body is read for at most 8 MiB and 5 s after the response.
 *
 * The listener itself throws nothing, if it is called with a request and a response. Two listeners share no state.
 *
 * @throws TypeError that names every fault of the arguments.
 */
export function toNodeListener(handler: ApiHandler, options: NodeListenerOptions = {}): NodeListener {
  const serve = createServing('toNodeListener', handler, options);
  return function listener(req, res, next): void {
    // In plain JavaScript a listener may be given to a framework that calls it with objects of its own.
    if (typeof (res as Partial<NodeOutgoing> | undefined)?.writeHead !== 'function') throw new TypeError(NO_RESPONSE);
    // Node calls a listener with two arguments; other servers may pass more.
    serve(req, res, typeof next === 'function' ? { next, hasNext: true } : LAST);
  };
}

const NO_RESPONSE =
  'a listener was called without a response of Node: pass it to createServer or to app.use of Express, and handlers such as health.handle to toNodeListener; Fastify, Koa and Hono have functions of their own in kube-vitals/fastify, koa and hono';

const LAST: RequestRouting = { hasNext: false };

/** Options of `toNodeListener`. */
export type NodeListenerOptions = BridgeOptions;
