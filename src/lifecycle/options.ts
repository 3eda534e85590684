import type { Clock } from '../clock/clock.js';
import type { Observe } from '../observe/observation.js';
import { checkOptions, type OptionRules } from '../options/check-options.js';
import { aClock, aFunction, aNumber, anObjectWith, required } from '../options/rules.js';

/** A step of the shutdown. */
export type ShutdownStep = () => void | Promise<void>;

/** Options of `createLifecycle`. All steps are optional. */
export interface LifecycleOptions {
  /** Called first, so that `/readyz` fails before anything else changes. The object of `createHealth` fits. */
  readonly health: { readonly startShutdown: () => void };
  /**
   * How long all requests are still served after `/readyz` began to fail, in milliseconds. Default 0, as Kubernetes'
   * `--shutdown-delay-duration`. It should be longer than load balancers need to notice.
   */
  readonly shutdownDelayMs?: number | undefined;
  /** How long requests may take to finish after the delay, in milliseconds. Default 60,000, as Kubernetes. */
  readonly drainTimeoutMs?: number | undefined;
  /** How long `close` may take, in milliseconds. Default 10,000. */
  readonly closeTimeoutMs?: number | undefined;
  /** Runs while the delay passes; nothing is closed before both have ended. Bounded by `drainTimeoutMs`. */
  readonly beforeStop?: ShutdownStep | undefined;
  /**
   * Refuses new connections and requests, for example `() => void server.close()`. What it refuses must take effect
   * when it is called; a promise that it returns is waited for together with `drain`.
   */
  readonly stopAccepting?: ShutdownStep | undefined;
  /** Ends open watches, cleanly. */
  readonly endWatches?: ShutdownStep | undefined;
  /**
   * Resolves when the requests in flight have finished. `signal` is aborted after `drainTimeoutMs`: cut off what is
   * left, for example with `server.closeAllConnections()`.
   */
  readonly drain?: ((context: { readonly signal: AbortSignal }) => void | Promise<void>) | undefined;
  /** Closes stores and other resources that requests needed. Runs last, also when an earlier step failed. */
  readonly close?: ShutdownStep | undefined;
  /** Where time is taken from. Default: the system's clock. */
  readonly clock?: Clock | undefined;
  /** Receives failed steps. */
  readonly observe?: Observe | undefined;
}

const LONGEST_MS = 86_400_000;

const rules = (): OptionRules<LifecycleOptions> => ({
  health: required(anObjectWith(['startShutdown'], 'the object of createHealth')),
  beforeStop: aFunction,
  stopAccepting: aFunction,
  endWatches: aFunction,
  drain: aFunction,
  close: aFunction,
  observe: aFunction,
  shutdownDelayMs: aNumber(0, LONGEST_MS),
  drainTimeoutMs: aNumber(0, LONGEST_MS),
  closeTimeoutMs: aNumber(0, LONGEST_MS),
  clock: aClock,
});

/** @throws TypeError that lists every fault of the options */
export function checkLifecycleOptions(options: LifecycleOptions): void {
  checkOptions('createLifecycle', options, rules());
}
