import { throwFaults } from '../auth/option-faults.js';
import type { Clock } from '../clock/clock.js';
import type { Observe } from '../observe/observation.js';

/** What is done at a step of the shutdown. */
export type ShutdownStep = () => void | Promise<void>;

/** Options of `createLifecycle`. Of each step the service gives what it has. */
export interface LifecycleOptions {
  /** Is told first, so that `/readyz` fails before anything else changes. The object of `createHealth` fits. */
  readonly health: { readonly startShutdown: () => void };
  /**
   * How long everything is still served after `/readyz` began to fail, in milliseconds. Default 0, as Kubernetes'
   * `--shutdown-delay-duration`. Must be longer than load balancers need to notice.
   */
  readonly shutdownDelayMs?: number;
  /** How long requests may take to finish after the delay, in milliseconds. Default 60,000, as Kubernetes. */
  readonly drainTimeoutMs?: number;
  /** How long `close` may take, in milliseconds. Default 10,000. */
  readonly closeTimeoutMs?: number;
  /** Runs while the delay passes; nothing is closed before both have ended. Bounded by `drainTimeoutMs`. */
  readonly beforeStop?: ShutdownStep;
  /**
   * Refuses new connections and requests, for example `() => void server.close()`. What it refuses must take effect
   * when it is called; a promise that it returns is waited for together with `drain`.
   */
  readonly stopAccepting?: ShutdownStep;
  /** Ends open watches, cleanly. */
  readonly endWatches?: ShutdownStep;
  /**
   * Resolves when the requests in flight have finished. `signal` is aborted after `drainTimeoutMs`: cut off what is
   * left, for example with `server.closeAllConnections()`.
   */
  readonly drain?: (context: { readonly signal: AbortSignal }) => void | Promise<void>;
  /** Closes stores and whatever else requests needed. Runs last, also when an earlier step failed. */
  readonly close?: ShutdownStep;
  readonly clock?: Clock;
  /** Is told of steps that failed. */
  readonly observe?: Observe;
}

/** The options with every default in place. */
export interface ResolvedLifecycleOptions {
  readonly shutdownDelayMs: number;
  readonly drainTimeoutMs: number;
  readonly closeTimeoutMs: number;
}

const LONGEST_MS = 86_400_000;
const STEPS = ['beforeStop', 'stopAccepting', 'endWatches', 'drain', 'close', 'observe'] as const;
const DURATIONS = ['shutdownDelayMs', 'drainTimeoutMs', 'closeTimeoutMs'] as const;
const KNOWN: readonly string[] = ['health', 'clock', ...STEPS, ...DURATIONS];

/** Checks the options and fills in defaults. Throws one `TypeError` that lists every fault. */
export function resolveLifecycleOptions(options: LifecycleOptions): ResolvedLifecycleOptions {
  const given: unknown = options;
  if (typeof given !== 'object' || given === null) throwFaults('createLifecycle', ['the argument must be an object']);
  const health: { readonly startShutdown?: unknown } | null | undefined = options.health;
  const clock: { readonly setTimer?: unknown } | null | undefined = options.clock;
  throwFaults('createLifecycle', [
    ...Object.keys(options)
      .filter((key) => !KNOWN.includes(key))
      .map((key) => `there is no option ${JSON.stringify(key)}`),
    ...(typeof health?.startShutdown === 'function' ? [] : ['health must be the object of createHealth']),
    ...STEPS.filter((step) => options[step] !== undefined && typeof options[step] !== 'function').map(
      (step) => `${step} must be a function`,
    ),
    ...DURATIONS.filter((name) => !fitsDuration(options[name])).map(
      (name) => `${name} must be a number from 0 to ${LONGEST_MS}`,
    ),
    ...(clock === undefined || typeof clock?.setTimer === 'function' ? [] : ['clock must be a Clock']),
  ]);
  const { shutdownDelayMs = 0, drainTimeoutMs = 60_000, closeTimeoutMs = 10_000 } = options;
  return { shutdownDelayMs, drainTimeoutMs, closeTimeoutMs };
}

function fitsDuration(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && value >= 0 && value <= LONGEST_MS);
}
