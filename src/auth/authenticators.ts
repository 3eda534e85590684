import { chain } from '../http/promise.js';
import type { ApiRequest } from '../http/request.js';
import type { Caller } from '../model/caller.js';
import { type Authenticate, ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED } from './contract.js';
import { hookFactory, hookListFaults } from './hook-kinds.js';
import { throwFaults } from '../options/check-options.js';

/**
 * Authenticates callers by the client certificate that the TLS layer has verified: the common name is the user, the
 * organizations are the groups, `system:authenticated` is added. The server must request certificates and trust the
 * authority that signed them; unverified certificates are ignored.
 *
 * @function
 */
export const clientCertificate: () => Authenticate = /* @__PURE__ */ hookFactory(
  'authenticate',
  'clientCertificate',
  () => (request) => {
    const certificate = request.peerCertificate;
    if (certificate === undefined || certificate.commonName === '') return undefined;
    return { name: certificate.commonName, groups: [...certificate.organizations, AUTHENTICATED] };
  },
);

const anonymous: Caller = Object.freeze({ name: ANONYMOUS, groups: Object.freeze([UNAUTHENTICATED]) });

/**
 * Accepts every request as `system:anonymous` of group `system:unauthenticated`. In {@link firstAuthenticator} it must
 * be the last; the authorizer decides what anonymous callers may do (`allowAuthenticated()` allows them nothing).
 *
 * @function
 */
export const allowAnonymous: () => Authenticate = /* @__PURE__ */ hookFactory('authenticate', 'allowAnonymous', () =>
  Object.assign(() => anonymous, { acceptsAll: true }),
);

/**
 * Calls several authenticators in turn and returns the first caller. If one throws, the result is 401, so that a bad
 * credential never falls back to anonymous. Synchronous as long as the authenticators are.
 *
 * @throws TypeError listing everything in the list that is not an authenticator, or if `allowAnonymous()` is not the last
 * @function
 */
export const firstAuthenticator: (...authenticators: readonly Authenticate[]) => Authenticate =
  /* @__PURE__ */ hookFactory('authenticate', 'firstAuthenticator', askInTurn);

function askInTurn(...authenticators: readonly Authenticate[]): Authenticate {
  throwFaults('firstAuthenticator', [
    ...hookListFaults('authenticate', authenticators),
    ...(authenticators.slice(0, -1).some((hook) => (hook as { readonly acceptsAll?: true } | undefined)?.acceptsAll)
      ? ['allowAnonymous() must be the last: it accepts every request']
      : []),
  ]);
  const ask = (request: ApiRequest, index: number): ReturnType<Authenticate> => {
    const next = authenticators[index];
    return next && chain(next(request), (caller) => caller ?? ask(request, index + 1));
  };
  return (request) => ask(request, 0);
}
