import { gracefulClose } from '../bridge/node/graceful-close.js';
import { toNodeListener } from '../bridge/node/listener.js';
import { interceptRequests } from '../bridge/node/order-requests.js';
import { exitProcess, onSignals, type ShutdownSignal } from '../bridge/node/process-signals.js';
import { trackConnections } from '../bridge/node/track-connections.js';
import { pause } from '../clock/abortable.js';
import { systemClock } from '../clock/clock.js';
import { startOnce } from '../http/promise.js';
import { createLifecycle, type LifecyclePhase } from '../lifecycle/create-lifecycle.js';
import { callHook } from '../observe/call-hook.js';
import { checkOptions } from '../options/check-options.js';
import { shuttingDownText } from '../responses/fixed-responses.js';
import { passesWhileDraining } from '../server/passes-while-draining.js';
import { shutdownRules } from './options.js';
import type { InstallShutdownOptions, ShutdownRecorder, ShutdownReport, ShutdownServer } from './options.js';

/** An installed shutdown. All functions may be detached. */
export interface InstalledShutdown {
  /** Shuts down now; every call returns the same promise, which never rejects. Never ends the process. */
  readonly shutdown: () => Promise<ShutdownReport>;
  /** The current phase of the shutdown. */
  readonly phase: () => LifecyclePhase;
  /** Removes the signal handlers. */
  readonly uninstall: () => void;
}

const SIGNALS: readonly ShutdownSignal[] = ['SIGTERM', 'SIGINT'];
/** How long closing after the deadline may take: connections are destroyed, not awaited. */
const CUT_RESERVE_MS = 1_000;
/** How often the requests in flight are counted while a server still listens. */
const POLL_MS = 20;
/** How long closing a server that still listened may take beyond `idleGraceMs`. */
const LAST_CLOSE_MS = 2_000;

/**
 * Shuts a service down on SIGTERM and SIGINT, in the order of kube-apiserver: `/readyz` fails, `delayMs` pass while
 * everything is still served, new connections (or requests) are refused, watches end, requests in flight finish or are
 * cut at `drainTimeoutMs`, then `close`, health, events and the store are closed. Works with every framework that runs
 * on a Node server. Call it once for a process, with all of its servers: of two shutdowns, the first that is done ends
 * the process.
 *
 * @throws TypeError that lists every fault of the options.
 */
export function installShutdown(options: InstallShutdownOptions): InstalledShutdown {
  checkOptions('installShutdown', options, shutdownRules());
  return installForServers([options.server].flat() as readonly ShutdownServer[], options);
}

/** @param servers none for an application that serves no HTTP, such as a worker or a test */
export function installForServers(
  servers: readonly ShutdownServer[],
  options: Omit<InstallShutdownOptions, 'server'>,
): InstalledShutdown {
  const { health, events, clock = systemClock, observe } = options;
  const { drainTimeoutMs = 60_000, idleGraceMs = 2_000 } = options;
  const cut = { connections: 0, requests: 0 };
  const tracked = servers.map((server) => {
    const tracker = trackConnections(server, { clock });
    const counting = {
      ...tracker,
      cut(): void {
        const open = tracker.open();
        cut.connections += open.connections;
        cut.requests += open.requests;
        tracker.cut();
      },
    };
    return { server, tracker: counting };
  });
  const closeAll = (withinMs: number): Promise<readonly boolean[]> =>
    Promise.all(
      tracked.map(({ server, tracker }) =>
        gracefulClose(server, { drainTimeoutMs: withinMs, idleGraceMs, connections: tracker, clock }),
      ),
    );

  let closed: Promise<unknown> = Promise.resolve();
  const stopAccepting = (): void => {
    if (options.whileDraining !== 'retry-after') {
      closed = closeAll(drainTimeoutMs);
      return;
    }
    // The responses sent in place of those of the service have `Connection: close`, because the signal is aborted.
    const refuse = toNodeListener((request) => (passesWhileDraining(request) ? undefined : shuttingDownText()), {
      signal: AbortSignal.abort(),
    });
    for (const { server, tracker } of tracked) {
      interceptRequests(server, refuse);
      tracker.startDraining();
    }
    closed = untilDrained().then(closeAll);
  };
  /** Waits for responses, at most `drainTimeoutMs`. Resolves to the milliseconds that closing may then take. */
  const untilDrained = async (): Promise<number> => {
    const deadline = clock.monotonic() + drainTimeoutMs;
    for (;;) {
      const left = deadline - clock.monotonic();
      if (left <= 0) return 0;
      if (tracked.every(({ tracker }) => tracker.open().requests === 0)) return idleGraceMs + LAST_CLOSE_MS;
      await pause(clock, Math.min(POLL_MS, left), undefined);
    }
  };

  const lifecycle = createLifecycle({
    health,
    shutdownDelayMs: options.delayMs,
    drainTimeoutMs: drainTimeoutMs + idleGraceMs + LAST_CLOSE_MS + CUT_RESERVE_MS,
    closeTimeoutMs: options.closeTimeoutMs,
    beforeStop: options.beforeStop,
    stopAccepting,
    endWatches: () => events?.close(),
    drain: async () => void (await closed),
    close: lastStep(options),
    observe,
    clock,
  });

  const shutdown = startOnce(async (): Promise<ShutdownReport> => {
    const begun = clock.monotonic();
    const { drained, failures } = await lifecycle.shutdown();
    uninstall();
    const done = {
      drained: drained && cut.requests === 0,
      cut,
      failures,
      durationMs: Math.round(clock.monotonic() - begun),
    };
    // The shutdown is over, even if the report fails.
    void callHook(() => options.onReport?.(done));
    return done;
  });

  // A signal that arrives after a call of `shutdown` is treated as the first one, and waits for that shutdown.
  let signalled = false;
  const uninstall = onSignals(options.signals ?? SIGNALS, () => {
    if (signalled) return exitProcess(1);
    signalled = true;
    void shutdown().then(({ failures }) => {
      if (options.exit !== false) exitProcess(failures.length === 0 ? 0 : 1);
    });
  });
  return { shutdown, phase: lifecycle.phase, uninstall };
}

/** The last step: writes recorded events, runs `close`, writes what that recorded, and closes health and the store. */
function lastStep(
  options: Pick<InstallShutdownOptions, 'health' | 'store' | 'recorder' | 'close' | 'closeTimeoutMs' | 'clock'>,
): () => Promise<void> {
  const { health, store, closeTimeoutMs = 10_000, clock = systemClock } = options;
  const recorders = [options.recorder ?? []].flat() as readonly ShutdownRecorder[];
  /** Events that are not written in time are dropped, and reported by the recorder itself. */
  const withRecorders = async (step: 'flush' | 'close', withinMs: number): Promise<void> => {
    const limit = new AbortController();
    const tooLate = new Error(`not written in time: closeTimeoutMs of the shutdown is ${closeTimeoutMs}`);
    const timer = clock.setTimer(() => limit.abort(tooLate), withinMs);
    await Promise.allSettled(recorders.map(async (recorder) => recorder[step]({ signal: limit.signal })));
    timer.cancel();
  };
  return async () => {
    await withRecorders('flush', closeTimeoutMs / 2);
    try {
      await options.close?.();
    } finally {
      await withRecorders('close', closeTimeoutMs / 4);
      try {
        health.close?.();
      } finally {
        await store?.close();
      }
    }
  };
}
