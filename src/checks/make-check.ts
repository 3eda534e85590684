import type { HealthCheck } from '../health/contract.js';
import { checkRules } from '../health/definition.js';
import { warn } from '../observe/warnings.js';
import { checkOptions, type CrossCheck, type OptionRules } from '../options/check-options.js';

/** The members of a check that every ready-made one takes, each in place of its default. */
export type CommonOptions = {
  readonly [Name in Exclude<keyof HealthCheck, 'check' | 'name'>]?: HealthCheck[Name] | undefined;
} & {
  /** Default: what the check is about, such as `event-loop` or `tcp`. */
  readonly name?: string | undefined;
};

/** The definition of a ready-made check. */
export interface CheckKind<Options> {
  readonly check: HealthCheck['check'];
  /** The function that the service calls. */
  readonly where: string;
  readonly name: string;
  /** It checks something outside the process, which a restart does not repair. */
  readonly dependency?: true;
  /** The rules of its own options. */
  readonly rules: OptionRules<Omit<Options, keyof CommonOptions>>;
  readonly crossCheck?: CrossCheck<Options>;
  /** Defaults that apply unless the options name the other one of `cacheMs` and `periodMs`. */
  readonly timing?: { readonly cacheMs: number } | typeof LASTING;
}

/** Three runs in a row, ten seconds apart. */
export const LASTING: { readonly periodMs: number; readonly failureThreshold: number } = {
  periodMs: 10_000,
  failureThreshold: 3,
};

/** The rules of {@link CommonOptions}. */
export function commonRules(): Omit<OptionRules<HealthCheck>, 'check'> {
  const { check: _check, name, ...rules } = checkRules();
  return { ...rules, name: (value, path) => (value === undefined ? [] : name(value, path)) };
}

/**
 * Makes a check with the options that the service gave. Warns where a dependency is put into `livez`: while it is unavailable, the kubelet
 * restarts every replica again and again, which does not bring it back.
 *
 * @throws TypeError that lists every fault of the options
 */
export function makeCheck<Options extends CommonOptions>(
  options: Options,
  { where, name, dependency, rules, crossCheck, timing, check }: CheckKind<Options>,
): HealthCheck {
  const common = commonRules();
  checkOptions(where, options, { ...common, ...rules } as unknown as OptionRules<Options>, crossCheck);
  const given = Object.entries(options).filter(([key, value]) => value !== undefined && key in common);
  const other = timing && options['cacheMs' in timing ? 'periodMs' : 'cacheMs'];
  const defaults = other === undefined ? timing : undefined;
  const made: HealthCheck = { name, ...defaults, ...(Object.fromEntries(given) as Partial<HealthCheck>), check };
  if (dependency === true && made.endpoints?.includes('livez') === true) {
    warn(
      `${where}: the check ${JSON.stringify(made.name)} is about something outside of the process, and counts for livez: while that is away, every replica is restarted, which does not bring it back. Leave livez out of its endpoints`,
      'KUBE_VITALS_LIVEZ',
    );
  }
  return made;
}
