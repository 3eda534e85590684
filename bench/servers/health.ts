import { createHealth, type Authenticate, type Authorize, type Health } from 'kube-vitals';

/** Besides the three built-in checks: eleven in all on /readyz. */
const CHECKS = 8;

/**
 * Health as in the standalone server: callers are authorized, responses have an Audit-Id, probes are observed, and every
 * probe runs the checks.
 */
export function benchHealth(access: { readonly authenticate: Authenticate; readonly authorize: Authorize }): Health {
  const health = createHealth({ ...access, roots: 'authorized', auditIds: true, observe: () => undefined });
  for (let number = 1; number <= CHECKS; number++) health.add({ name: `check-${number}`, check: () => true });
  return health;
}
