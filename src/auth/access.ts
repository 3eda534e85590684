import { systemClock, type Clock } from '../clock/clock.js';
import { chain, isPromise } from '../http/promise.js';
import type { ApiRequest } from '../http/request.js';
import type { Caller } from '../model/caller.js';
import { isBadCredential, ALLOWED, ANONYMOUS, AUTHENTICATED, DENIED, UNAUTHENTICATED } from './contract.js';
import type { CreateImpersonation, Impersonate, Attributes, Authenticate, Authorize, Decision } from './contract.js';
import { refuseImpersonation } from './impersonation-headers.js';
import { described } from '../options/check-options.js';

export interface AccessOptions {
  readonly authenticate: Authenticate;
  readonly authorize: Authorize;
  /** `createImpersonation` where impersonation is enabled: bundles without it do not include its code. */
  readonly impersonation?: CreateImpersonation | undefined;
  /** Reports errors that `authenticate` threw, and invalid results of either hook. */
  readonly report?: ((hook: 'authenticate' | 'authorize', error: unknown) => void) | undefined;
  /** Limits how often failures of `authenticate` are reported. Default: the system clock. */
  readonly clock?: Pick<Clock, 'monotonic'> | undefined;
}

/** The two hooks as this library calls them; synchronous if the hooks are. */
export interface Access {
  /** The sender; `undefined` for 401: no credential, a bad one, or a failed hook, which is reported. */
  authenticate(request: ApiRequest): Caller | undefined | Promise<Caller | undefined>;
  /** The sender, or the user that it impersonates. Errors of the authorizer are rethrown. */
  readonly impersonate: Impersonate;
  /** A result whose `allowed` is neither `true` nor `false` denies, and is reported. Errors of the hook propagate. */
  authorize(caller: Caller, attributes: Attributes): Decision | Promise<Decision>;
}

/** Limits reports, because unauthenticated clients can make `authenticate` fail and must not be able to flood a log. */
const REPORTS = 10;
const REPORTS_WINDOW_MS = 60_000;

export function createAccess({
  authenticate,
  authorize,
  impersonation,
  report,
  clock = systemClock,
}: AccessOptions): Access {
  let reportsLeft = REPORTS;
  let reportsUntil = -Infinity;

  const rejected = (request: ApiRequest, error: unknown): undefined => {
    // A hook that fails because the client has disconnected is not reported.
    if (isBadCredential(error) || request.aborted || request.signal?.aborted) return;
    const now = clock.monotonic();
    if (now >= reportsUntil) [reportsLeft, reportsUntil] = [REPORTS, now + REPORTS_WINDOW_MS];
    reportsLeft -= 1;
    if (reportsLeft >= 0) report?.('authenticate', error);
  };
  const accepted = (request: ApiRequest, result: unknown): Caller | undefined => {
    const caller = acceptCaller(result);
    if (caller || result === undefined || result === null) return caller;
    return rejected(request, new TypeError(`expected { name, groups: [] } or undefined, not ${described(result)}`));
  };

  const decided = (result: unknown): Decision => {
    const { allowed, reason } = (result ?? {}) as { readonly allowed?: unknown; readonly reason?: unknown };
    if (allowed === true) return ALLOWED;
    if (allowed === false) return typeof reason === 'string' ? { allowed, reason } : DENIED;
    const given = result && typeof result === 'object' ? `allowed: ${described(allowed)}` : described(result);
    report?.('authorize', new TypeError(`expected { allowed: true } or { allowed: false }, not ${given}`));
    return DENIED;
  };
  const strict: Authorize = (caller, attributes) => chain<unknown, Decision>(authorize(caller, attributes), decided);

  return {
    // Does not use `settle`, because more call sites of different shapes would make every get slower.
    authenticate(request) {
      try {
        const result: unknown = authenticate(request);
        if (!isPromise(result)) return accepted(request, result);
        return Promise.resolve(result)
          .then((settled) => accepted(request, settled))
          .catch((error: unknown) => rejected(request, error));
      } catch (error) {
        return rejected(request, error);
      }
    },
    impersonate: impersonation?.(strict) ?? refuseImpersonation,
    authorize: strict,
  };
}

/** Adds `system:authenticated` unless anonymous. Hooks in JavaScript may return anything: `undefined` for no caller. */
export function acceptCaller(result: unknown): Caller | undefined {
  if (typeof result !== 'object' || !result) return undefined;
  // By name: the members of an instance of a class may be getters, which a spread leaves out.
  const { name, uid, extra, groups: given } = result as Partial<Caller>;
  if (typeof name !== 'string' || !name || !Array.isArray(given ?? [])) return undefined;
  const groups = given ?? [];
  const known = name === ANONYMOUS || groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED);
  if (known && groups === given) return result as Caller;
  return { ...result, name, uid, extra, groups: known ? groups : [...groups, AUTHENTICATED] };
}
