import { systemClock, type Clock } from '../clock/clock.js';
import { isPromise } from '../http/promise.js';
import type { ApiRequest } from '../http/request.js';
import type { Caller } from '../model/caller.js';
import { isBadCredential } from './bad-credential.js';
import type { Attributes, Authenticate, Authorize, Decision } from './contract.js';
import type { CreateImpersonation, Impersonate } from './impersonation.js';
import { refuseImpersonation } from './no-impersonation.js';
import { described } from '../options/check-options.js';
import { ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED } from './well-known.js';

/** The two hooks of a service, and the observer of their failures. */
export interface AccessOptions {
  readonly authenticate: Authenticate;
  readonly authorize: Authorize;
  /** `createImpersonation` where impersonation is enabled: passed in, so that bundles without it do not include its code. */
  readonly impersonation?: CreateImpersonation | undefined;
  /** Is told what `authenticate` threw, and of an answer that none of the two may give. */
  readonly report?: ((hook: 'authenticate' | 'authorize', error: unknown) => void) | undefined;
  /** Measures how often failures of `authenticate` are reported. Default: the system clock. */
  readonly clock?: Pick<Clock, 'monotonic'> | undefined;
}

/** The two hooks as the rooms of this library call them: at once where the hooks answer at once. */
export interface Access {
  /**
   * Who a request comes from, or `undefined` for 401: no credential, a bad one, or a hook that failed, which is reported.
   * Callers get the group `system:authenticated` unless they are anonymous, as in Kubernetes.
   */
  authenticate(request: ApiRequest): Caller | undefined | Promise<Caller | undefined>;
  /**
   * Who the request is to be taken as coming from: the caller, or with impersonation whom it asks to be. Without it, a
   * request that asks is refused. What the authorizer throws goes through.
   */
  readonly impersonate: Impersonate;
  /**
   * Whether the caller may. An answer of the hook whose `allowed` is neither `true` nor `false` refuses, and is reported.
   * What the hook throws goes through: it becomes a bare 500.
   */
  authorize(caller: Caller, attributes: Attributes): Decision | Promise<Decision>;
}

const ALLOWED: Decision = Object.freeze({ allowed: true });
const DENIED: Decision = Object.freeze({ allowed: false });

/** Clients without a credential can make `authenticate` fail: they must not be able to fill a log. */
const REPORTS = 10;
const REPORTS_PER_MS = 60_000;

/** Wraps the two hooks of a service. Whoever takes them as options has seen that both are functions. */
export function createAccess({
  authenticate,
  authorize,
  impersonation,
  report,
  clock = systemClock,
}: AccessOptions): Access {
  let reportsLeft = REPORTS;
  let reportsUntil = -Infinity;

  const nobody = (request: ApiRequest, error: unknown): undefined => {
    // A hook that gives up because the client has left does what it should.
    if (isBadCredential(error) || request.aborted || request.signal?.aborted) return;
    const now = clock.monotonic();
    if (now >= reportsUntil) [reportsLeft, reportsUntil] = [REPORTS, now + REPORTS_PER_MS];
    reportsLeft -= 1;
    if (reportsLeft >= 0) report?.('authenticate', error);
  };
  const accepted = (request: ApiRequest, answer: unknown): Caller | undefined => {
    const caller = acceptCaller(answer);
    if (caller || answer === undefined || answer === null) return caller;
    return nobody(request, new TypeError(`expected a caller with a name, or undefined, not ${described(answer)}`));
  };

  const decided = (answer: unknown): Decision => {
    const { allowed, reason } = (answer ?? {}) as { readonly allowed?: unknown; readonly reason?: unknown };
    if (allowed === true) return ALLOWED;
    if (allowed === false) return typeof reason === 'string' ? { allowed, reason } : DENIED;
    const given = answer && typeof answer === 'object' ? `allowed: ${described(allowed)}` : described(answer);
    report?.('authorize', new TypeError(`expected { allowed: true } or { allowed: false }, not ${given}`));
    return DENIED;
  };
  const strict: Authorize = (caller, attributes) => {
    const answer: unknown = authorize(caller, attributes);
    return isPromise(answer) ? Promise.resolve(answer).then(decided) : decided(answer);
  };

  return {
    authenticate(request) {
      try {
        const answer: unknown = authenticate(request);
        if (!isPromise(answer)) return accepted(request, answer);
        return Promise.resolve(answer)
          .then((settled) => accepted(request, settled))
          .catch((error: unknown) => nobody(request, error));
      } catch (error) {
        return nobody(request, error);
      }
    },
    impersonate: impersonation?.(strict) ?? refuseImpersonation,
    authorize: strict,
  };
}

/**
 * A caller as rules know it, with the group `system:authenticated` unless anonymous. Hooks are written by others, also in
 * plain JavaScript: an object without a name is no caller.
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
