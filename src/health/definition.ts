import type { HealthCheck, HealthRoot } from './contract.js';
import { checkOptions, type OptionRules } from '../options/check-options.js';
import { aBoolean, aFunction, aNumber, aWholeNumber, mustBe, required } from '../options/rules.js';

export type CheckDefinition = {
  readonly [Name in keyof Required<HealthCheck>]: Name extends 'periodMs' | 'group'
    ? HealthCheck[Name]
    : NonNullable<HealthCheck[Name]>;
};

/** All three endpoints, in the order they are documented. */
export const ROOTS: readonly HealthRoot[] = /* @__PURE__ */ Object.freeze(['healthz', 'livez', 'readyz'] as const);

/** Without livez, whose failure restarts the process. */
const DEFAULT_ENDPOINTS: readonly HealthRoot[] = ['readyz', 'healthz'];

const MAX_NAME_LENGTH = 253;

/** Scripts split lines at white space, and names are parts of paths: neither may be ambiguous. */
function isCheckName(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_NAME_LENGTH) return false;
  if (/[\s\p{Cc}\p{Cs}]/u.test(value)) return false;
  return value.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

export function isRoot(value: unknown): value is HealthRoot {
  return (ROOTS as readonly unknown[]).includes(value);
}

const ONE_DAY_MS = 86_400_000;

/** The option rules of a check, also for functions that create checks. */
export const checkRules = (): OptionRules<HealthCheck> => ({
  name: required(
    mustBe(
      isCheckName,
      `1 to ${MAX_NAME_LENGTH} characters without white space, and a path (no empty, "." or ".." part)`,
    ),
  ),
  check: required(aFunction),
  endpoints: mustBe(
    (value) => Array.isArray(value) && value.length > 0 && value.every(isRoot),
    `a list of ${ROOTS.join(', ')}`,
  ),
  timeoutMs: aNumber(1, 3_600_000),
  periodMs: aNumber(1, ONE_DAY_MS),
  cacheMs: aNumber(0, ONE_DAY_MS),
  critical: aBoolean,
  failureThreshold: aWholeNumber(1),
  successThreshold: aWholeNumber(1),
  group: mustBe(isCheckName, 'formed like a name'),
  startup: aBoolean,
});

export function resolveCheck(check: HealthCheck, defaultTimeoutMs: number): CheckDefinition {
  const where = `health.add(${JSON.stringify((check as HealthCheck | null | undefined)?.name) ?? ''})`;
  checkOptions(where, check, checkRules(), ({ periodMs, cacheMs }) => [
    periodMs !== undefined &&
      Boolean(cacheMs) &&
      'periodMs and cacheMs exclude each other: a background check is always read from memory',
  ]);
  return {
    name: check.name,
    check: check.check.bind(check),
    endpoints: [...(check.endpoints ?? DEFAULT_ENDPOINTS)],
    timeoutMs: check.timeoutMs ?? defaultTimeoutMs,
    periodMs: check.periodMs,
    cacheMs: check.cacheMs ?? 0,
    critical: check.critical ?? true,
    failureThreshold: check.failureThreshold ?? 1,
    successThreshold: check.successThreshold ?? 1,
    group: check.group,
    startup: check.startup ?? false,
  };
}
