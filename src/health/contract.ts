import type { ApiHandler } from '../http/handler.js';
import type { Observe } from '../observe/observation.js';

/** The three health endpoints. `healthz` is deprecated since Kubernetes 1.16; new probes use the other two. */
export type HealthRoot = 'healthz' | 'livez' | 'readyz';

/** The argument of a check function. */
export interface CheckContext {
  /**
   * Aborted when the run exceeds its timeout or the health object is closed. Pass it on to every operation that the
   * check awaits: a run that never ends blocks every later run of the same check.
   */
  readonly signal: AbortSignal;
}

/**
 * The result of a check function. Nothing or `true` is a pass; `false`, an `Error` and `{ ok: false, reason }` are
 * failures, as are throwing and rejecting. **Any other value is a failure too**, with a reason that explains this: the
 * response of a driver (`'PONG'`, rows) is not a verdict, so await it and return nothing.
 *
 * The `Response` of `fetch` is judged by its status, as a kubelet does: 200 to 399 pass, everything else fails with the
 * status text. Its body is cancelled. The reason of an error includes its `cause`, the `errors` of an `AggregateError`
 * and its `code`.
 *
 * A failure with `critical: false` is reported as degraded, even if the check's own `critical` is `true`: for a check
 * that can determine which of its failures the service tolerates.
 */
export type CheckResult =
  | void
  | undefined
  | boolean
  | Error
  | {
      /** Whether the check passes. */
      readonly ok: boolean;
      /** Why it fails; cut after 4,096 characters, and ignored if it passes. Default: `failed without a reason`. */
      readonly reason?: string | undefined;
      /** `false`: this failure is degraded. Otherwise the `critical` of the check decides. */
      readonly critical?: boolean | undefined;
      /** What was thrown, for `observe` and `onChange`. Its text is not added to the reason. */
      readonly error?: unknown;
    };

/** Checks whether something works. */
export type CheckFunction = (context: CheckContext) => CheckResult | PromiseLike<CheckResult>;

/** A check as it is added with `health.add`. */
export interface HealthCheck {
  /**
   * Printed in verbose output, used in `?exclude=` and in the path of the single check. Up to 253 characters without
   * white space; may contain single `/` inside.
   */
  readonly name: string;
  /** Checks whether the component works. */
  readonly check: CheckFunction;
  /**
   * The endpoints this check counts for. Default: `['readyz', 'healthz']`. **A check counts for `livez` only if `livez`
   * is listed here**, because a failing `livez` restarts the process: list it only for faults that a restart repairs.
   */
  readonly endpoints?: readonly HealthRoot[] | undefined;
  /**
   * The longest a probe waits for this check, in milliseconds, from 1 to 3,600,000. Default: `timeoutMs` of the health
   * object. It cannot be switched off.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Runs the check in the background, `periodMs` milliseconds after the last run ended, and lets probes read the last
   * verdict. Until the first run has ended the check fails. Default: the check runs when a probe needs its verdict.
   */
  readonly periodMs?: number | undefined;
  /** How long a verdict is reused, in milliseconds. Default: 0: every probe runs the check. Not with `periodMs`. */
  readonly cacheMs?: number | undefined;
  /**
   * `false`: a failure is printed as `[+]NAME ok (degraded: reason withheld)` and leaves the status code at 200.
   * Default: `true`.
   */
  readonly critical?: boolean | undefined;
  /** Consecutive failing runs after which a passing check fails. Default: 1. */
  readonly failureThreshold?: number | undefined;
  /**
   * Consecutive passing runs after which a failing check passes. A new check fails until it has passed this often.
   * Default: 1.
   */
  readonly successThreshold?: number | undefined;
  /** `?exclude=GROUP` excludes every check of the group. */
  readonly group?: string | undefined;
  /**
   * A step of the start-up sequence: `/livez` reports it as ok, without running it, until `livezGracePeriodMs` after it
   * was added. `/readyz` and `/healthz` have no grace period. Default: `false`.
   */
  readonly startup?: boolean | undefined;
}

/** The status of a check. */
export type CheckStatus = 'ok' | 'degraded' | 'failed';

/** One check in a {@link HealthReport}. */
export interface CheckReport {
  /** The name of the check. */
  readonly name: string;
  /** The verdict. */
  readonly status: CheckStatus | 'excluded';
  /** The group by which the check was excluded. Absent if it was excluded by its own name. */
  readonly excludedBy?: string;
  /** Why it is degraded or failed. Never sent in the response of a root endpoint. */
  readonly reason?: string;
  /** How long the last run took, in milliseconds. Absent before the first. */
  readonly durationMs?: number;
  /** When `status` last changed (RFC 3339, UTC). Absent before the first verdict. */
  readonly since?: string;
}

/** The result of one endpoint. Also the body of `?format=json`, which contains no reasons. */
export interface HealthReport {
  /** The endpoint that was evaluated. */
  readonly root: HealthRoot;
  /**
   * `failed` if a critical check failed (HTTP status 500), `degraded` if only checks that are not critical failed
   * (200).
   */
  readonly status: CheckStatus;
  /** In order of registration. */
  readonly checks: readonly CheckReport[];
  /** The values of `exclude` that name neither a check nor a group, sorted. */
  readonly unmatchedExcludes: readonly string[];
}

/** A change of the status of a check. The first `ok` of a check is not a change. */
export interface HealthChange {
  /** The name of the check. */
  readonly check: string;
  /** Its new status. */
  readonly status: CheckStatus;
  /** Absent for the first verdict. */
  readonly previous?: CheckStatus;
  /** Absent for `ok`. */
  readonly reason?: string;
  /** What the check threw, rejected with or returned as an `Error`; absent if there was no error. */
  readonly error?: unknown;
}

/** Work that has to finish once after the start, shown as the check `poststarthook/NAME`. */
export interface PostStartHook {
  /** Reports that the work is done: the check passes from now on. Ignored after `failed()`. */
  done(): void;
  /**
   * Reports that the work failed: the check fails permanently, with the error as its reason. Ignored after `done()`.
   */
  failed(error: unknown): void;
}

/** The health of one service: its checks, and the handler of the health endpoints. All methods may be detached. */
export interface Health {
  /** Handles `/healthz`, `/livez`, `/readyz` and all paths below them, with any method. */
  readonly handle: ApiHandler;
  /**
   * Adds a check, at any time. Throws a `TypeError` that lists every fault of the definition, or if the name is already
   * in use.
   */
  readonly add: (check: HealthCheck) => void;
  /**
   * Removes a check. Returns `false` if there is no check with that name. `ping`, `log` and `shutdown` cannot be
   * removed (`TypeError`).
   */
  readonly remove: (name: string) => boolean;
  /**
   * Adds the check `poststarthook/NAME` to all three endpoints. It fails with `not finished` until `done()` is called;
   * `/livez` reports it as ok during the livez grace period.
   */
  readonly addPostStartHook: (name: string) => PostStartHook;
  /**
   * Returns the result that a probe would get, with reasons. Rejects only with a `TypeError`, for an unknown root or
   * invalid options.
   */
  readonly report: (
    root: HealthRoot,
    options?: {
      /** The names of checks and groups to leave out, as with `?exclude=`. Default: none. */
      readonly exclude?: readonly string[] | undefined;
    },
  ) => Promise<HealthReport>;
  /**
   * Calls a listener when a check changes its status. Returns the function that removes the listener. What the listener
   * throws or rejects with is reported to `observe`.
   */
  readonly onChange: (listener: (change: HealthChange) => void) => () => void;
  /** Makes the check `shutdown` fail on `/readyz` from now on; `/livez` and `/healthz` are not affected. */
  readonly startShutdown: () => void;
  /** Whether `startShutdown` has been called. */
  readonly isShuttingDown: () => boolean;
  /**
   * The `observe` hook, monitored by this object: it never throws, and the check `log` fails while a promise that the
   * hook returned has been pending for two minutes. Pass it to other parts of the library in place of the hook itself,
   * so that `log` covers their calls as well.
   */
  readonly observe: Observe;
  /** Stops background runs and aborts current runs. Added checks fail from now on. Safe to call twice. */
  readonly close: () => void;
}
