import type { Authenticate, Authorize } from './contract.js';
import type { OptionRule } from '../options/check-options.js';
import { required } from '../options/rules.js';
import { aHook, markHook, type HookMark, type HookName } from './hook-fault.js';

const NOUNS = { authenticate: 'an authenticator', authorize: 'an authorizer' } as const;
const SAYS = { authenticate: 'who a caller is', authorize: 'what a caller may do' } as const;
const ADVICE = {
  authenticate: '; to take everybody in as system:anonymous, say allowAnonymous()',
  authorize:
    '; to allow everything, say allowAuthenticated() for callers with a credential or allowEverybody() for all',
} as const;

/** Marks a hook made by one of our factories as an authenticator. */
export function authenticator(factory: string, hook: Authenticate): Authenticate {
  return markHook(hook, misplaced('authenticate', `${factory}(), an authenticator`));
}

/** Marks a hook made by one of our factories as an authorizer. */
export function authorizer(factory: string, hook: Authorize): Authorize {
  return markHook(hook, misplaced('authorize', `${factory}(), an authorizer`));
}

/** Marks a factory itself: passing it without calling it is a common mistake. */
export function hookFactory<F extends object>(hook: HookName, factory: string, make: F): F {
  const noun = NOUNS[hook];
  return markHook(make, {
    ...misplaced(hook, `${factory}, which makes ${noun}`),
    [hook]: `was given the function ${factory} itself, which makes ${noun}: call it, as in ${factory}(…)`,
  });
}

/** The fault of a hook that is given in place of the other. */
function misplaced(hook: HookName, given: string): HookMark {
  const other = hook === 'authenticate' ? 'authorize' : 'authenticate';
  return { [other]: `must be ${NOUNS[other]}, which says ${SAYS[other]}, and was given ${given}${ADVICE[other]}` };
}

/** The rule of a hook that has to be there. */
export function aRequiredHook(hook: HookName): OptionRule {
  return required(aHook(hook, ADVICE[hook]));
}

/** The faults of a list of hooks, of which there must be at least one. */
export function hookListFaults(hook: HookName, list: readonly unknown[]): readonly string[] {
  const noun = NOUNS[hook].slice('an '.length);
  if (list.length === 0) return [`name at least one ${noun}`];
  return list.flatMap((value, index) => required(aHook(hook))(value, `${noun} ${index + 1}`));
}
