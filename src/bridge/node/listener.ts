import type { ApiHandler } from '../../http/handler.js';
import type { BridgeOptions } from '../exchange/options.js';
import type { NodeIncoming, NodeOutgoing } from './message.js';
import type { RequestPlace } from './request.js';
import { createServing } from './serving.js';

/** A request listener of `node:http` and `node:http2`, and a middleware of Express, Connect, polka and others. */
export type NodeListener = (req: NodeIncoming, res: NodeOutgoing, next?: (error?: unknown) => void) => void;

/**
 * Serves a handler with `node:http`, `node:http2` (compatibility API), Express or anything else that speaks their request
 * and response.
 *
 * - A path that is not the handler's goes to `next()`, and without one is answered 404. The handler is told which of the two
 *   (`hasNext`): with `next` the events leave `/api`, `/apis`, `/openapi/v2` and `/openapi/v3` to routes of the service,
 *   unless `discovery: true`.
 * - Mounted under a path of Express, Connect or polka, the handler sees the path below the mount, as `req.url` has it; where
 *   that is not its path, it is asked once more for the path that the client sent (`originalUrl`). With `basePath` it is the
 *   other way round: that prefix is taken off the path that the client sent.
 * - A body that a body parser has already read is taken from `req.rawBody`, else from `req.body`.
 * - Pipelined requests of one HTTP/1.1 connection are handled one after the other: each begins when the previous answer has
 *   been handed to the system, and none does once the client has left. Four are read ahead; the 1,000th that waits is the
 *   last of its connection.
 * - Streams respect back-pressure chunk by chunk; when the client leaves, the request's signal aborts and the source is
 *   released. Errors before the headers become a bare 500; after them the connection is closed. Both reach `onError`.
 * - Streams behind middleware say `Cache-Control: no-transform` beside what the handler says: a compressor would hold back
 *   the frames of a watch.
 * - A client that reads nothing of an answer for `stallTimeoutMs` is disconnected.
 * - The rest of an unread body is read for at most 8 MiB and 5 s after the answer.
 *
 * The listener itself throws nothing. Two listeners share no state.
 *
 * @throws TypeError that names every fault of the arguments.
 */
export function toNodeListener(handler: ApiHandler, options: NodeListenerOptions = {}): NodeListener {
  const serve = createServing('toNodeListener', handler, options);
  return function listener(req, res, next): void {
    // Node calls a listener with two arguments, and other servers with what they have.
    serve(req, res, typeof next === 'function' ? { next, hasNext: true } : LAST);
  };
}

const LAST: RequestPlace = { hasNext: false };

/** Options of `toNodeListener`. */
export type NodeListenerOptions = BridgeOptions;
