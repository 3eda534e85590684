import type { Clock } from '../clock/clock.js';
import type { Observe } from '../observe/observation.js';
import type { OptionRules } from '../options/check-options.js';
import { aClock, aFunction, aNumber, anObjectWith, required } from '../options/rules.js';

/** A step of the shutdown. */
export type ShutdownStep = () => void | Promise<void>;

/** Options of `createLifecycle`. All steps are optional. */
export interface LifecycleOptions {
  /** Called first, so that `/readyz` fails before anything else changes. The object of `createHealth` fits. */
  readonly health: {
    /** Makes `/readyz` fail. */
    readonly startShutdown: () => void;
  };
  /**
   * How long all requests are still served after `/readyz` began to fail, in milliseconds. Default: 0, as Kubernetes'
   * `--shutdown-delay-duration`. It should be longer than load balancers need to notice.
   */
  readonly shutdownDelayMs?: number | undefined;
  /** How long requests may take to finish after the delay, in milliseconds. Default: 60,000, as Kubernetes. */
  readonly drainTimeoutMs?: number | undefined;
  /** How long `close` may take, in milliseconds. Default: 10,000. */
  readonly closeTimeoutMs?: number | undefined;
  /**
   * Runs during the delay; nothing is refused or closed before both have ended. It may take at most `shutdownDelayMs`
   * plus `drainTimeoutMs`.
   */
  readonly beforeStop?: ShutdownStep | undefined;
  /**
   * Refuses new connections and requests, for example `() => void server.close()`. The refusal must take effect as soon
   * as it is called; a promise that it returns is awaited together with `drain`.
   */
  readonly stopAccepting?: ShutdownStep | undefined;
  /** Ends open watches, cleanly. */
  readonly endWatches?: ShutdownStep | undefined;
  /**
   * Resolves when the requests in flight have finished. `signal` is aborted after `drainTimeoutMs`: close the remaining
   * connections, for example with `server.closeAllConnections()`.
   */
  readonly drain?:
    | ((context: {
        /** Aborted after `drainTimeoutMs`. */
        readonly signal: AbortSignal;
      }) => void | Promise<void>)
    | undefined;
  /** Closes stores and other resources that requests used. Runs last, even if an earlier step failed. */
  readonly close?: ShutdownStep | undefined;
  /** The source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Receives failed steps. Default: they are process warnings. */
  readonly observe?: Observe | undefined;
}

/** The longest time of a step. */
export const MAX_MS = 86_400_000;

export const lifecycleRules = (): OptionRules<LifecycleOptions> => ({
  health: required(anObjectWith(['startShutdown'], 'the object of createHealth')),
  beforeStop: aFunction,
  stopAccepting: aFunction,
  endWatches: aFunction,
  drain: aFunction,
  close: aFunction,
  observe: aFunction,
  shutdownDelayMs: aNumber(0, MAX_MS),
  drainTimeoutMs: aNumber(0, MAX_MS),
  closeTimeoutMs: aNumber(0, MAX_MS),
  clock: aClock,
});
