import type { OptionRule } from '../options/check-options.js';

/** The two hooks of a service. */
export type HookName = 'authenticate' | 'authorize';

const MARK: unique symbol = Symbol.for('kube-vitals.hook') as never;

/**
 * For a function of this library: what to say when it is given as one of the two hooks. It carries the words itself, so that
 * only those carry them who use it; no entry for the hook it belongs to.
 */
export type HookMark = Readonly<Partial<Record<HookName, string>>>;

/** Marks a function. Copies of the package know each other's marks. */
export function markHook<F extends object>(target: F, mark: HookMark): F {
  return Object.defineProperty(target, MARK, { value: mark });
}

/**
 * The rule of a hook, as far as it can be judged before it is called.
 *
 * @param advice what to say where there is no function
 */
export function aHook(hook: HookName, advice = ''): OptionRule {
  return (value, name) => {
    if (value === undefined) return [];
    if (typeof value !== 'function') return [`${name} must be a function${advice}`];
    const fault = (value as { readonly [MARK]?: HookMark })[MARK]?.[hook];
    return fault === undefined ? [] : [`${name} ${fault}`];
  };
}
