import { createAccess, type AccessOptions } from '../auth/access.js';
import type { PathAttributes } from '../auth/contract.js';
import { NO_IMPERSONATION, asksToImpersonate } from '../auth/impersonation-headers.js';
import { forbiddenPathStatus, refusedResponse } from '../auth/refusal.js';
import { chain, isPromise } from '../http/promise.js';
import type { ApiRequest } from '../http/request.js';
import type { ApiResponse } from '../http/response.js';
import type { Caller } from '../model/caller.js';
import type { Observe } from '../observe/observation.js';
import { internalErrorText, unauthorizedResponse } from '../responses/fixed-responses.js';
import { uncached } from './adapt-response.js';

/** Whether a request is allowed, and whether its caller may see reasons. */
export type Permission =
  { readonly granted: true; readonly mayKnow: boolean } | { readonly granted: false; readonly refusal: ApiResponse };

export type AskPermission = (request: ApiRequest, path: string) => Permission | Promise<Permission>;

const WITHOUT_REASONS: Permission = /* @__PURE__ */ Object.freeze({ granted: true, mayKnow: false });
const WITH_REASONS: Permission = /* @__PURE__ */ Object.freeze({ granted: true, mayKnow: true });

/**
 * For open roots and health objects without hooks: allows all but seeing reasons. Ignores impersonation headers if
 * enabled, else refuses them as everywhere.
 */
export function grantToAll(impersonation: boolean): AskPermission {
  return (request) =>
    !impersonation && asksToImpersonate(request) ? refused(refusedResponse(NO_IMPERSONATION)) : WITHOUT_REASONS;
}

/** Authenticates and authorizes as Kubernetes does for non-resource paths. `part` begins the `where` of errors. */
export function createPermission(hooks: AccessOptions, observe: Observe, part: 'health' | 'metrics'): AskPermission {
  const report = (hook: string, error: unknown): void => {
    void observe({ type: 'error', error, where: `${part}: ${hook}` });
  };
  const access = createAccess({ ...hooks, report });

  const failed = (error: unknown): Permission => {
    report('authorize', error);
    return { granted: false, refusal: uncached(internalErrorText()) };
  };

  const authorized = (caller: Caller, attributes: PathAttributes): Permission | Promise<Permission> =>
    chain(access.authorize(caller, attributes), ({ allowed, reason }) =>
      allowed ? WITH_REASONS : refused(refusedResponse(forbiddenPathStatus(caller, attributes, reason))),
    );

  return (request, path) =>
    chain(access.authenticate(request), (caller): Permission | Promise<Permission> => {
      if (caller === undefined) return refused(unauthorizedResponse());
      const attributes: PathAttributes = { verb: request.method.toLowerCase(), path };
      try {
        const decided = chain(access.impersonate(request, caller, attributes), (impersonated) =>
          'refused' in impersonated
            ? refused(refusedResponse(impersonated.refused))
            : authorized(impersonated.caller, attributes),
        );
        return isPromise(decided) ? Promise.resolve(decided).catch(failed) : decided;
      } catch (error) {
        return failed(error);
      }
    });
}

const refused = (response: ApiResponse): Permission => ({ granted: false, refusal: uncached(response) });
