import type { ApiHandler } from '../http/handler.js';
import type { Observe } from '../observe/observation.js';

/** The three health endpoints. `healthz` is deprecated since Kubernetes 1.16; new probes use the other two. */
export type HealthRoot = 'healthz' | 'livez' | 'readyz';

/** What a check function is given. */
export interface CheckContext {
  /**
   * Aborted when the run exceeds its timeout or the health object is closed. Pass it on to whatever the check awaits
   * for: a run that never ends blocks every later run of the same check.
   */
  readonly signal: AbortSignal;
}

/**
 * What a check function may answer: nothing or `true` is a pass; `false`, an `Error` and `{ ok: false, reason }` are
 * failures, as are throwing and rejecting. **Everything else is a failure too**, whose reason says so: a driver's own
 * answer (`'PONG'`, rows) is not a verdict, so await it and return nothing.
 *
 * The `Response` of `fetch` is judged by its status, as a kubelet does: 200 to 399 pass, everything else fails with the status
 * text. Its body is cancelled. The reason of an error includes its `cause`, the `errors` of an `AggregateError` and its `code`.
 *
 * A failure with `critical: false` shows as degraded whatever the check's own `critical` says: for a check that knows
 * which of its failures the service can do without.
 */
export type CheckResult =
  | void
  | undefined
  | boolean
  | Error
  | { readonly ok: boolean; readonly reason?: string | undefined; readonly critical?: boolean | undefined };

/** Finds out whether something works. */
export type CheckFunction = (context: CheckContext) => CheckResult | PromiseLike<CheckResult>;

/** A check as it is added with `health.add`. */
export interface HealthCheck {
  /**
   * Printed in verbose output, used in `?exclude=` and in the path of the single check. Up to 253 characters without
   * white space; may contain single `/` inside.
   */
  readonly name: string;
  /** Finds out whether the thing is well. */
  readonly check: CheckFunction;
  /**
   * The endpoints this check counts for. Default: `['readyz', 'healthz']`. **A check joins `livez` only when it is
   * named here**, because a failing `livez` restarts the process: put there what only a restart can mend.
   */
  readonly endpoints?: readonly HealthRoot[] | undefined;
  /**
   * The longest a probe waits for this check, in milliseconds, from 1 to 3,600,000. Default: `timeoutMs` of the health
   * object. There is no way to switch it off.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Runs the check in the background, `periodMs` milliseconds after the last run ended, and lets probes read the last
   * verdict. Until the first run has ended the check fails. Default: it runs when a probe asks.
   */
  readonly periodMs?: number | undefined;
  /** How long a verdict is reused, in milliseconds. Default 0: every probe runs the check. Not with `periodMs`. */
  readonly cacheMs?: number | undefined;
  /** `false`: a failure shows as `[+]NAME ok (degraded: reason withheld)` and leaves the status code at 200. Default `true`. */
  readonly critical?: boolean | undefined;
  /** Failing runs in a row that turn a passing check. Default 1. */
  readonly failureThreshold?: number | undefined;
  /** Passing runs in a row that turn a failing check, also at the start: what never succeeded is down. Default 1. */
  readonly successThreshold?: number | undefined;
  /** `?exclude=GROUP` excludes every check of the group. */
  readonly group?: string | undefined;
  /**
   * A step of the boot sequence: `/livez` answers ok for it, without running it, until `livezGracePeriodMs` after it
   * was added. `/readyz` and `/healthz` have no grace period. Default `false`.
   */
  readonly startup?: boolean | undefined;
}

/** How a check stands. */
export type CheckStatus = 'ok' | 'degraded' | 'failed';

/** One check in a {@link HealthReport}. */
export interface CheckReport {
  /** The name of the check. */
  readonly name: string;
  /** The verdict. */
  readonly status: CheckStatus | 'excluded';
  /** The group whose name excluded the check. Absent when its own name did. */
  readonly excludedBy?: string;
  /** Why it is degraded or failed. Never sent in the answer of a root. */
  readonly reason?: string;
  /** How long the last run took, in milliseconds. Absent before the first. */
  readonly durationMs?: number;
  /** When `status` last changed (RFC 3339, UTC). Absent before the first verdict. */
  readonly since?: string;
}

/** The result of one endpoint; also the body of `?format=json`, there without reasons. */
export interface HealthReport {
  /** The endpoint that was asked. */
  readonly root: HealthRoot;
  /** `failed` when a check failed (500 on the wire), `degraded` when a check that is not critical did (200). */
  readonly status: CheckStatus;
  /** In order of registration. */
  readonly checks: readonly CheckReport[];
  /** The values of `exclude` that name neither a check nor a group, sorted. */
  readonly unmatchedExcludes: readonly string[];
}

/** A check changed its status. The first `ok` of a check is no change. */
export interface HealthChange {
  /** The name of the check. */
  readonly check: string;
  /** Its new status. */
  readonly status: CheckStatus;
  /** Absent for the first verdict. */
  readonly previous?: CheckStatus;
  /** Absent for `ok`. */
  readonly reason?: string;
  /** What the check threw, rejected with or returned as an `Error`; absent when there was none. */
  readonly error?: unknown;
}

/** Something that has to happen once after the start, shown as the check `poststarthook/NAME`. */
export interface PostStartHook {
  /** It has happened: the check passes from now on. */
  done(): void;
  /** It went wrong: the check fails for good, with the error as its reason. Ignored after `done()`. */
  failed(error: unknown): void;
}

/** The health of one service: its checks, and the handler that answers for them. All methods may be detached. */
export interface Health {
  /** Answers `/healthz`, `/livez`, `/readyz` and everything below them, whatever the method. */
  readonly handle: ApiHandler;
  /** Adds a check, at any time. Throws a `TypeError` that lists every fault of the definition, or when the name is taken. */
  readonly add: (check: HealthCheck) => void;
  /** Removes a check. `false` when there is none of that name. `ping`, `log` and `shutdown` cannot be removed (`TypeError`). */
  readonly remove: (name: string) => boolean;
  /**
   * Adds the check `poststarthook/NAME` to all three endpoints. It fails with `not finished` until `done()` is called;
   * `/livez` answers ok for it during the livez grace period.
   */
  readonly addPostStartHook: (name: string) => PostStartHook;
  /** The same result a probe would get, with reasons. Rejects with a `TypeError` for an unknown root and for unusable options only. */
  readonly report: (
    root: HealthRoot,
    options?: { readonly exclude?: readonly string[] | undefined },
  ) => Promise<HealthReport>;
  /** Calls back when a check changes its status. Returns the function that ends it. What the listener throws is observed. */
  readonly onChange: (listener: (change: HealthChange) => void) => () => void;
  /** From now on `shutdown` fails on `/readyz`; `/livez` and `/healthz` are left alone. */
  readonly startShutdown: () => void;
  /** True from `startShutdown` on. */
  readonly isShuttingDown: () => boolean;
  /**
   * The `observe` hook as this object watches it: never throws, and the check `log` fails while a promise that the hook
   * returned has been pending for two minutes. Give it to other parts of the library in place of the hook itself, so
   * that `log` sees theirs as well.
   */
  readonly observe: Observe;
  /** Stops background runs and aborts what is running. Added checks fail from now on. Safe to call twice. */
  readonly close: () => void;
}
