import type { ApiHandler } from '../../http/handler.js';
import type { BridgeOptions } from '../exchange/options.js';
import { toFastifyPlugin, type FastifyPlugin } from './fastify-plugin.js';
import type { NodeIncoming, NodeOutgoing } from './message.js';
import { createServing } from './serving.js';

/** The part of Nest's HTTP adapters that is used. A structural type: the package does not depend on Nest. */
export interface NestHttpAdapter {
  /** `express` or `fastify`. */
  getType(): string;
  getInstance(): unknown;
  getHttpServer(): unknown;
  use(middleware: (req: NodeIncoming, res: NodeOutgoing, next: () => void) => void): unknown;
}

/** The names of the middleware functions of body-parser, by which Nest also recognises them. */
const PARSERS: ReadonlySet<string | undefined> = new Set(['jsonParser', 'urlencodedParser', 'rawParser', 'textParser']);

/**
 * Serves a handler in a Nest application that is being initialized, once below each base path: after the middleware and
 * plugins that the service has added so far, before the body is read, and before routes with their prefix, guards and
 * pipes. Call the returned function when the service has all its routes: the handler then also gets requests that no
 * route matched.
 *
 * @throws TypeError that names every fault of the arguments.
 */
export function mountInNest(
  adapter: NestHttpAdapter,
  handler: ApiHandler,
  basePaths: readonly string[],
  options: BridgeOptions,
): () => void {
  if (adapter.getType() === 'fastify') {
    const fastify = adapter.getInstance() as { register(plugin: FastifyPlugin): unknown };
    for (const basePath of basePaths) fastify.register(toFastifyPlugin(handler, { ...options, basePath }));
    // In Fastify, the plugin can read whether a route matched.
    return () => undefined;
  }

  const serves = basePaths.map((basePath) => createServing('KubeVitalsModule', handler, { ...options, basePath }));
  const mount = (hasNext: boolean): void => {
    for (const serve of serves) adapter.use((req, res, next) => serve(req, res, { next: () => next(), hasNext }));
  };
  mount(true);
  moveBeforeParsers(adapter.getInstance(), serves.length);
  return () => mount(false);
}

interface Router {
  readonly stack?: { readonly handle?: { readonly name?: string } | undefined }[] | undefined;
}

/** Moves the last `count` layers before the body parsers, which Nest adds before a module can add middleware. */
function moveBeforeParsers(express: unknown, count: number): void {
  // Express 4 throws when `router` is read.
  const app = express as { readonly _router?: Router | undefined; readonly router?: Router | undefined };
  const stack = (app._router ?? app.router)?.stack;
  const parser = stack?.findIndex((layer) => PARSERS.has(layer.handle?.name)) ?? -1;
  if (parser >= 0) stack?.splice(parser, 0, ...stack.splice(-count));
}
