import { createWarnings } from './warnings.js';

/** Something that the library reports to the service that embeds it. New types may be added in any release. */
export type Observation =
  /** An unexpected error: the client got a bare 500, or nothing. Without `observe`, see {@link Observe}. */
  | {
      readonly type: 'error';
      readonly error: unknown;
      readonly where: string;
      /**
       * Of what is tried again and again, such as the expiry while a store is away: how often it has failed in a row. The same
       * failure is told once; another reason is told with the count so far, and the end as `recovered`.
       */
      readonly count?: number | undefined;
    }
  /** What was told as an `error` with a `count` works again. */
  | {
      readonly type: 'recovered';
      readonly where: string;
      /** The last failure. */
      readonly error: unknown;
      /** How often it failed in a row. */
      readonly count: number;
      /** From the first failure on, in milliseconds. */
      readonly durationMs: number;
    }
  /**
   * A health endpoint responded with a failure: the reasons that the response withholds, one per failing check. `error` is
   * what the check threw, for loggers that print stacks and causes.
   */
  | {
      readonly type: 'health.failed';
      readonly root: 'healthz' | 'livez' | 'readyz';
      readonly failures: readonly { readonly name: string; readonly reason: string; readonly error?: unknown }[];
    }
  /** A check changed its status. */
  | {
      readonly type: 'health.changed';
      readonly check: string;
      readonly status: 'ok' | 'degraded' | 'failed';
      readonly reason?: string | undefined;
      /** What the check threw, rejected with or returned as an `Error`. */
      readonly error?: unknown;
    }
  /** A request to the Event API was answered (a watch: when it began). */
  | {
      readonly type: 'request';
      readonly verb: string;
      readonly status: number;
      readonly durationMs: number;
      readonly auditId: string;
      readonly caller?: string | undefined;
      /** The real caller, if the caller was impersonated. */
      readonly impersonator?: string | undefined;
      readonly url: string;
    };

/**
 * Receives observations. It may return a promise: while one is pending for two minutes, the `log` health check fails
 * (logging blocked). What it throws is ignored.
 *
 * Without a hook the first `error` of each place (`where`) is a warning of the process (`process.emitWarning`, code
 * `KUBE_VITALS_ERROR`), where the runtime has them. Nothing else is told.
 */
export type Observe = (observation: Observation) => void | Promise<void>;

/** Calls a hook and ignores what it throws or rejects with. */
export type Notify = (observation: Observation) => void;

/** Wraps the hook of a service so that it never throws. Without a hook, errors become warnings of the process. */
export function createNotifier(observe: Observe | undefined): Notify {
  if (observe === undefined) return createWarnings();
  return (observation) => {
    try {
      const pending: unknown = observe(observation);
      if (pending !== undefined) Promise.resolve(pending).catch(() => undefined);
    } catch {
      // see above
    }
  };
}
