import type { OptionRule } from '../options/check-options.js';
import { required } from '../options/rules.js';
import type { Authenticate, Authorize } from './contract.js';

export type HookName = 'authenticate' | 'authorize';

const NOUNS = { authenticate: 'an authenticator', authorize: 'an authorizer' } as const;
const PURPOSES = { authenticate: 'who a caller is', authorize: 'what a caller may do' } as const;
const ADVICE = {
  authenticate: '; to accept everybody as system:anonymous, use allowAnonymous()',
  authorize:
    '; to allow everything, use allowAuthenticated() for callers with a credential or allowEverybody() for all',
} as const;

/** Recognised across copies of the package. */
const MARK: unique symbol = Symbol.for('kube-vitals.hook') as never;

/** The faults of passing a function as the wrong hook. Stored on the function, so that bundles without it lack them. */
type HookMark = Readonly<Partial<Record<HookName, string>>>;

function marked<F extends object>(target: F, mark: HookMark): F {
  return Object.defineProperty(target, MARK, { value: mark });
}

/** Creates a factory of hooks. The factory is marked too, because passing it without calling it is a common mistake. */
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

/** Returns the fault of a hook that is passed in place of the other one. */
function misplaced(hook: HookName, given: string): HookMark {
  const other = hook === 'authenticate' ? 'authorize' : 'authenticate';
  return { [other]: `must be ${NOUNS[other]}, which says ${PURPOSES[other]}, and was given ${given}${ADVICE[other]}` };
}

/** Returns the option rule of a hook. It does not call the hook. `advice` ends the fault if this is not a function. */
export function aHook(hook: HookName, advice = ''): OptionRule {
  return (value, name) => {
    if (value === undefined) return [];
    if (typeof value !== 'function') return [`${name} must be a function${advice}`];
    const fault = (value as { readonly [MARK]?: HookMark })[MARK]?.[hook];
    return fault === undefined ? [] : [`${name} ${fault}`];
  };
}

export function aRequiredHook(hook: HookName): OptionRule {
  return required(aHook(hook, ADVICE[hook]));
}

export function hookListFaults(hook: HookName, list: readonly unknown[]): readonly string[] {
  const noun = NOUNS[hook].slice('an '.length);
  if (list.length === 0) return [`name at least one ${noun}`];
  return list.flatMap((value, index) => required(aHook(hook))(value, `${noun} ${index + 1}`));
}
