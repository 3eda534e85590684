import { isPromise } from '../http/promise.js';
import { type Authorize, type Decision, ALLOWED, ANONYMOUS, DENIED, UNAUTHENTICATED } from './contract.js';
import { authorizer, hookFactory, hookListFaults } from './hook-kinds.js';
import { throwFaults } from '../options/check-options.js';

/**
 * Allows everything to every authenticated caller, and nothing to anonymous ones.
 *
 * @function
 */
export const allowAuthenticated: () => Authorize = /* @__PURE__ */ hookFactory('authorize', 'allowAuthenticated', () =>
  authorizer('allowAuthenticated', (caller) =>
    caller.name === ANONYMOUS || caller.groups.includes(UNAUTHENTICATED) ? DENIED : ALLOWED,
  ),
);

/**
 * Allows everything to everybody. With {@link allowAnonymous} the API is open to everyone who can reach the port.
 *
 * @function
 */
export const allowEverybody: () => Authorize = /* @__PURE__ */ hookFactory('authorize', 'allowEverybody', () =>
  authorizer('allowEverybody', () => ALLOWED),
);

/**
 * Asks several authorizers in turn: the first that allows wins. If none does, their reasons are joined; if one of
 * them returned something that is not a decision, that is passed on, to be denied and reported. Synchronous as long as the
 * authorizers are.
 *
 * @throws TypeError listing everything in the list that is not an authorizer
 * @function
 */
export const anyOf: (...authorizers: readonly Authorize[]) => Authorize = /* @__PURE__ */ hookFactory(
  'authorize',
  'anyOf',
  askAny,
);

function askAny(...authorizers: readonly Authorize[]): Authorize {
  throwFaults('anyOf', hookListFaults('authorize', authorizers));
  return authorizer('anyOf', (caller, attributes) => {
    const heard: Heard = { reasons: [], invalid: undefined };
    const ask = (from: number): Decision | Promise<Decision> => {
      for (let index = from; index < authorizers.length; index += 1) {
        const answer = authorizers[index]?.(caller, attributes);
        if (isPromise(answer)) {
          return Promise.resolve(answer).then((decision) => (consider(decision, heard) ? decision : ask(index + 1)));
        }
        if (consider(answer, heard)) return answer;
      }
      if (heard.invalid) return heard.invalid.answer as Decision;
      return heard.reasons.length > 0 ? { allowed: false, reason: heard.reasons.join(', ') } : DENIED;
    };
    return ask(0);
  });
}

/** The reasons of the authorizers that did not allow the request. */
interface Heard {
  readonly reasons: string[];
  /** The first result that is not a decision. */
  invalid: { readonly answer: unknown } | undefined;
}

/** Whether a result allows. It may be any value, because hooks are not our code. */
function consider(answer: Decision | undefined, heard: Heard): answer is Decision {
  const { allowed, reason } = (answer ?? {}) as { readonly allowed?: unknown; readonly reason?: unknown };
  if (allowed === true) return true;
  if (allowed !== false) heard.invalid ??= { answer };
  else if (typeof reason === 'string' && reason !== '') heard.reasons.push(reason);
  return false;
}
