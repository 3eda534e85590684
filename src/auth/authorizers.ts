import { isPromise } from '../http/promise.js';
import type { Authorize, Decision } from './contract.js';
import { throwFaults } from './option-faults.js';
import { ANONYMOUS, UNAUTHENTICATED } from './well-known.js';

const ALLOWED: Decision = Object.freeze({ allowed: true });
const DENIED: Decision = Object.freeze({ allowed: false });

/** Allows everything to every caller that showed a credential, nothing to anonymous ones. */
export function allowAuthenticated(): Authorize {
  return (caller) => (caller.name === ANONYMOUS || caller.groups.includes(UNAUTHENTICATED) ? DENIED : ALLOWED);
}

/** Allows everything to everybody. With {@link allowAnonymous} the API is open to whoever can reach the port. */
export function allowEverybody(): Authorize {
  return () => ALLOWED;
}

/**
 * Asks several authorizers in turn: the first that allows wins. When none does, the reasons they gave are joined.
 * Answers at once as long as the authorizers do.
 */
export function anyOf(...authorizers: readonly Authorize[]): Authorize {
  const faults = authorizers.flatMap((one, index) =>
    typeof one === 'function' ? [] : [`authorizer ${index + 1} must be a function`],
  );
  if (authorizers.length === 0) faults.push('name at least one authorizer');
  throwFaults('anyOf', faults);
  return (caller, attributes) => {
    const reasons: string[] = [];
    const ask = (from: number): Decision | Promise<Decision> => {
      for (let index = from; index < authorizers.length; index += 1) {
        const answer = authorizers[index]?.(caller, attributes) ?? DENIED;
        if (isPromise(answer)) {
          return Promise.resolve(answer).then((decision) => (consider(decision, reasons) ? decision : ask(index + 1)));
        }
        if (consider(answer, reasons)) return answer;
      }
      return reasons.length > 0 ? { allowed: false, reason: reasons.join(', ') } : DENIED;
    };
    return ask(0);
  };
}

function consider(decision: Decision, reasons: string[]): boolean {
  if (decision.allowed === true) return true;
  if (decision.reason) reasons.push(decision.reason);
  return false;
}
