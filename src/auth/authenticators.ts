import { isPromise } from '../http/promise.js';
import type { ApiRequest } from '../http/request.js';
import type { Caller } from '../model/caller.js';
import { type Authenticate, ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED } from './contract.js';
import { authenticator, hookFactory, hookListFaults } from './hook-kinds.js';
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
  () =>
    authenticator('clientCertificate', (request) => {
      const certificate = request.peerCertificate;
      if (certificate === undefined || certificate.commonName === '') return undefined;
      return { name: certificate.commonName, groups: [...certificate.organizations, AUTHENTICATED] };
    }),
);

const anonymous: Caller = Object.freeze({ name: ANONYMOUS, groups: Object.freeze([UNAUTHENTICATED]) });

/**
 * Accepts every request as `system:anonymous` of group `system:unauthenticated`. Put it last in {@link firstAuthenticator};
 * the authorizer decides what anonymous callers may do (`allowAuthenticated()` allows them nothing).
 *
 * @function
 */
export const allowAnonymous: () => Authenticate = /* @__PURE__ */ hookFactory('authenticate', 'allowAnonymous', () =>
  authenticator('allowAnonymous', () => anonymous),
);

/**
 * Asks several authenticators in turn: the first caller wins, and one that throws ends it with 401, so that a bad
 * credential never falls back to anonymous. Synchronous as long as the authenticators are.
 *
 * @throws TypeError listing everything in the list that is not an authenticator
 * @function
 */
export const firstAuthenticator: (...authenticators: readonly Authenticate[]) => Authenticate =
  /* @__PURE__ */ hookFactory('authenticate', 'firstAuthenticator', askInTurn);

function askInTurn(...authenticators: readonly Authenticate[]): Authenticate {
  throwFaults('firstAuthenticator', hookListFaults('authenticate', authenticators));
  const askFrom = (first: number, request: ApiRequest): ReturnType<Authenticate> => {
    for (let index = first; index < authenticators.length; index += 1) {
      const answer = authenticators[index]?.(request);
      if (isPromise(answer)) return Promise.resolve(answer).then((caller) => caller ?? askFrom(index + 1, request));
      if (answer !== undefined && answer !== null) return answer;
    }
    return undefined;
  };
  return authenticator('firstAuthenticator', (request) => askFrom(0, request));
}
