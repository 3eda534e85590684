import type { OptionRule } from '../options/check-options.js';
import { required } from '../options/rules.js';
import type { Authenticate, Authorize } from './contract.js';

/** The two hooks of a service. */
export type HookName = 'authenticate' | 'authorize';

const NOUNS = { authenticate: 'an authenticator', authorize: 'an authorizer' } as const;
const PURPOSES = { authenticate: 'who a caller is', authorize: 'what a caller may do' } as const;
const ADVICE = {
  authenticate: '; to take everybody in as system:anonymous, say allowAnonymous()',
  authorize:
    '; to allow everything, say allowAuthenticated() for callers with a credential or allowEverybody() for all',
} as const;

/** Recognised across copies of the package. */
const MARK: unique symbol = Symbol.for('kube-vitals.hook') as never;

/**
 * For a function of this library: the fault to report if it is given as one of the two hooks. The function carries the text,
 * so that bundles without the function do not include it. There is no text for the hook it belongs to.
 */
type HookMark = Readonly<Partial<Record<HookName, string>>>;

function marked<F extends object>(target: F, mark: HookMark): F {
  return Object.defineProperty(target, MARK, { value: mark });
}

/** Makes a factory of hooks. It is marked itself, too: passing it without calling it is a common mistake. */
export function hookFactory<Args extends readonly unknown[], Hook extends Authenticate | Authorize>(
  hook: HookName,
  name: string,
  make: (...args: Args) => Hook,
): (...args: Args) => Hook {
  const noun = NOUNS[hook];
  return marked((...args: Args) => marked(make(...args), misplaced(hook, `${name}(), ${noun}`)), {
    ...misplaced(hook, `${name}, which makes ${noun}`),
    [hook]: `was given the function ${name} itself, which makes ${noun}: call it, as in ${name}(…)`,
  });
}

/** The fault of a hook that is given in place of the other. */
function misplaced(hook: HookName, given: string): HookMark {
  const other = hook === 'authenticate' ? 'authorize' : 'authenticate';
  return { [other]: `must be ${NOUNS[other]}, which says ${PURPOSES[other]}, and was given ${given}${ADVICE[other]}` };
}

/**
 * The rule of a hook, as far as it can be judged before it is called.
 *
 * @param advice the end of the fault to report if the value is not a function
 */
export function aHook(hook: HookName, advice = ''): OptionRule {
  return (value, name) => {
    if (value === undefined) return [];
    if (typeof value !== 'function') return [`${name} must be a function${advice}`];
    const fault = (value as { readonly [MARK]?: HookMark })[MARK]?.[hook];
    return fault === undefined ? [] : [`${name} ${fault}`];
  };
}

/** The rule of a required hook. */
export function aRequiredHook(hook: HookName): OptionRule {
  return required(aHook(hook, ADVICE[hook]));
}

/** The faults of a list of hooks, of which there must be at least one. */
export function hookListFaults(hook: HookName, list: readonly unknown[]): readonly string[] {
  const noun = NOUNS[hook].slice('an '.length);
  if (list.length === 0) return [`name at least one ${noun}`];
  return list.flatMap((value, index) => required(aHook(hook))(value, `${noun} ${index + 1}`));
}
