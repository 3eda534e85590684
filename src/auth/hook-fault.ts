import type { OptionRule } from '../options/check-options.js';

/** The two hooks of a service. */
export type HookName = 'authenticate' | 'authorize';

const MARK: unique symbol = Symbol.for('kube-vitals.hook') as never;

/**
 * For a function of this library: the fault to report if it is given as one of the two hooks. The function carries the text,
 * so that bundles without the function do not include it. There is no text for the hook it belongs to.
 */
export type HookMark = Readonly<Partial<Record<HookName, string>>>;

/** Marks a function. Marks are recognised across copies of the package. */
export function markHook<F extends object>(target: F, mark: HookMark): F {
  return Object.defineProperty(target, MARK, { value: mark });
}

/**
 * The rule of a hook, as far as it can be judged before it is called.
 *
 * @param advice the fault to report if the value is not a function
 */
export function aHook(hook: HookName, advice = ''): OptionRule {
  return (value, name) => {
    if (value === undefined) return [];
    if (typeof value !== 'function') return [`${name} must be a function${advice}`];
    const fault = (value as { readonly [MARK]?: HookMark })[MARK]?.[hook];
    return fault === undefined ? [] : [`${name} ${fault}`];
  };
}
