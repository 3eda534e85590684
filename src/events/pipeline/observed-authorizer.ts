import type { Authorize } from '../../auth/contract.js';
import { isPromise } from '../../http/promise.js';

const BRAND: unique symbol = Symbol.for('kube-vitals.HookFailure') as never;

/**
 * Reports the errors of an authorizer, and throws an error of another kind in place of each: an authorizer may throw errors of
 * a store or a Status, which must not be taken for those of this request.
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

/** True for an error of an observed authorizer, which was reported: the response is a bare 500. */
export function isHookFailure(error: unknown): boolean {
  return typeof error === 'object' && error !== null && BRAND in error;
}
