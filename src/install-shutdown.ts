import { answerFirst } from './bridge/node/answer-first.js';
import { gracefulClose, type ClosableServer } from './bridge/node/graceful-close.js';
import type { OrderableServer } from './bridge/node/order-requests.js';
import { aListOfSignals, exitProcess, onSignals, type ShutdownSignal } from './bridge/node/process-signals.js';
import { trackConnections, type OpenConnections, type TrackableServer } from './bridge/node/track-connections.js';
import { pause } from './clock/abortable.js';
import { systemClock, type Clock } from './clock/clock.js';
import { createLifecycle, type LifecyclePhase } from './lifecycle/create-lifecycle.js';
import type { ShutdownStep } from './lifecycle/options.js';
import type { Observe } from './observe/observation.js';
import { checkOptions, type OptionRules } from './options/check-options.js';
import { aBoolean, aClock, aFunction, aNumber, anObjectWith, oneOf, required } from './options/rules.js';
import { shuttingDownText } from './responses/fixed-responses.js';
import { passesWhileDraining } from './server/drain-gate.js';

/** A server that {@link installShutdown} can close: `node:http`, `node:https` and `node:http2` servers. */
export type ShutdownServer = ClosableServer & TrackableServer & OrderableServer;

/** What a shutdown needs of a recorder: that of `createRecorder`. */
export interface ShutdownRecorder {
  /** Writes what was recorded. */
  readonly flush: (options: { readonly signal: AbortSignal }) => Promise<void>;
  /** Writes the rest, and takes no more. */
  readonly close: (options: { readonly signal: AbortSignal }) => Promise<void>;
}

/** Options of {@link installShutdown}. */
export interface InstallShutdownOptions {
  /**
   * The server, or all servers, of the service: what `createServer()`, `app.listen()`, Hono's `serve()` or `fastify.server`
   * gave. Install the shutdown before they have their first connection.
   */
  readonly server: ShutdownServer | readonly ShutdownServer[];
  /** The object of `createHealth`. `/readyz` fails as soon as the shutdown begins. */
  readonly health: { readonly startShutdown: () => void; readonly close?: (() => void) | undefined };
  /** The object of `createEvents`. Its watches end when the delay is over. */
  readonly events?: { readonly close: () => void | Promise<void> } | undefined;
  /**
   * The recorder, or all recorders, of the service: what was recorded is written before `close`, and what `close` recorded before the
   * store is closed. Half of `closeTimeoutMs` is for the first, a quarter for the second; what is left is dropped.
   */
  readonly recorder?: ShutdownRecorder | readonly ShutdownRecorder[] | undefined;
  /** Closed at the end, when nothing uses it any more. */
  readonly store?: { readonly close: () => void | Promise<void> } | undefined;
  /**
   * How long everything is still served after `/readyz` began to fail, in milliseconds: longer than load balancers need to
   * notice. Default 0, as `--shutdown-delay-duration` of kube-apiserver.
   */
  readonly delayMs?: number | undefined;
  /**
   * What happens to clients between the delay and the end of the requests in flight. `'close'`: the servers stop listening,
   * and requests on open connections are still served, with `Connection: close`. `'retry-after'`: the servers go on
   * listening, and new requests but probes are answered 429 with `Retry-After: 5` (kube-apiserver's
   * `--shutdown-send-retry-after`). Default `'close'`.
   */
  readonly whileDraining?: 'close' | 'retry-after' | undefined;
  /** How long requests in flight may take after the delay before their connections are cut, in milliseconds. Default 60,000. */
  readonly drainTimeoutMs?: number | undefined;
  /** How long a connection without a request stays open while draining, in milliseconds; see `gracefulClose`. Default 2,000. */
  readonly idleGraceMs?: number | undefined;
  /** How long closing (`close`, events, store) may take, in milliseconds. Default 10,000. */
  readonly closeTimeoutMs?: number | undefined;
  /** Runs during the delay; nothing is refused before it has ended. */
  readonly beforeStop?: ShutdownStep | undefined;
  /** Closes what the service's own routes needed, such as a database, or `() => app.close()`. Runs before the store closes. */
  readonly close?: ShutdownStep | undefined;
  /** The signals that begin the shutdown. The second one ends the process at once. Default SIGTERM and SIGINT; `[]` for none. */
  readonly signals?: readonly ShutdownSignal[] | undefined;
  /**
   * Whether the process ends when a signal's shutdown has: with code 0, or with 1 if a step failed. Default true. With false
   * it ends when nothing keeps it alive.
   */
  readonly exit?: boolean | undefined;
  /** Called once, at the end of the shutdown. What it throws is ignored. */
  readonly onReport?: ((report: ShutdownReport) => void) | undefined;
  /** Receives failed steps. */
  readonly observe?: Observe | undefined;
  /** Where time is taken from. Default: the system's clock. */
  readonly clock?: Clock | undefined;
}

/** What a shutdown did. */
export interface ShutdownReport {
  /** False when requests were cut. */
  readonly drained: boolean;
  /** What was still open after `drainTimeoutMs` and therefore cut. */
  readonly cut: OpenConnections;
  /** Steps that failed or took too long. They do not stop the others. */
  readonly failures: readonly { readonly step: string; readonly error: unknown }[];
  /** How long the shutdown took, in milliseconds. */
  readonly durationMs: number;
}

/** An installed shutdown. All functions may be detached. */
export interface InstalledShutdown {
  /** Shuts down now; every call returns the same promise, which never rejects. Never ends the process. */
  readonly shutdown: () => Promise<ShutdownReport>;
  /** How far the shutdown has come. */
  readonly phase: () => LifecyclePhase;
  /** Takes the signal handlers away. */
  readonly uninstall: () => void;
}

const SIGNALS: readonly ShutdownSignal[] = ['SIGTERM', 'SIGINT'];
const LONGEST_MS = 86_400_000;
/** So that a drain and what follows it stay below the longest time of `createLifecycle`. */
const LONGEST_DRAIN_MS = 36_000_000;
/** What closing after the deadline may take: connections are destroyed, not waited for. */
const CUT_RESERVE_MS = 1_000;
/** How often the requests in flight are counted while a server still listens. */
const POLL_MS = 20;
/** What the end of a server that still listened may take beyond `idleGraceMs`. */
const LAST_CLOSE_MS = 2_000;

/**
 * Shuts a service down on SIGTERM and SIGINT, in the order of kube-apiserver: `/readyz` fails, `delayMs` pass with everything
 * served, new connections (or requests) are refused, watches end, requests in flight finish or are cut at `drainTimeoutMs`,
 * then `close`, health, events and the store are closed. Works with every framework that runs on a server of Node.
 *
 * @throws TypeError that lists every fault of the options.
 */
export function installShutdown(options: InstallShutdownOptions): InstalledShutdown {
  checkOptions('installShutdown', options, shutdownRules());
  const { health, events, clock = systemClock, observe } = options;
  const { drainTimeoutMs = 60_000, idleGraceMs = 2_000 } = options;
  const servers = [options.server].flat() as readonly ShutdownServer[];
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

  let closed: Promise<readonly boolean[]> = Promise.resolve([]);
  const stopAccepting = (): void => {
    if (options.whileDraining !== 'retry-after') {
      closed = closeAll(drainTimeoutMs);
      return;
    }
    for (const { server, tracker } of tracked) {
      answerFirst(server, (request) => (passesWhileDraining(request) ? undefined : shuttingDownText()));
      tracker.startDraining();
    }
    closed = untilAnswered().then(closeAll);
  };
  /** Resolves to the time that closing may take. */
  const untilAnswered = async (): Promise<number> => {
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

  let report: Promise<ShutdownReport> | undefined;
  const run = async (): Promise<ShutdownReport> => {
    const begun = clock.monotonic();
    const { drained, failures } = await lifecycle.shutdown();
    uninstall();
    const done = {
      drained: drained && cut.requests === 0,
      cut,
      failures,
      durationMs: Math.round(clock.monotonic() - begun),
    };
    try {
      options.onReport?.(done);
    } catch {
      // The shutdown is over, whatever becomes of its report.
    }
    return done;
  };
  const shutdown = (): Promise<ShutdownReport> => (report ??= run());

  // A signal that comes after a call of `shutdown` is the first one, and waits for it.
  let signalled = false;
  const uninstall = onSignals(options.signals ?? SIGNALS, () => {
    if (signalled) exitProcess(1);
    else {
      signalled = true;
      void shutdown().then(({ failures }) => {
        if (options.exit !== false) exitProcess(failures.length === 0 ? 0 : 1);
      });
    }
  });
  return { shutdown, phase: lifecycle.phase, uninstall };
}

/** Closes what nothing uses any more: writes what was recorded, runs `close`, writes what that recorded, then health and the store. */
export function lastStep(
  options: Pick<InstallShutdownOptions, 'health' | 'store' | 'recorder' | 'close' | 'closeTimeoutMs' | 'clock'>,
): () => Promise<void> {
  const { health, store, closeTimeoutMs = 10_000, clock = systemClock } = options;
  const recorders = [options.recorder ?? []].flat() as readonly ShutdownRecorder[];
  /** What is not written in time is dropped, and told by the recorder itself. */
  const withRecorders = async (step: 'flush' | 'close', withinMs: number): Promise<void> => {
    const limit = new AbortController();
    const timer = clock.setTimer(() => limit.abort(), withinMs);
    await Promise.allSettled(recorders.map((recorder) => recorder[step]({ signal: limit.signal })));
    timer.cancel();
  };
  return async () => {
    if (recorders.length > 0) await withRecorders('flush', closeTimeoutMs / 2);
    try {
      await options.close?.();
    } finally {
      if (recorders.length > 0) await withRecorders('close', closeTimeoutMs / 4);
      health.close?.();
      await store?.close();
    }
  };
}

const aServer = /* @__PURE__ */ anObjectWith(
  ['close', 'on', 'prependListener', 'emit'],
  'a server, as createServer(), listen() or serve() returned it, or a list of servers',
);

const aRecorder = /* @__PURE__ */ anObjectWith(['flush', 'close'], 'the object of createRecorder, or a list of them');

/** The rules of the options of {@link installShutdown}. */
export const shutdownRules = (): OptionRules<InstallShutdownOptions> => ({
  server: (value, name) =>
    Array.isArray(value) && value.length > 0
      ? value.flatMap((server, index) => required(aServer)(server, `${name}[${index}]`))
      : required(aServer)(value, name),
  health: required(anObjectWith(['startShutdown'], 'the object of createHealth')),
  events: anObjectWith(['close'], 'the object of createEvents'),
  recorder: (value, name) =>
    Array.isArray(value)
      ? value.flatMap((each, index) => required(aRecorder)(each, `${name}[${index}]`))
      : aRecorder(value, name),
  store: anObjectWith(['close'], 'a store'),
  delayMs: aNumber(0, LONGEST_MS),
  whileDraining: oneOf('close', 'retry-after'),
  drainTimeoutMs: aNumber(0, LONGEST_DRAIN_MS),
  idleGraceMs: aNumber(0, LONGEST_DRAIN_MS),
  closeTimeoutMs: aNumber(0, LONGEST_MS),
  beforeStop: aFunction,
  close: aFunction,
  signals: aListOfSignals,
  exit: aBoolean,
  onReport: aFunction,
  observe: aFunction,
  clock: aClock,
});
