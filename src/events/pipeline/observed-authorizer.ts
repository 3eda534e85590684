import type { Authorize } from '../../auth/contract.js';
import { isPromise } from '../../http/promise.js';

/** An error that an observed authorizer has reported: the response is a 500 without details. */
export class HookFailure extends Error {}

/**
 * Returns an authorizer that reports its errors, and throws a {@link HookFailure} instead of each: an authorizer may
 * throw errors of a store or a Status, which must not be mistaken for those of this request.
 */
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
