import type { Authenticate, Authorize, CreateImpersonation } from '../auth/contract.js';
import { aHook } from '../auth/hook-kinds.js';
import type { Clock } from '../clock/clock.js';
import type { Observe } from '../observe/observation.js';
import { checkOptions, type OptionRules } from '../options/check-options.js';
import { aBoolean, aClock, aFunction, aNumber, aWholeNumber, oneOf } from '../options/rules.js';

/** Options of `createHealth`. */
export interface HealthOptions {
  /**
   * Authenticates callers. Given together with `authorize`, or not at all. Without these hooks, roots and single checks
   * are open and every reason is withheld.
   */
  readonly authenticate?: Authenticate | undefined;
  /**
   * Decides who may see a single check and the reason of its failure. Called with the lower-case method as the verb and
   * the path, for example `{ verb: 'get', path: '/readyz/database' }`.
   */
  readonly authorize?: Authorize | undefined;
  /**
   * Lets callers impersonate other users where `authorize` allows it: see `impersonation` of `createEvents`. Set it to
   * `createImpersonation` of `kube-vitals`. Default: a request with any `Impersonate-*` header gets 403, on open roots
   * too.
   */
  readonly impersonation?: CreateImpersonation | undefined;
  /**
   * With hooks: `open` (default) serves `/healthz`, `/livez` and `/readyz` to everybody without authentication, since
   * kubelets and load balancers send no credentials; `authorized` requires credentials as for every other path.
   */
  readonly roots?: 'open' | 'authorized' | undefined;
  /**
   * Receives failures with their reasons, changes, and errors in hooks. Default: errors are process warnings, see
   * {@link Observe}.
   */
  readonly observe?: Observe | undefined;
  /** The source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /**
   * How many checks run at the same time, from 1 up. Default: 16. A check waits for its start at most half of its
   * timeout and then starts anyway, so that hanging checks cannot delay the others.
   */
  readonly concurrency?: number | undefined;
  /** Timeout of checks without a `timeoutMs`, in milliseconds, from 1 to 3,600,000. Default: 2,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * The last line of verbose output on success. `healthz` (default) prints `healthz check passed` on all three
   * endpoints, as in the specification; `root` prints the endpoint's own name, as newer Kubernetes does.
   */
  readonly verdictLine?: 'healthz' | 'root' | undefined;
  /**
   * How long `/livez` reports start-up checks as ok without running them, in milliseconds from the time they were
   * added. Default: 0. Kubernetes: `--livez-grace-period`.
   */
  readonly livezGracePeriodMs?: number | undefined;
  /** Sends `audit-id` on every response: that of the request, or a new UUID. Default: `false`. */
  readonly auditIds?: boolean | undefined;
}

const rules = (): OptionRules<HealthOptions> => ({
  authenticate: aHook('authenticate'),
  authorize: aHook('authorize'),
  impersonation: aFunction,
  roots: oneOf('open', 'authorized'),
  observe: aFunction,
  clock: aClock,
  concurrency: aWholeNumber(1),
  timeoutMs: aNumber(1, 3_600_000),
  verdictLine: oneOf('healthz', 'root'),
  livezGracePeriodMs: aNumber(0),
  auditIds: aBoolean,
});

/** @throws TypeError that lists every fault of the options */
export function checkHealthOptions(options: HealthOptions): void {
  checkOptions('createHealth', options, rules(), ({ authenticate, authorize, roots }) => [
    (authenticate === undefined) !== (authorize === undefined) &&
      'authenticate and authorize go together: give both, or neither',
    roots === 'authorized' &&
      authenticate === undefined &&
      authorize === undefined &&
      "roots: 'authorized' needs authenticate and authorize",
  ]);
}
