import type { Authorize } from '../../auth/contract.js';
import { isPromise } from '../../http/promise.js';

/** An error that an observed authorizer has reported: the response is a 500 without details. */
export class HookFailure extends Error {}

/** Reports an authorizer's errors, and throws a {@link HookFailure} instead: none is mistaken for this request's. */
export function observedAuthorizer(authorize: Authorize, report: (error: unknown) => void): Authorize {
  const failed = (error: unknown): never => {
    report(error);
    throw new HookFailure('the authorizer failed', { cause: error });
  };
  return (caller, attributes) => {
    try {
      const decision = authorize(caller, attributes);
      return isPromise(decision) ? Promise.resolve(decision).catch(failed) : decision;
    } catch (error) {
      return failed(error);
    }
  };
}
