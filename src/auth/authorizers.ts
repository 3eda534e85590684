import { chain } from '../http/promise.js';
import { type Authorize, type Decision, ALLOWED, ANONYMOUS, DENIED, UNAUTHENTICATED } from './contract.js';
import { hookFactory, hookListFaults } from './hook-kinds.js';
import { throwFaults } from '../options/check-options.js';
import { isNonEmptyString } from '../options/rules.js';

/**
 * Allows everything to every authenticated caller, and nothing to anonymous ones.
 *
 * @function
 */
export const allowAuthenticated: () => Authorize = /* @__PURE__ */ hookFactory(
  'authorize',
  'allowAuthenticated',
  () => (caller) => (caller.name === ANONYMOUS || caller.groups.includes(UNAUTHENTICATED) ? DENIED : ALLOWED),
);

/**
 * Allows everything to everybody. With {@link allowAnonymous} the API is open to everyone who can reach the port.
 *
 * @function
 */
export const allowEverybody: () => Authorize = /* @__PURE__ */ hookFactory(
  'authorize',
  'allowEverybody',
  () => () => ALLOWED,
);

/**
 * Calls several authorizers in turn until one allows the request. If none does, their reasons are joined. If one of
 * them returned an invalid decision, that value is returned, and is then denied and reported. Synchronous as long as
 * the authorizers are.
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
  return (caller, attributes) => {
    const decisions: Decision[] = [];
    const ask = (index: number): Decision | Promise<Decision> => {
      const next = authorizers[index];
      if (next === undefined) return refusal(decisions);
      return chain(next(caller, attributes), (decision) => {
        if (partsOf(decision).allowed === true) return decision;
        decisions.push(decision);
        return ask(index + 1);
      });
    };
    return ask(0);
  };
}

/** Returns the result if no authorizer allows: their joined reasons, or the first invalid decision. */
function refusal(returned: readonly Decision[]): Decision {
  const invalid = returned.findIndex((decision) => partsOf(decision).allowed !== false);
  if (invalid !== -1) return returned[invalid] as Decision;
  const reasons = returned.map(({ reason }) => reason).filter(isNonEmptyString);
  return reasons.length > 0 ? { allowed: false, reason: reasons.join(', ') } : DENIED;
}

/** The result may be any value, because hooks are code of the service. */
const partsOf = (decision: unknown): { readonly allowed?: unknown } => decision ?? {};
