import { throwFaults } from '../options/check-options.js';
import { mustBe, required } from '../options/rules.js';
import type { ApiRequest } from './request.js';
import type { ApiResponse } from './response.js';
import { chain, isPromise } from './promise.js';

/**
 * Handles a request, or returns `undefined`, which means *not my path*: the service's other routes are tried. Handlers
 * are closures, safe to detach. They may respond synchronously or through a promise; callers await only real promises.
 */
export type ApiHandler = (request: ApiRequest) => ApiResponse | undefined | Promise<ApiResponse | undefined>;

/**
 * Refuses a server or framework that calls a handler itself, as a listener or a middleware: nobody would send what it
 * returns. `given` is the second argument; a number, as `map` passes it, is accepted.
 */
export function refuseListener(given: unknown): void {
  if (typeof given === 'object' || typeof given === 'function') {
    throw new TypeError('pass the handler to a bridge such as toNodeListener');
  }
}

/**
 * Combines handlers into one that calls them in order and returns the first response; `undefined` if none of them
 * serves the path. An error that a handler throws is passed on. Responses that are not promises are returned
 * synchronously.
 *
 * @throws TypeError without arguments, and naming every argument that is not a function.
 */
export function firstOf(...handlers: readonly ApiHandler[]): ApiHandler {
  const rule = required(mustBe((value) => typeof value === 'function', 'a handler, such as health.handle'));
  throwFaults('firstOf', [
    ...(handlers.length === 0 ? ['give at least one handler, such as health.handle'] : []),
    ...handlers.flatMap((handler, index) => rule(handler, `argument ${index + 1}`)),
  ]);

  const last = handlers.length - 1;
  const ask = (request: ApiRequest, index: number): ReturnType<ApiHandler> => {
    const response = (handlers[index] as ApiHandler)(request);
    // The promise of the last handler is the response; it needs no further promise around it.
    if (index === last) return isPromise(response) ? Promise.resolve(response) : response;
    return chain(response, (given) => (given === undefined ? ask(request, index + 1) : given));
  };
  return (request, given?: unknown) => {
    refuseListener(given);
    return ask(request, 0);
  };
}
