import type { ApiHandler } from '../../http/handler.js';
import { checkBridge, type BridgeOptions } from '../exchange/options.js';
import type { NodeIncoming, NodeOutgoing } from './message.js';
import { createServing } from './serving.js';

/** What the plugin needs of Fastify's request. */
export interface FastifyRequestLike {
  /** The request of Node. */
  readonly raw: NodeIncoming;
  /** True where no route matched. */
  readonly is404: boolean;
}

/** What the plugin needs of Fastify's reply. */
export interface FastifyReplyLike {
  /** The response of Node. */
  readonly raw: NodeOutgoing & { setHeader(name: string, value: number | string | readonly string[]): unknown };
  /** The headers that hooks have set. */
  getHeaders(): Readonly<Record<string, number | string | string[] | undefined>>;
  /** Tells Fastify not to send the response. */
  hijack(): unknown;
  /** Runs the handler for unknown routes. */
  callNotFound(): unknown;
}

/** Tells Fastify that a plugin or a hook is done. */
export type FastifyDone = (error?: Error) => void;
/** A hook for requests, as Fastify calls it. */
export type FastifyOnRequest = (request: FastifyRequestLike, reply: FastifyReplyLike, done: FastifyDone) => void;

/** What the plugin needs of a Fastify instance. A structural type: the package does not depend on Fastify. */
export interface FastifyInstanceLike {
  /** The prefix of the plugin in which this one is registered. */
  readonly prefix: string;
  /** Registers a hook. */
  addHook(name: 'onRequest', hook: FastifyOnRequest): unknown;
  addHook(name: 'preClose', hook: (done: FastifyDone) => void): unknown;
  /** Registers a route for every method. */
  all(path: string, options: { onRequest: FastifyOnRequest }, handler: () => void): unknown;
}

/** A plugin of Fastify, for `app.register`. */
export type FastifyPlugin = (
  instance: FastifyInstanceLike,
  options: { readonly prefix?: string | undefined },
  done: FastifyDone,
) => void;

/** Options of `toFastifyPlugin`. */
export type FastifyPluginOptions = BridgeOptions;

/**
 * Serves a handler in Fastify: `app.register(toFastifyPlugin(health.handle))`, or below a prefix:
 * `app.register(toFastifyPlugin(health.handle), { prefix: '/ops' })`. It behaves as `toNodeListener`, which it is made of.
 *
 * - Registered at the root it is an `onRequest` hook, which runs before Fastify reads a body. Hooks that were added before it
 *   run first, those after it only for other paths. Registered in a plugin with a prefix it is the route `PREFIX/*`: all hooks
 *   of that plugin run first, and its other routes win.
 * - Headers that hooks have set, such as those of `@fastify/cors`, are kept. `onSend` hooks do not run, `onResponse` hooks do.
 * - Where no route matches, events also answer `/api`, `/apis`, `/openapi/v2` and `/openapi/v3`.
 * - `app.close()` ends open watches (`preClose`), waits until they and our other answers have been sent, and then continues.
 *
 * @throws TypeError that names every fault of the arguments.
 */
export function toFastifyPlugin(handler: ApiHandler, options: FastifyPluginOptions = {}): FastifyPlugin {
  // Here, and not when Fastify loads its plugins.
  checkBridge('toFastifyPlugin', handler, options);
  const plugin: FastifyPlugin = (instance, { prefix = '' }, done) => {
    const stopping = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, stopping.signal]) : stopping.signal;
    const basePath = instance.prefix + prefix + (options.basePath ?? '');
    const serve = createServing('toFastifyPlugin', handler, { ...options, basePath, signal });
    const open = createOpenAnswers();
    const answer = (request: FastifyRequestLike, reply: FastifyReplyLike, hasNext: boolean, next: () => void): void => {
      const { raw } = reply;
      let hijacked = false;
      const onAnswer = (): void => {
        if (hijacked) return;
        hijacked = true;
        for (const [name, value] of Object.entries(reply.getHeaders())) {
          if (value !== undefined) raw.setHeader(name, value);
        }
        reply.hijack();
        open.add(raw);
      };
      serve(request.raw, raw, { next, hasNext, onAnswer, framework: request });
    };
    if (instance.prefix === '') {
      instance.addHook('onRequest', (request, reply, next) => answer(request, reply, !request.is404, () => next()));
    } else {
      // Hooks of a plugin run for its routes only.
      const onRequest: FastifyOnRequest = (request, reply) =>
        answer(request, reply, false, () => void reply.callNotFound());
      instance.all(`${prefix}/*`, { onRequest }, () => undefined);
    }
    instance.addHook('preClose', (closed) => {
      stopping.abort();
      open.whenNone(closed);
    });
    done();
  };
  return Object.assign(plugin, {
    // What fastify-plugin sets: the hooks are those of the instance that registers the plugin.
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: 'kube-vitals',
  });
}

/**
 * Counts the answers of a plugin that are not sent yet. A Set that every request enters and leaves is replaced by V8 again and again, and what a replaced one still has
 * is kept until everything is collected: scavenges took a seventh of the time of short requests, and take a thirtieth.
 */
function createOpenAnswers() {
  let open = 0;
  let waiting: (() => void) | undefined;
  const onClose = (): void => {
    open -= 1;
    if (open === 0) waiting?.();
  };
  return {
    add(answer: NodeOutgoing): void {
      if (answer.destroyed === true) return;
      open += 1;
      answer.once('close', onClose);
    },
    /** Calls back when there is none. */
    whenNone(callback: () => void): void {
      if (open === 0) callback();
      else waiting = callback;
    },
  };
}
