import { isPromise } from '../http/promise.js';
import type { ApiRequest } from '../http/request.js';
import type { Caller } from '../model/caller.js';
import type { Attributes, Authenticate, Authorize, Decision } from './contract.js';
import type { CreateImpersonation, Impersonate } from './impersonation.js';
import { ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED } from './well-known.js';

/** The two hooks of a service. */
export interface AccessOptions {
  readonly authenticate: Authenticate;
  readonly authorize: Authorize;
  /** `createImpersonation` where callers may ask to be taken for others: handed in, so that only those carry it who use it. */
  readonly impersonation?: CreateImpersonation | undefined;
}

/** The two hooks as the rooms of this library call them: at once where the hooks answer at once. */
export interface Access {
  /**
   * Who a request comes from, or `undefined` for 401: no credential, a bad one, or a hook that threw. Callers get the
   * group `system:authenticated` unless they are anonymous, as in Kubernetes.
   */
  authenticate(request: ApiRequest): Caller | undefined | Promise<Caller | undefined>;
  /**
   * Who the request is to be taken as coming from: the caller, or with impersonation whom it asks to be. What the
   * authorizer throws goes through.
   */
  readonly impersonate: Impersonate;
  /** Whether the caller may. What the hook throws goes through: it becomes a bare 500. */
  authorize(caller: Caller, attributes: Attributes): Decision | Promise<Decision>;
}

/** Wraps the two hooks of a service. Whoever takes them as options has seen that both are functions. */
export function createAccess({ authenticate, authorize, impersonation }: AccessOptions): Access {
  return {
    authenticate(request) {
      try {
        const answer: unknown = authenticate(request);
        return isPromise(answer) ? Promise.resolve(answer).then(acceptCaller, () => undefined) : acceptCaller(answer);
      } catch {
        return undefined;
      }
    },
    impersonate: impersonation?.(authorize) ?? ((_request, caller) => ({ caller })),
    authorize: (caller, attributes) => authorize(caller, attributes),
  };
}

/**
 * A caller as rules know it, with the group `system:authenticated` unless anonymous. Hooks are written by others, also in
 * plain JavaScript: what has no name is nobody.
 */
export function acceptCaller(answer: unknown): Caller | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const caller = answer as Partial<Caller>;
  if (typeof caller.name !== 'string' || caller.name === '') return undefined;
  const groups = Array.isArray(caller.groups) ? (caller as Caller).groups : [];
  const known = caller.name === ANONYMOUS || groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED);
  if (known && groups === caller.groups) return caller as Caller;
  return { ...(caller as Caller), groups: known ? groups : [...groups, AUTHENTICATED] };
}
