import type { HealthCheck } from '../health/contract.js';
import { checkRules } from '../health/definition.js';
import { warn } from '../observe/warnings.js';
import { checkOptions, type CrossCheck, type OptionRules } from '../options/check-options.js';

/** The members of a check that every ready-made one takes. What is given takes the place of its default. */
export type CommonOptions = {
  readonly [Name in Exclude<keyof HealthCheck, 'check' | 'name'>]?: HealthCheck[Name] | undefined;
} & {
  /** Default: what the check is about, such as `event-loop` or `tcp`. */
  readonly name?: string | undefined;
};

/** What a ready-made check is, beside its function. */
export interface CheckKind<Options> {
  /** The function that makes it. */
  readonly where: string;
  readonly name: string;
  /** It depends on something outside of the process, which a restart does not mend. */
  readonly dependency: boolean;
  /** The rules of its own options. */
  readonly rules: OptionRules<Omit<Options, keyof CommonOptions>>;
  readonly crossCheck?: CrossCheck<Options>;
  readonly defaults?: Partial<HealthCheck>;
}

/**
 * A check from options and a function. Warns where a dependency is put into `livez`: when it is away, the kubelet restarts every
 * replica, again and again, and none of that brings it back.
 *
 * @throws TypeError that lists every fault of the options
 */
export function makeCheck<Options extends CommonOptions>(
  { where, name, dependency, rules, crossCheck, defaults }: CheckKind<Options>,
  options: Options,
  check: HealthCheck['check'],
): HealthCheck {
  const { check: _check, name: nameRule, ...common } = checkRules();
  const all = {
    ...common,
    name: (value: unknown, path: string) => (value === undefined ? [] : nameRule(value, path)),
    ...rules,
  };
  checkOptions(where, options, all as unknown as OptionRules<Options>, crossCheck);
  const given = Object.entries(options).filter(
    ([key, value]) => value !== undefined && (key === 'name' || key in common),
  );
  const made: HealthCheck = { name, ...defaults, ...(Object.fromEntries(given) as Partial<HealthCheck>), check };
  if (dependency && made.endpoints?.includes('livez') === true) {
    warn(
      `${where}: the check ${JSON.stringify(made.name)} is about something outside of the process, and counts for livez: while that is away, every replica is restarted, which does not bring it back. Leave livez out of its endpoints`,
      'KUBE_VITALS_LIVEZ',
    );
  }
  return made;
}
