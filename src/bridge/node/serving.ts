import { systemClock } from '../../clock/clock.js';
import { normalizeBasePath, stripBasePath } from '../../http/base-path.js';
import type { ApiHandler } from '../../http/handler.js';
import { isPromise } from '../../http/promise.js';
import type { ApiResponse } from '../../http/response.js';
import { notFoundText, TARGET_TOO_LARGE } from '../../responses/fixed-responses.js';
import { createReport } from '../exchange/failures.js';
import { mayLackHeaders } from '../exchange/lost-headers.js';
import { checkBridge, type BridgeOptions } from '../exchange/options.js';
import { createBodyBatcher } from './body-batcher.js';
import { createClosing } from './closing.js';
import { createDeferredSignals } from './deferred-signals.js';
import { destroyWhenReset, keepWhenReset, type NodeIncoming, type NodeOutgoing } from './message.js';
import { createRequestOrder, isQueued } from './request-order.js';
import { NodeExchange, type RequestRouting } from './node-exchange.js';
import { createSender } from './send.js';
import { retainTickObject } from './retain-tick-object.js';

export type Serve = (req: NodeIncoming, res: NodeOutgoing, routing: RequestRouting) => void;

const BEYOND_ASCII = /[\u0080-\u00ff]/;

export function createServing(maker: string, handler: ApiHandler, options: BridgeOptions): Serve {
  checkBridge(maker, handler, options);
  const basePath = normalizeBasePath(options.basePath);
  const { clock = systemClock } = options;
  const report = createReport(maker, options.onError);
  const deferredSignals = createDeferredSignals(clock, (error) => report(error, 'handler'));
  const order = createRequestOrder(clock);
  const closing = createClosing(options.signal);
  const { send, fail, scheduleResponses } = createSender(options, closing, deferredSignals, report);
  const settings = {
    maxBodyBytes: options.maxBodyBytes ?? Infinity,
    deferredSignals,
    bodies: createBodyBatcher(scheduleResponses),
    // Not read: it only has to stay in memory.
    retainedTick: retainTickObject(),
  };

  /** @param other the URL with which the handler is called again if `url` is not one of its paths */
  const begin = (
    req: NodeIncoming,
    res: NodeOutgoing,
    url: string | undefined,
    other: string | undefined,
    routing: RequestRouting,
  ): void => {
    const exchange = new NodeExchange(req, res, url ?? '/', routing, settings);
    closing.onRequest(exchange);
    const respond = (response: ApiResponse | undefined): void => {
      if (response === undefined && other !== undefined) {
        begin(req, res, other, undefined, routing);
      } else if (response === undefined && routing.next !== undefined) {
        closing.beforeHead(exchange);
        keepWhenReset(req);
        routing.next();
      } else {
        routing.onResponse?.();
        send(exchange, response === undefined ? notFoundText() : response);
      }
    };
    const failed = (error: unknown): void => {
      routing.onResponse?.();
      fail(exchange, error, 'handler');
    };

    if (url === undefined) return respond(undefined);
    if (mayLackHeaders(req)) return respond(TARGET_TOO_LARGE);
    let response: ReturnType<ApiHandler>;
    try {
      response = handler(exchange);
      if (isPromise(response)) {
        // `Promise.resolve`, because `then` of another thenable may throw. The second `failed` is for a `next` that
        // throws.
        Promise.resolve(response).then(respond, failed).then(undefined, failed);
        return;
      }
    } catch (error) {
      failed(error);
      return;
    }
    respond(response);
  };

  return function serve(req, res, routing): void {
    destroyWhenReset(req);
    const { url: left = '/', originalUrl: sent = left } = req;
    let url = stripBasePath(utf8(sent), basePath);
    let other: string | undefined;
    if (sent !== left) {
      // A framework has removed the path of its mount.
      const below = stripBasePath(utf8(left), basePath);
      if (basePath === '') [url, other] = [below, url];
      else url ??= below;
    }
    if (url !== undefined && isQueued(req, res)) {
      order.wait(
        req,
        res,
        () => begin(req, res, url, other, routing),
        () => routing.onResponse?.(),
      );
    } else begin(req, res, url, other, routing);
  };
}

/** Decodes a request target as UTF-8, as Go and clients do. Node decodes the bytes of a request line as Latin-1. */
function utf8(target: string): string {
  return BEYOND_ASCII.test(target) ? Buffer.from(target, 'latin1').toString('utf8') : target;
}
