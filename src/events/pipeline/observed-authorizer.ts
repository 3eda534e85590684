import type { Authorize } from '../../auth/contract.js';
import { isPromise } from '../../http/promise.js';
import { hasBrand } from '../../model/brand.js';

const BRAND: unique symbol = Symbol.for('kube-vitals.HookFailure') as never;

/**
 * Reports the errors of an authorizer, and throws a marked error instead of each: an authorizer may throw errors of a
 * store or a Status, which must not be mistaken for those of this request.
 */
export function observedAuthorizer(authorize: Authorize, report: (error: unknown) => void): Authorize {
  const failed = (error: unknown): never => {
    report(error);
    throw Object.assign(new Error('the authorizer failed', { cause: error }), { [BRAND]: true });
  };
  return (caller, attributes) => {
    try {
      const answer = authorize(caller, attributes);
      return isPromise(answer) ? Promise.resolve(answer).catch(failed) : answer;
    } catch (error) {
      return failed(error);
    }
  };
}

/** Whether an error is from an observed authorizer, which has reported it: the response is a 500 without details. */
export function isHookFailure(error: unknown): boolean {
  return hasBrand(error, BRAND);
}
