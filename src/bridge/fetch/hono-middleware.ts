import type { ApiHandler } from '../../http/handler.js';
import type { PeerCertificate } from '../../http/request.js';
import { TARGET_TOO_LARGE } from '../../responses/fixed-responses.js';
import { mayLackHeaders } from '../exchange/lost-headers.js';
import type { NodeSocket } from '../exchange/node-socket.js';
import { peerCertificateOf } from '../exchange/peer-certificate.js';
import type { BridgeOptions } from '../exchange/options.js';
import { pauseWhenWritten, type PausableResponse } from '../exchange/paused-reading.js';
import { createFetchHandler } from './handler.js';
import type { ServerInfo } from './fetch-exchange.js';

/**
 * The part of Hono's context that the middleware uses. A structural type, so that the contexts of all versions of Hono
 * 4 fit.
 */
export interface HonoContext {
  /** The request of Hono. */
  readonly req: {
    /** The request of the server. */
    readonly raw: Request;
  };
  /** The data that Hono's adapters pass: the request of Node, the server of Bun, the address in Deno. */
  readonly env?: unknown;
}

/** A middleware of Hono. */
export type HonoMiddleware = (context: HonoContext, next: () => Promise<void>) => Promise<Response | void>;

/** Options of `toHonoMiddleware`. */
export type HonoMiddlewareOptions = BridgeOptions;

/**
 * Serves a handler in Hono: `app.use(toHonoMiddleware(health.handle))`. It behaves as `toFetchHandler`, and gets the
 * address of the client and a verified client certificate from Hono's adapter for Node, and the address from the
 * adapters for Bun and Deno. `callerFrom` gets Hono's context.
 *
 * - A path that is not one of the handler's is passed to `next()`. Events leave `/api`, `/apis`, `/openapi/v2` and
 *   `/openapi/v3` to other routes unless `createEvents` has `discovery: true`.
 * - Below a path prefix it needs `basePath`: `app.use('/ops/*', toHonoMiddleware(handler, { basePath: '/ops' }))`.
 *
 * @throws TypeError that names every fault of the arguments.
 */
export function toHonoMiddleware(handler: ApiHandler, options: HonoMiddlewareOptions = {}): HonoMiddleware {
  const handle = createFetchHandler('toHonoMiddleware', handler, options);
  const closings: Closings = new WeakMap();
  return async function kubeVitals(context, next): Promise<Response | void> {
    const { incoming, outgoing } = (context.env as HonoEnv | undefined) ?? {};
    if (incoming !== undefined && mayLackHeaders(incoming)) {
      return new Response(TARGET_TOO_LARGE.body as string, TARGET_TOO_LARGE as ResponseInit);
    }
    const response = await handle(context.req.raw, new HonoInfo(context, closings));
    if (response === undefined) return next();
    if (outgoing !== undefined) pauseWhenWritten(outgoing);
    return response;
  };
}

/** The members of `env` that are used. They differ between servers. */
interface HonoEnv extends Partial<BunServer> {
  readonly incoming?: { readonly rawHeaders?: readonly string[]; readonly socket?: NodeSocket | null };
  /** Its socket is `null` while an earlier response of the connection is unfinished. */
  readonly outgoing?: PausableResponse;
  /** The server of Bun, as some services pass it. */
  readonly server?: Partial<BunServer>;
  /** The address of the client, in Deno. */
  readonly remoteAddr?: { readonly hostname?: unknown };
}

interface BunServer {
  requestIP(request: Request): { readonly address?: unknown } | null;
}

/** Getters, because most requests need neither address nor certificate. */
class HonoInfo implements ServerInfo {
  readonly context: HonoContext;
  readonly #env: HonoEnv;
  readonly #closings: Closings;

  constructor(context: HonoContext, closings: Closings) {
    this.context = context;
    this.#closings = closings;
    this.#env = (context.env as HonoEnv | undefined) ?? {};
  }

  get remoteAddress(): string | undefined {
    const { incoming, remoteAddr, server } = this.#env;
    if (incoming !== undefined) return incoming.socket?.remoteAddress;
    const address = remoteAddr?.hostname ?? (server ?? this.#env).requestIP?.(this.context.req.raw)?.address;
    return typeof address === 'string' ? address : undefined;
  }

  /** For pipelined requests: Hono does not learn that the client has left until the response has its socket. */
  get connection(): AbortSignal | undefined {
    const { incoming, outgoing } = this.#env;
    return outgoing?.socket === null && incoming?.socket ? closingOf(incoming.socket, this.#closings) : undefined;
  }

  /**
   * Version 1 of Hono's adapter for Node sends a 304 as `text/plain`. kubectl then takes the document that it has cached
   * for text, and finds no resources.
   */
  get hidesIfNoneMatch(): boolean {
    return this.#env.incoming !== undefined;
  }

  get peerCertificate(): PeerCertificate | undefined {
    return peerCertificateOf(this.#env.incoming?.socket);
  }
}

/** The signal of each socket, because a connection may have many requests. */
type Closings = WeakMap<NodeSocket, AbortSignal>;

function closingOf(socket: NodeSocket, closings: Closings): AbortSignal {
  const known = closings.get(socket);
  if (known !== undefined) return known;
  const controller = new AbortController();
  closings.set(socket, controller.signal);
  if (socket.destroyed) controller.abort();
  else socket.once('close', () => controller.abort());
  return controller.signal;
}
