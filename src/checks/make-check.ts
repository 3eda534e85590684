import type { HealthCheck } from '../health/contract.js';
import { checkRules } from '../health/definition.js';
import { warn } from '../observe/warnings.js';
import { checkOptions, type CrossCheck, type OptionRules } from '../options/check-options.js';

/** The members of a check that are options of every ready-made check. Each replaces the default. */
export type CommonOptions = {
  readonly [Name in Exclude<keyof HealthCheck, 'check' | 'name'>]?: HealthCheck[Name] | undefined;
} & {
  /** Default: the subject of the check, such as `event-loop-delay` or `tcp`. */
  readonly name?: string | undefined;
};

interface CheckKind<Options> {
  readonly check: HealthCheck['check'];
  /** The name of the function that the service calls, for messages. */
  readonly where: string;
  readonly name: string;
  /** True: it checks something outside the process, which a restart does not repair. */
  readonly dependency?: true;
  readonly rules: OptionRules<Omit<Options, keyof CommonOptions>>;
  readonly crossCheck?: CrossCheck<Options>;
  /** Defaults. `cacheMs` and `periodMs` do not apply if the options set the other one. */
  readonly timing?: { readonly cacheMs: number } | typeof LASTING;
}

/** Fails after three consecutive failing runs, ten seconds apart. */
export const LASTING = { periodMs: 10_000, failureThreshold: 3 } as const;

export function commonRules(): Omit<OptionRules<HealthCheck>, 'check'> {
  const { check: _check, name, ...rules } = checkRules();
  return { ...rules, name: (value, path) => (value === undefined ? [] : name(value, path)) };
}

/** Creates a check. Warns if one of a dependency counts for `livez`. @throws TypeError that lists every fault */
export function makeCheck<Options extends CommonOptions>(
  options: Options,
  { where, name, dependency, rules, crossCheck, timing, check }: CheckKind<Options>,
): HealthCheck {
  const common = commonRules();
  checkOptions(where, options, { ...common, ...rules } as unknown as OptionRules<Options>, crossCheck);
  const given = Object.entries(options).filter(([key, value]) => value !== undefined && key in common);
  const [when, other] =
    timing && 'cacheMs' in timing ? (['cacheMs', 'periodMs'] as const) : (['periodMs', 'cacheMs'] as const);
  const defaults = options[other] === undefined ? timing : { ...timing, [when]: undefined };
  const made: HealthCheck = { name, ...defaults, ...(Object.fromEntries(given) as Partial<HealthCheck>), check };
  if (dependency && made.endpoints?.includes('livez')) {
    warn(
      `${where}: the check ${JSON.stringify(made.name)} depends on something outside the process and counts for livez: while that is unavailable, every replica is restarted, which does not repair it. Remove livez from its endpoints`,
      'KUBE_VITALS_LIVEZ',
    );
  }
  return made;
}

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
