import { throwFaults } from '../options/check-options.js';
import { mustBe, required } from '../options/rules.js';
import type { ApiRequest } from './request.js';
import type { ApiResponse } from './response.js';
import { isPromise } from './promise.js';

/**
 * Answers a request, or says `undefined`: *not my path*, the service's own routes go on. Handlers are closures, safe to
 * detach. They may answer synchronously or through a promise; callers await only real promises.
 */
export type ApiHandler = (request: ApiRequest) => ApiResponse | undefined | Promise<ApiResponse | undefined>;

/**
 * Joins handlers into one that asks them in order and gives the first answer; `undefined` (*not my path*) goes on to the
 * next, and is the answer when all say so. What a handler throws ends the search. Answers that are not promises are returned
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

  const from = (start: number, request: ApiRequest): ReturnType<ApiHandler> => {
    for (let index = start; index < handlers.length; index++) {
      const answer = (handlers[index] as ApiHandler)(request);
      // The promise of the last handler is the answer; it needs no further promise around it.
      if (isPromise(answer))
        return index === handlers.length - 1 ? Promise.resolve(answer) : afterPromise(answer, index + 1, request);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
  const afterPromise = async (
    pending: PromiseLike<ApiResponse | undefined>,
    next: number,
    request: ApiRequest,
  ): Promise<ApiResponse | undefined> => {
    const answer = await pending;
    return answer === undefined ? from(next, request) : answer;
  };
  return (request) => from(0, request);
}
