import type { Authenticate, Authorize } from '../auth/contract.js';
import { hookFault } from '../auth/hook-fault.js';
import type { CreateImpersonation } from '../auth/impersonation.js';
import type { Clock } from '../clock/clock.js';
import type { Observe } from '../observe/observation.js';
import {
  A_COUNT,
  A_FLAG,
  A_FUNCTION,
  aNumber,
  checkOptions,
  oneOf,
  type OptionRule,
  type OptionRules,
} from './option-rules.js';

/** Options of `createHealth`. */
export interface HealthOptions {
  /**
   * Authenticates callers. Given together with `authorize`, or not at all. Without the two, roots and single checks are open
   * and every reason is withheld.
   */
  readonly authenticate?: Authenticate;
  /**
   * Who may see a single check, and with it the reason of its failure. Asked with the lower-case method as the verb and
   * the path, for example `{ verb: 'get', path: '/readyz/database' }`.
   */
  readonly authorize?: Authorize;
  /**
   * Lets callers impersonate other users where `authorize` allows it: see `impersonation` of `createEvents`. Give it
   * `createImpersonation` of `kube-vitals`. Default: a request with any `Impersonate-*` header is 403, on open roots too.
   */
  readonly impersonation?: CreateImpersonation;
  /**
   * With hooks: `open` (default) answers `/healthz`, `/livez` and `/readyz` to everybody without authentication, since
   * kubelets and load balancers send no credentials; `authorized` asks for them as for every other path.
   */
  readonly roots?: 'open' | 'authorized';
  /** Is told of failures with their reasons, of changes, and of errors in hooks. Nothing is ever written to the console. */
  readonly observe?: Observe;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /**
   * How many checks run at the same time, from 1 up. Default 16. A check waits for its start at most half of its timeout
   * and then starts anyway, so that hanging checks cannot hold up the others.
   */
  readonly concurrency?: number;
  /** Timeout of checks that name none, in milliseconds, from 1 to 3,600,000. Default 2,000. */
  readonly timeoutMs?: number;
  /**
   * The last line of verbose output on success. `healthz` (default) prints `healthz check passed` on all three
   * endpoints, as the specification says; `root` prints the endpoint's own name, as newer Kubernetes does.
   */
  readonly verdictLine?: 'healthz' | 'root';
  /** How long `/livez` reports a start-up check that fails as passed, in milliseconds. Default 0. Kubernetes: `--livez-grace-period`. */
  readonly livezGracePeriodMs?: number;
  /** Sends `audit-id` on every answer: the one of the request, or a new UUID. Default `false`. */
  readonly auditIds?: boolean;
}

/** The options with every default in place. */
export interface ResolvedHealthOptions {
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly livezGracePeriodMs: number;
  readonly rootsOpen: boolean;
  readonly ownVerdictLine: boolean;
  readonly auditIds: boolean;
}

/** `hookFaults` has more to say about the two. */
const JUDGED_BELOW: OptionRule = [() => true, 'a function'];

const RULES: OptionRules = {
  authenticate: JUDGED_BELOW,
  authorize: JUDGED_BELOW,
  impersonation: A_FUNCTION,
  roots: oneOf('open', 'authorized'),
  observe: A_FUNCTION,
  clock: [(value) => typeof (value as Partial<Clock> | null)?.setTimer === 'function', 'a Clock'],
  concurrency: A_COUNT,
  timeoutMs: aNumber(1, 3_600_000),
  verdictLine: oneOf('healthz', 'root'),
  livezGracePeriodMs: aNumber(0, Number.MAX_SAFE_INTEGER),
  auditIds: A_FLAG,
};

/** Checks the options and fills in defaults. Throws one `TypeError` that lists every fault. */
export function resolveOptions(options: HealthOptions): ResolvedHealthOptions {
  checkOptions('createHealth', options, RULES, [], hookFaults(options));
  const { concurrency = 16, timeoutMs = 2_000, livezGracePeriodMs = 0, auditIds = false, roots, verdictLine } = options;
  return {
    concurrency,
    timeoutMs,
    livezGracePeriodMs,
    rootsOpen: roots !== 'authorized',
    ownVerdictLine: verdictLine === 'root',
    auditIds,
  };
}

function hookFaults(options: HealthOptions | null): readonly (string | false | undefined)[] {
  const who = options?.authenticate !== undefined;
  const may = options?.authorize !== undefined;
  return [
    who && hookFault('authenticate', options?.authenticate),
    may && hookFault('authorize', options?.authorize),
    who !== may && 'authenticate and authorize go together: give both, or neither',
    options?.roots === 'authorized' && !who && !may && "roots: 'authorized' needs authenticate and authorize",
  ];
}
