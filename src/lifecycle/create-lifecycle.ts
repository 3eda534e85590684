import { pause } from '../clock/abortable.js';
import { systemClock, type Clock } from '../clock/clock.js';
import { keepProcessAlive } from '../clock/keep-process-alive.js';
import { startOnce } from '../http/promise.js';
import { createNotifier } from '../observe/observation.js';
import { checkOptions } from '../options/check-options.js';
import { lifecycleRules, type LifecycleOptions } from './options.js';

/** The phase of a service. */
export type LifecyclePhase =
  /** The service is running. */
  | 'running'
  /** `/readyz` fails, all requests are still served. */
  | 'delaying'
  /** New requests are refused, requests in flight finish. */
  | 'draining'
  /** Stores are being closed. */
  | 'closing'
  | 'stopped';

/** The result of a shutdown. */
export interface ShutdownResult {
  /** False when requests were still in flight after `drainTimeoutMs`. */
  readonly drained: boolean;
  /** The steps that threw, rejected or took too long. They never stop the sequence. */
  readonly failures: readonly {
    /** `startShutdown`, `beforeStop`, `stopAccepting`, `endWatches`, `drain` or `close`. */
    readonly step: string;
    /** What the step threw or rejected with, or the error that it took too long. */
    readonly error: unknown;
  }[];
}

/** Shuts a service down, step by step. All methods may be detached. */
export interface Lifecycle {
  /**
   * Runs the shutdown sequence once; every call returns the same promise, which never rejects. Call it where the
   * service handles signals: `process.once('SIGTERM', () => void lifecycle.shutdown().then(() => process.exit()))`.
   */
  readonly shutdown: () => Promise<ShutdownResult>;
  /** The current phase. */
  readonly phase: () => LifecyclePhase;
}

/**
 * Runs the steps of a shutdown in the order of a Kubernetes API server (its `shutdown-delay-duration` sequence):
 * `/readyz` fails at once while `/livez` stays up, the delay passes with everything still served, new connections are
 * refused, watches end, requests in flight finish within a limit, stores close.
 *
 * @throws TypeError that lists every fault of the options.
 */
export function createLifecycle(options: LifecycleOptions): Lifecycle {
  checkOptions('createLifecycle', options, lifecycleRules());
  const { health, clock = systemClock } = options;
  const { shutdownDelayMs = 0, drainTimeoutMs = 60_000, closeTimeoutMs = 10_000 } = options;
  const notify = createNotifier(options.observe);
  let phase: LifecyclePhase = 'running';

  async function run(): Promise<ShutdownResult> {
    const failures: { step: string; error: unknown }[] = [];
    const note = (step: string, error: unknown): void => {
      failures.push({ step, error });
      notify({ type: 'error', error, where: `lifecycle: ${step}` });
    };
    const attempt = async (step: string, work: (() => void | Promise<void>) | undefined): Promise<void> => {
      try {
        await work?.();
      } catch (error) {
        note(step, error);
      }
    };

    phase = 'delaying';
    await attempt('startShutdown', () => health.startShutdown());
    const before = attempt('beforeStop', options.beforeStop);
    const [prepared] = await Promise.all([
      withinTime(before, shutdownDelayMs + drainTimeoutMs, clock),
      shutdownDelayMs === 0 || pause(clock, shutdownDelayMs, undefined),
    ]);
    if (!prepared) note('beforeStop', new Error('beforeStop took too long and was abandoned'));

    phase = 'draining';
    const controller = new AbortController();
    let watchesEnded = false;
    // Started in order and awaited together, because a server's close() ends only with its last connection.
    const draining = Promise.all([
      attempt('stopAccepting', options.stopAccepting),
      attempt('endWatches', options.endWatches).then(() => (watchesEnded = true)),
      attempt('drain', () => options.drain?.({ signal: controller.signal })),
    ]);
    const drained = await withinTime(draining, drainTimeoutMs, clock);
    if (!drained) controller.abort(new Error('the drain timeout has passed'));
    // The other two wait for requests in flight, which `drained` reports.
    if (!watchesEnded) note('endWatches', new Error('endWatches took too long and was abandoned'));

    phase = 'closing';
    if (!(await withinTime(attempt('close', options.close), closeTimeoutMs, clock))) {
      note('close', new Error(`close took longer than ${closeTimeoutMs} ms and was abandoned`));
    }
    phase = 'stopped';
    return { drained, failures };
  }

  // A process whose servers are closed would otherwise exit while a step hangs, before the limit of the step.
  return { shutdown: startOnce(() => run().finally(keepProcessAlive())), phase: () => phase };
}

/** Resolves to false if the time is over before the work has ended. The work must not reject. */
function withinTime(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(() => resolve(false), ms);
    void work.then(() => {
      timer.cancel();
      resolve(true);
    });
  });
}
