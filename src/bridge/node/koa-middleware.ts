import type { ApiHandler } from '../../http/handler.js';
import type { BridgeOptions } from '../exchange/options.js';
import type { NodeIncoming, NodeOutgoing } from './message.js';
import { createServing } from './serving.js';

/** What the middleware needs of Koa's context. A structural type, so that the contexts of Koa 2 and 3 fit. */
export interface KoaContext {
  /** The request of Node. */
  readonly req: NodeIncoming;
  /** The response of Node. */
  readonly res: NodeOutgoing;
  /** Koa's request, with what a body parser left there. */
  readonly request: { readonly body?: unknown; readonly rawBody?: unknown };
  /** False keeps Koa from answering itself. */
  respond?: boolean | undefined;
  /** The status that Koa sends. */
  readonly status: number;
  /** What Koa sends. */
  readonly body: unknown;
}

/** A middleware of Koa. */
export type KoaMiddleware = (context: KoaContext, next: () => Promise<unknown>) => Promise<void>;

/** Options of `toKoaMiddleware`. */
export type KoaMiddlewareOptions = BridgeOptions;

/**
 * Serves a handler in Koa: `app.use(toKoaMiddleware(health.handle))`. It behaves as `toNodeListener`, which it is made of.
 *
 * - A path that is not the handler's goes to `next()`. If no middleware has answered it, the handler is called again as the last
 *   one: events then answer `/api`, `/apis`, `/openapi/v2` and `/openapi/v3`.
 * - The answer is written to `ctx.res`, past Koa, with the headers that middleware has set so far. Middleware around this one
 *   continues when the answer has been sent or its client has left; it cannot change, compress or replace it.
 * - A body that a parser has read is taken from `ctx.request.rawBody`, else from `ctx.request.body`.
 * - Below `koa-mount` it answers the paths below the mount.
 *
 * @throws TypeError that names every fault of the arguments.
 */
export function toKoaMiddleware(handler: ApiHandler, options: KoaMiddlewareOptions = {}): KoaMiddleware {
  const serve = createServing('toKoaMiddleware', handler, options);

  /** True when the handler has answered, false when it did not want to. */
  const ask = (context: KoaContext, hasNext: boolean): Promise<boolean> =>
    new Promise((resolve) => {
      const { req, res } = context;
      const onAnswer = (): void => {
        context.respond = false;
        if (res.destroyed === true) resolve(true);
        else res.once('close', () => resolve(true));
      };
      serve(req, res, { next: () => resolve(false), hasNext, onAnswer, framework: context });
    });

  return async function kubeVitals(context, next): Promise<void> {
    keepBody(context);
    if (await ask(context, true)) return;
    await next();
    const { status, body, respond, res } = context;
    const answered = status !== 404 || (body !== undefined && body !== null) || respond === false || res.headersSent;
    if (!answered) await ask(context, false);
  };
}

/** The bridge looks for a parsed body at the request of Node. */
function keepBody({ req, request }: KoaContext): void {
  const { body, rawBody } = request;
  if (req.body === undefined && body !== undefined) Object.assign(req, { body });
  if (req.rawBody === undefined && rawBody !== undefined) Object.assign(req, { rawBody });
}
