import { systemClock } from '../../clock/clock.js';
import { normalizeBasePath, stripBasePath } from '../../http/base-path.js';
import type { ApiHandler } from '../../http/handler.js';
import { isPromise } from '../../http/promise.js';
import type { ApiResponse } from '../../http/response.js';
import { notFoundText } from '../../responses/fixed-responses.js';
import { abortReason } from '../exchange/abort-reason.js';
import { reportTo } from '../exchange/failures.js';
import { checkBridge, STALL_TIMEOUT_MS, type BridgeOptions } from '../exchange/options.js';
import { createStreamingAnswers } from '../exchange/streaming-answers.js';
import { createClosing } from './closing.js';
import { createDeferredSignals } from './deferred-signals.js';
import type { NodeIncoming, NodeOutgoing } from './message.js';
import { createRequestOrder, mustWait } from './request-order.js';
import { createTransfers } from './transfers.js';
import { NodeExchange } from './request.js';
import { createSender } from './send.js';

/** A request listener of `node:http` and `node:http2`, and a middleware of Express and Connect. */
export type NodeListener = (req: NodeIncoming, res: NodeOutgoing, next?: (error?: unknown) => void) => void;

const BEYOND_ASCII = /[\u0080-\u00ff]/;

/**
 * Serves a handler with `node:http`, `node:http2` (compatibility API), Express or anything else that speaks their request
 * and response.
 *
 * - A path that is not the handler's goes to `next()`, and without one is answered 404. Mounted under a path of Express it
 *   still sees the path the client sent (`originalUrl`); name the mount in `basePath` to take it off.
 * - A body that a body parser has already read is taken from `req.rawBody`, else from `req.body`.
 * - Pipelined requests of one HTTP/1.1 connection are handled one after the other: each begins when the previous answer has
 *   been handed to the system, and none does once the client has left. Four are read ahead; the 1,000th that waits is the
 *   last of its connection.
 * - Streams respect back-pressure chunk by chunk; when the client leaves, the request's signal aborts and the source is
 *   released. Errors before the headers become a bare 500; after them the connection is closed. Both reach `onError`.
 * - A client that reads nothing of an answer for `stallTimeoutMs` is disconnected.
 * - The rest of an unread body is read for at most 8 MiB and 5 s after the answer.
 *
 * The listener throws nothing of its own. It keeps no state outside itself: two listeners share nothing.
 *
 * @throws TypeError that names every fault of the arguments.
 */
export function toNodeListener(handler: ApiHandler, options: NodeListenerOptions = {}): NodeListener {
  checkBridge('toNodeListener', handler, options);
  const basePath = normalizeBasePath(options.basePath);
  const clock = options.clock ?? systemClock;
  const deferredSignals = createDeferredSignals(clock);
  const settings = {
    maxBodyBytes: options.maxBodyBytes ?? Infinity,
    deferredSignals,
    clientLeft: abortReason('client-left'),
  };
  const order = createRequestOrder(clock);
  const streaming = createStreamingAnswers(options.signal);
  const closing = createClosing(options.signal);
  const { send, fail } = createSender({
    clock,
    transfers: createTransfers(clock, options.stallTimeoutMs ?? STALL_TIMEOUT_MS),
    closing,
    streaming,
    deferredSignals,
    report: (error, where) => reportTo(options.onError, error, where),
  });

  const begin = (req: NodeIncoming, res: NodeOutgoing, url: string | undefined, next?: () => void): void => {
    const exchange = new NodeExchange(req, res, url ?? '/', settings);
    closing.onRequest(exchange);
    const answered = (answer: ApiResponse | undefined): void => {
      if (answer !== undefined) send(exchange, answer);
      else if (typeof next === 'function') {
        closing.beforeHead(exchange);
        next();
      } else send(exchange, notFoundText());
    };
    const failed = (error: unknown): void => fail(exchange, error, 'handler');

    if (url === undefined) {
      answered(undefined);
      return;
    }
    let answer: ReturnType<ApiHandler>;
    try {
      answer = handler(exchange);
    } catch (error) {
      failed(error);
      return;
    }
    // The second `failed` is for a `next` that throws.
    if (isPromise(answer)) answer.then(answered, failed).then(undefined, failed);
    else answered(answer);
  };

  return function listener(req, res, next): void {
    const url = stripBasePath(targetOf(req), basePath);
    if (url !== undefined && mustWait(req, res)) order.wait(req, res, () => begin(req, res, url, next));
    else begin(req, res, url, next);
  };
}

/** Node reads raw bytes of a request line as Latin-1; Go and clients mean UTF-8. */
function targetOf(req: NodeIncoming): string {
  const target = req.originalUrl ?? req.url ?? '/';
  return BEYOND_ASCII.test(target) ? Buffer.from(target, 'latin1').toString('utf8') : target;
}

/** Options of `toNodeListener`. */
export type NodeListenerOptions = BridgeOptions;
