// Compiled by `npm run typecheck`, never run.
import { toFastifyPlugin } from '../../src/fastify.js';
import type { FastifyInstanceLike, FastifyPlugin } from '../../src/fastify.js';

type Route = Parameters<FastifyInstanceLike['route']>[0];

/** The methods of a route, as Fastify 5.0.0 declares them. Since 5.1.0 any string is accepted. */
type Name = 'DELETE' | 'GET' | 'HEAD' | 'PATCH' | 'POST' | 'PUT' | 'OPTIONS' | 'TRACE';
type Methods = Name | Lowercase<Name>;

/** An instance of Fastify 5.0.0, as far as it differs. */
interface FirstFastify extends Omit<FastifyInstanceLike, 'route'> {
  route(options: Omit<Route, 'method'> & { method: Methods | Methods[] }): unknown;
}

/** The plugin can be registered in every version of Fastify 5. */
export const plugin: (
  instance: FirstFastify,
  ...rest: [Parameters<FastifyPlugin>[1], Parameters<FastifyPlugin>[2]]
) => void = toFastifyPlugin(() => undefined);
