import { createBackoff } from '../../clock/backoff.js';
import type { Clock } from '../../clock/clock.js';
import type { EndSignal, ProcessContext } from '../command-line/command.js';
import type { CertificateInUse } from './certificate-in-use.js';
import type { Addresses } from './servers.js';
import type { Assignment, FromWorker, MetricsFromWorker, ToWorker } from './worker-messages.js';

export interface WorkerProcess {
  /** Sends a message, which is lost if the process has ended. Never throws. */
  readonly send: (message: ToWorker) => void;
  readonly kill: () => void;
}

export interface ExitInfo {
  /** `null` if a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it could not be started, or the reason that it reported itself. */
  readonly reason?: string | undefined;
}

/** The events of a process. None is emitted before it is returned, and none after `onEnd`. */
export interface WorkerEvents {
  readonly onMessage: (message: FromWorker) => void;
  readonly onEnd: (exit: ExitInfo) => void;
}

interface SupervisorOptions extends Pick<ProcessContext, 'onSignal'> {
  readonly workers: number;
  readonly spawn: (events: WorkerEvents) => WorkerProcess;
  readonly assignment: Pick<Assignment, 'access' | 'ports'>;
  readonly certificate: CertificateInUse;
  /** Called once, when all workers serve. */
  readonly onServing: (addresses: Addresses) => unknown;
  readonly onMetrics: (from: number, message: MetricsFromWorker, workers: ReadonlyMap<number, WorkerProcess>) => void;
  readonly log: (line: string) => void;
  readonly clock: Clock;
  readonly shutdownLimitMs: number;
}

const MAX_RESTART_PAUSE_MS = 30_000;
/** Once a worker has served for this long, the pauses start short again. */
const STEADY_MS = 60_000;
/** How long a worker may take to serve. It waits at most eight seconds for a store that is unavailable. */
const START_LIMIT_MS = 120_000;

interface Life extends ExitInfo {
  readonly isStarted: boolean;
  readonly isOverdue: boolean;
  readonly servedMs: number;
}

/**
 * Keeps workers running until a signal ends them. The first one starts alone, so that one process sets up the store and
 * the ports; the others follow when it serves. A worker that ends is started again, also one that was killed because it
 * did not serve in time; but one that ends by itself before it has ever served ends all.
 *
 * @returns the exit code: the highest of the workers' in a shutdown, 1 when one was killed or could not start
 */
export async function supervise(options: SupervisorOptions): Promise<number> {
  const { workers: count, certificate: inUse, log, clock, onSignal } = options;
  const running = new Map<number, WorkerProcess>();
  const lives: Promise<void>[] = [];
  const stopping = new AbortController();
  let exitCode = 0;
  let serving = 0;

  inUse.onReplaced((certificate) => running.forEach((worker) => worker.send({ type: 'certificate', certificate })));
  const killAll = (): void => running.forEach((worker) => worker.kill());

  function shutDown(signal: EndSignal): void {
    stopping.abort();
    running.forEach((worker) => worker.send({ type: 'signal', signal }));
    clock.setTimer(() => {
      if (running.size > 0) log(`${running.size} of ${count} workers took too long to shut down and are killed`);
      killAll();
    }, options.shutdownLimitMs);
  }

  onSignal((signal) => {
    if (stopping.signal.aborted) {
      log(`${signal} again: ending at once`);
      killAll();
    } else {
      log(`${signal}: shutting down the workers`);
      shutDown(signal);
    }
  });

  function live(number: number, onServing: (addresses: Addresses) => void): Promise<Life> {
    return new Promise((resolve) => {
      let isStarted = false;
      let isOverdue = false;
      let servesSince = Infinity;
      let reason: string | undefined;
      const worker = options.spawn({
        onMessage(message) {
          switch (message.type) {
            case 'ready':
              if (stopping.signal.aborted) return worker.kill();
              isStarted = true;
              return worker.send({
                type: 'start',
                assignment: { ...options.assignment, certificate: inUse.current(), number },
              });
            case 'serving':
              limit.cancel();
              servesSince = clock.monotonic();
              return onServing(message.addresses);
            case 'failed':
              reason = message.reason;
              return;
            default:
              options.onMetrics(number, message, running);
          }
        },
        onEnd(exit) {
          limit.cancel();
          running.delete(number);
          resolve({ reason, ...exit, isStarted, isOverdue, servedMs: clock.monotonic() - servesSince });
        },
      });
      const limit = clock.setTimer(() => {
        // A shutdown has a time limit of its own.
        if (stopping.signal.aborted) return;
        isOverdue = true;
        log(`worker ${number} does not serve after ${START_LIMIT_MS / 1000} seconds and is killed`);
        worker.kill();
      }, START_LIMIT_MS);
      running.set(number, worker);
    });
  }

  async function keepRunning(number: number, onFirstServing: (addresses: Addresses) => void): Promise<void> {
    const backoff = createBackoff(clock, MAX_RESTART_PAUSE_MS);
    let hasServed = false;
    while (!stopping.signal.aborted) {
      const life = await live(number, (addresses) => {
        if (hasServed) return log(`worker ${number} serves again`);
        hasServed = true;
        onFirstServing(addresses);
      });
      if (stopping.signal.aborted) {
        if (life.isStarted) exitCode = Math.max(exitCode, life.code ?? 1);
      } else if (!hasServed && !life.isOverdue) {
        log(`error: ${life.reason ?? `worker ${number} ${how(life)} before it served`}`);
        exitCode = 1;
        shutDown('SIGTERM');
      } else {
        log(`worker ${number} ${how(life)}${life.reason ? ` (${life.reason})` : ''}; it is started again`);
        if (life.servedMs >= STEADY_MS) backoff.reset();
        await backoff.pause(stopping.signal);
      }
    }
  }

  function onFirstServing(addresses: Addresses): void {
    if (stopping.signal.aborted) return;
    serving += 1;
    if (serving === count) options.onServing(addresses);
    if (serving === 1) for (let next = 2; next <= count; next++) lives.push(keepRunning(next, onFirstServing));
  }

  lives.push(keepRunning(1, onFirstServing));
  for (const life of lives) await life;
  return exitCode;
}

const how = ({ code, signal }: ExitInfo): string =>
  code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with ${code}`;
