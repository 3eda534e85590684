import type { ApiHandler } from '../../http/handler.js';
import { checkBridge, type BridgeOptions } from '../exchange/options.js';
import { isGone, type NodeIncoming, type NodeOutgoing } from './message.js';
import { createServing } from './serving.js';

/** The part of Fastify's request that the plugin uses. */
export interface FastifyRequestLike {
  /** The request of Node. */
  readonly raw: NodeIncoming;
  /** True if no route matched. */
  readonly is404: boolean;
}

/** The part of Fastify's reply that the plugin uses. */
export interface FastifyReplyLike {
  /** The response of Node. */
  readonly raw: NodeOutgoing & {
    /** Sets a header of the response. */
    setHeader(name: string, value: number | string | readonly string[]): unknown;
  };
  /** The headers that hooks have set. */
  getHeaders(): Readonly<Record<string, number | string | string[] | undefined>>;
  /** Makes Fastify not send the response. */
  hijack(): unknown;
  /** Runs the handler for unknown routes. */
  callNotFound(): unknown;
}

/** Reports to Fastify that a plugin or a hook is done. */
export type FastifyDone = (error?: Error) => void;
/** A hook for requests, as Fastify calls it. */
export type FastifyOnRequest = (request: FastifyRequestLike, reply: FastifyReplyLike, done: FastifyDone) => void;

/** The part of a Fastify instance that the plugin uses. A structural type: the package does not depend on Fastify. */
export interface FastifyInstanceLike {
  /** The prefix of the plugin in which this one is registered. */
  readonly prefix: string;
  /** Registers a hook. */
  addHook(name: 'onRequest', hook: FastifyOnRequest): unknown;
  addHook(name: 'preClose', hook: (done: FastifyDone) => void): unknown;
  /** Registers a route for every method. */
  all(
    path: string,
    options: {
      /** The hook of the route. */
      onRequest: FastifyOnRequest;
    },
    handler: () => void,
  ): unknown;
  /** Registers a route for some methods. */
  route(options: {
    /** The methods of the route. Fastify 5.0.0 has no string here, only the names that it knows. */
    method: ('GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[];
    /** The path of the route. */
    url: string;
    /** The hook of the route. */
    onRequest: FastifyOnRequest;
    /** Responds, unless a hook has. */
    handler: () => void;
  }): unknown;
}

/** A plugin of Fastify, for `app.register`. */
export type FastifyPlugin = (
  instance: FastifyInstanceLike,
  options: {
    /** The prefix given to `app.register`, such as `/ops`. Default: none. */
    readonly prefix?: string | undefined;
  },
  done: FastifyDone,
) => void;

const PREFIX = /^(\/[^:?#\s]*)?$/;

/** Options of `toFastifyPlugin`. */
export type FastifyPluginOptions = BridgeOptions;

/**
 * Serves a handler in Fastify: `app.register(toFastifyPlugin(health.handle))`, or below a prefix:
 * `app.register(toFastifyPlugin(health.handle), { prefix: '/ops' })`. It behaves as `toNodeListener`.
 *
 * - Registered at the root it is an `onRequest` hook, which runs before Fastify reads a body. Hooks that were added
 *   before it run first, later ones only for other paths. Registered with a prefix, or in a plugin that Fastify
 *   encapsulates, it is the route `PREFIX/*`: all hooks of that plugin run first, and other routes take precedence.
 * - Headers that hooks have set, such as those of `@fastify/cors`, are sent. `onSend` hooks do not run, `onResponse`
 *   hooks do.
 * - A prefix with parameters, such as `/:name`, or without a slash is a TypeError when Fastify loads the plugin.
 * - If no route matches, events also serve `/api`, `/apis`, `/openapi/v2` and `/openapi/v3`.
 * - `app.close()` ends open watches (`preClose`), waits until these and the other responses of the plugin have been
 *   sent, and then continues.
 *
 * @throws TypeError that names every fault of the arguments.
 */
export function toFastifyPlugin(handler: ApiHandler, options: FastifyPluginOptions = {}): FastifyPlugin {
  // Checked here, not only when Fastify loads its plugins.
  checkBridge('toFastifyPlugin', handler, options);
  const plugin: FastifyPlugin = (instance, { prefix = '' }, done) => {
    if (!PREFIX.test(instance.prefix) || !PREFIX.test(prefix)) {
      done(new TypeError('toFastifyPlugin: the prefix must be a path such as /ops, without parameters'));
      return;
    }
    const stopping = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, stopping.signal]) : stopping.signal;
    const basePath = instance.prefix + prefix + (options.basePath ?? '');
    const serve = createServing('toFastifyPlugin', handler, { ...options, basePath, signal });
    // How many responses have not been sent. Not a Set of them: V8 retains the entries of a Set's replaced tables until
    // a full collection, so that scavenges took a seventh of the time of short requests, and not a thirtieth.
    let open = 0;
    let whenNone = (): void => undefined;
    const onClose = (): void => {
      open -= 1;
      if (open === 0) whenNone();
    };
    const respond = (
      request: FastifyRequestLike,
      reply: FastifyReplyLike,
      hasNext: boolean,
      next: () => void,
    ): void => {
      const { raw } = reply;
      let hijacked = false;
      const onResponse = (): void => {
        if (hijacked) return;
        hijacked = true;
        for (const [name, value] of Object.entries(reply.getHeaders())) {
          if (value !== undefined) raw.setHeader(name, value);
        }
        reply.hijack();
        if (isGone(request.raw, raw)) return;
        open += 1;
        raw.once('close', onClose);
      };
      serve(request.raw, raw, { next, hasNext, onResponse, framework: request });
    };
    if (instance.prefix === '' && isRoot(instance)) {
      instance.addHook('onRequest', (request, reply, next) => respond(request, reply, !request.is404, () => next()));
    } else {
      // Hooks of a plugin run for its own routes only: a path for which it has none would never reach them.
      const onRequest: FastifyOnRequest = (request, reply) =>
        respond(request, reply, false, () => void reply.callNotFound());
      const handler = (): void => undefined;
      // Without a prefix OPTIONS is left to @fastify/cors, which declares it for the same path.
      if (instance.prefix + prefix === '') {
        instance.route({ method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'], url: '/*', onRequest, handler });
      } else instance.all(`${prefix}/*`, { onRequest }, handler);
    }
    instance.addHook('preClose', (closed) => {
      stopping.abort();
      if (open === 0) closed();
      else whenNone = closed;
    });
    done();
  };
  return Object.assign(plugin, {
    // The properties that fastify-plugin sets: the hooks are added to the instance that registers the plugin.
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: 'kube-vitals',
  });
}

/** Whether this is the instance that `fastify()` returned. Those of encapsulated plugins inherit from their parent. */
function isRoot(instance: FastifyInstanceLike): boolean {
  return !('addHook' in (Object.getPrototypeOf(instance) as object));
}
