import type { ApiHandler } from '../../http/handler.js';
import type { BridgeOptions } from '../exchange/options.js';
import { isGone, type NodeIncoming, type NodeOutgoing } from './message.js';
import { createServing } from './serving.js';

/** The part of Koa's context that the middleware uses. A structural type, so that the contexts of Koa 2 and 3 fit. */
export interface KoaContext {
  /** The request of Node. */
  readonly req: NodeIncoming;
  /** The response of Node. */
  readonly res: NodeOutgoing;
  /** Koa's request, with the properties that a body parser set. */
  readonly request: {
    /** The body as the parser left it: bytes, text, or the parsed value. */
    readonly body?: unknown;
    /** The body as bytes or text; preferred to `body`. */
    readonly rawBody?: unknown;
  };
  /** False prevents Koa from sending a response. */
  respond?: boolean | undefined;
  /** The status that Koa sends. */
  readonly status: number;
  /** The body that Koa sends. */
  readonly body: unknown;
}

/** A middleware of Koa. */
export type KoaMiddleware = (context: KoaContext, next: () => Promise<unknown>) => Promise<void>;

/** Options of `toKoaMiddleware`. */
export type KoaMiddlewareOptions = BridgeOptions;

/**
 * Serves a handler in Koa: `app.use(toKoaMiddleware(health.handle))`. It behaves as `toNodeListener`.
 *
 * - A path that is not one of the handler's is passed to `next()`. If no middleware has responded, the handler is
 *   called again, as the last one: events then serve `/api`, `/apis`, `/openapi/v2` and `/openapi/v3`.
 * - The response is written directly to `ctx.res`, with the headers that middleware has set so far. Middleware around
 *   this one continues when the response has been sent or the client has disconnected; it cannot change, compress or
 *   replace the response.
 * - For a body that a parser has read, `ctx.request.rawBody` is used, else `ctx.request.body`.
 * - Below `koa-mount` it serves the paths below the mount.
 *
 * @throws TypeError that names every fault of the arguments.
 */
export function toKoaMiddleware(handler: ApiHandler, options: KoaMiddlewareOptions = {}): KoaMiddleware {
  const serve = createServing('toKoaMiddleware', handler, options);

  /** True when the response has been sent, false if the path is not one of the handler's. */
  const ask = (context: KoaContext, hasNext: boolean): Promise<boolean> =>
    new Promise((resolve) => {
      const { req, res } = context;
      const onResponse = (): void => {
        context.respond = false;
        if (isGone(req, res)) resolve(true);
        else res.once('close', () => resolve(true));
      };
      serve(req, res, { next: () => resolve(false), hasNext, onResponse, framework: context });
    });

  return async function kubeVitals(context, next): Promise<void> {
    if (typeof next !== 'function') throw new TypeError('a Koa middleware was called without next: pass it to app.use');
    keepBody(context);
    if (await ask(context, true)) return;
    await next();
    const { status, body, respond, res } = context;
    const isAnswered = status !== 404 || (body !== undefined && body !== null) || respond === false || res.headersSent;
    if (!isAnswered) await ask(context, false);
  };
}

/** Copies a parsed body to the request of Node, where the bridge reads it. */
function keepBody({ req, request }: KoaContext): void {
  const { body, rawBody } = request;
  if (req.body === undefined && body !== undefined) Object.assign(req, { body });
  if (req.rawBody === undefined && rawBody !== undefined) Object.assign(req, { rawBody });
}
