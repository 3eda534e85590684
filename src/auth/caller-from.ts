import { throwFaults } from '../options/check-options.js';
import { mustBe, required } from '../options/rules.js';
import type { ApiRequest } from '../http/request.js';
import type { Authenticate } from './contract.js';
import { hookFactory } from './hook-kinds.js';

/**
 * Authenticates with data that the framework has about a request, such as the `req.user` of earlier middleware.
 * `Source` is the type of the hook's argument: `req` of node:http and Express with `toNodeListener`, `ctx` with
 * `toKoaMiddleware`, the context of Hono with `toHonoMiddleware`, the request of Fastify with `toFastifyPlugin`, that
 * of its platform with the module of Nest, and with `toFetchHandler` the `context` that the service passes with the
 * request. The service is responsible for the data: nothing is verified. A request without a framework object has no
 * credential of this kind.
 *
 * @example
 * callerFrom((req: Request) => req.user && { name: req.user.id, groups: req.user.roles });
 *
 * @throws TypeError when the hook is not a function
 * @function
 */
export const callerFrom: <Source>(
  hook: (source: Source, request: ApiRequest) => ReturnType<Authenticate>,
) => Authenticate = /* @__PURE__ */ hookFactory('authenticate', 'callerFrom', makeHook);

function makeHook<Source>(hook: (source: Source, request: ApiRequest) => ReturnType<Authenticate>): Authenticate {
  const isFunction = mustBe(
    (value) => typeof value === 'function',
    'a function from the request of the framework to a caller',
  );
  throwFaults('callerFrom', required(isFunction)(hook, 'the argument'));
  return (request) => {
    const { framework } = request;
    return framework === undefined || framework === null ? undefined : hook(framework as Source, request);
  };
}
