import { hostname } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../model/error-message.js';
import { MASTERS } from '../../auth/contract.js';
import { cachedStore, createApiServer, createEvents, createHealth, createImpersonation, firstOf } from '../../index.js';
import type { ApiHandler } from '../../index.js';
import { pause } from '../../clock/abortable.js';
import { systemClock } from '../../clock/clock.js';
import { createRecorder, recordHealthChanges } from '../../client.js';
import { createLifecycle } from '../../lifecycle.js';
import { toNodeListener, type NodeListener } from '../../node.js';
import { consoleObserver } from '../../observers.js';
import type { ProcessContext } from '../command-line/command.js';
import { pingStore, openStore, defaultStore, forProgram, type DefaultStore } from '../stores/open-store.js';
import { isLocal } from '../stores/store-url.js';
import { standaloneAccess } from './access.js';
import { banner } from './banner.js';
import type { ServingCertificate } from './certificates.js';
import { standaloneChecks } from './checks.js';
import type { Flags } from './flags.js';
import { kubeconfig, storeKubeconfig } from './kubeconfig.js';
import { healthOnly } from './health-only.js';
import { limitsWithin } from './limit-flags.js';
import { METRICS_PATHS, serverMetrics, type ShareMetrics } from './metrics.js';
import { runPrepared, type Preparation } from './preparation.js';
import { reserveRevisions } from './revisions.js';
import { openServers, type Addresses } from './servers.js';
import { DRAIN_TIMEOUT_MS, shutDownOnSignal } from './shutdown.js';

const SELF = { name: 'system:kube-vitals', groups: [MASTERS] };
const LAST_EVENT_MS = 5_000;
/** How long an event, such as the one about the start, waits for an unavailable store. */
const RECORD_WITHIN_MS = 86_400_000;

export function runServe(flags: Flags, context: ProcessContext): Promise<number> {
  const { pid, onSignal, stdout } = context;
  return runPrepared(flags, context, (preparation, log) =>
    serve({
      ...{ flags, preparation, log, pid, onSignal },
      onServing: (addresses, stored) => stdout.write(banner(flags, addresses, stored)),
    }),
  );
}

interface ServeOptions extends Pick<ProcessContext, 'pid' | 'onSignal'> {
  readonly flags: Flags;
  readonly preparation: Preparation;
  readonly log: (line: string) => void;
  readonly onServing: (addresses: Addresses, store: DefaultStore) => unknown;
  readonly beforeStop?: (() => void) | undefined;
  /** How much later than in the other processes that share the ports they are closed, in milliseconds. */
  readonly closesLaterMs?: number | undefined;
  readonly shareMetrics?: ShareMetrics | undefined;
}

/** Serves until a signal ends it. @returns the exit code @throws Error when it cannot start */
export async function serve(options: ServeOptions): Promise<number> {
  const { flags, preparation, log, closesLaterMs = 0 } = options;
  const logError = (line: string): void => log(forProgram(line));
  const logged = consoleObserver({ info: log, warn: log, error: logError }, { requests: 'none' });
  const { certificate } = preparation;
  const access = standaloneAccess(flags, preparation.access);

  const group = `events.${flags.apiDomain}`;
  const stored: DefaultStore = flags.store === undefined ? await defaultStore(flags.dataDir) : { choice: flags.store };
  const { choice } = stored;
  const revisions = isLocal(choice)
    ? await reserveRevisions(join(flags.dataDir, 'revisions'), { storeIsDurable: choice.kind === 'sqlite' })
    : undefined;
  const metrics = flags.metrics ? await serverMetrics(access, logged, options.shareMetrics) : undefined;
  const observe = metrics?.observe ?? logged;
  const opened = await openStore(choice, { startAt: revisions?.startAt, observe });
  const isCached = flags.watchCache && choice.kind !== 'memory';
  // Before the cache reads it, so that what prevents the start is reported once.
  const isReachable = await pingStore(opened, choice, log);
  const store = isCached ? cachedStore(opened, { observe }) : opened;
  const reserving = revisions?.keepReserving(store.revision);
  const health = createHealth({
    ...access,
    impersonation: createImpersonation,
    roots: 'authorized',
    auditIds: true,
    livezGracePeriodMs: flags.livezGracePeriod,
    observe,
  });
  const events = createEvents({
    ...access,
    impersonation: true,
    apiDomain: flags.apiDomain,
    coreV1: flags.coreV1Events,
    managedFields: flags.managedFields,
    store,
    ttlMs: flags.eventTtl,
    maxBodyBytes: flags.maxBodyBytes,
    ...flags.limits,
    limits: { ...limitsWithin(flags.workers), ...flags.limits.limits },
    observe: health.observe,
  });
  const core = flags.coreV1Events ? ['/api/v1'] : [];
  const server = createApiServer({
    ...access,
    impersonation: true,
    health,
    events,
    observe: health.observe,
    extraPaths: [
      ...['/api', ...core, '/apis', `/apis/${group}`, `/apis/${group}/v1`],
      ...(metrics ? METRICS_PATHS : []),
      ...['/openapi/v2', '/openapi/v3'],
    ],
  });
  const handle = metrics ? firstOf(metrics.handle, server.handle) : server.handle;
  const closing = new AbortController();
  const listenerOf = (handle: ApiHandler): NodeListener =>
    toNodeListener(handle, {
      signal: closing.signal,
      onError: (error, where) => log(`error in ${where}: ${String(error)}`),
    });
  const listeners = { all: listenerOf(handle), healthOnly: listenerOf(healthOnly(handle)) };

  const api = events.as(SELF);
  const recorder = createRecorder({
    events,
    caller: SELF,
    reportingController: `${group}/standalone`,
    reportingInstance: `${hostname()}-${options.pid}`.slice(0, 128),
    regarding: { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: `v1.${group}` },
    maxAgeMs: RECORD_WITHIN_MS,
    closeTimeoutMs: LAST_EVENT_MS,
    observe: health.observe,
  });
  /** Resolves when all recorded events are stored, or to false when they have to wait for the store. */
  const recorded = (): Promise<boolean> =>
    recorder.flush({ signal: AbortSignal.timeout(LAST_EVENT_MS) }).then(
      () => true,
      () => false,
    );
  const storeIsLate = new AbortController();

  const { dataDir, exampleDependency: withExample } = flags;
  for (const check of standaloneChecks({ dataDir, store, group, api, withExample })) health.add(check);
  health.onChange(recordHealthChanges(recorder));

  // Added before the ports open, so that no probe sees the server ready too early.
  const kubeconfigWritten = health.addPostStartHook('write-kubeconfig');
  const servers = await openServers(flags, certificate, listeners, log);
  const kubeconfigPath = join(flags.dataDir, 'kubeconfig');
  const { adminToken: token } = preparation.access;
  const writeKubeconfig = ({ ca }: ServingCertificate): Promise<void> =>
    storeKubeconfig(kubeconfigPath, kubeconfig({ server: servers.secureUrl, ca, token }), log);
  certificate.onReplaced((next) => void writeKubeconfig(next).catch((error: unknown) => log(messageOf(error))));
  // A failed hook shows on all health endpoints, with its reason; the server continues.
  await writeKubeconfig(certificate.current()).then(
    () => kubeconfigWritten.done(),
    (error: unknown) => {
      log(`the start is not complete: ${messageOf(error)}`);
      kubeconfigWritten.failed(error);
    },
  );
  // Not a post-start hook, which would make /livez wait for the store.
  const note = `serving ${group}/v1 on ${servers.secureUrl}`;
  recorder.event({ action: 'Starting', reason: 'Started', note });
  if (isReachable) await recorded();

  let closed: Promise<void> = Promise.resolve();
  const lifecycle = createLifecycle({
    health,
    shutdownDelayMs: flags.shutdownDelayDuration,
    drainTimeoutMs: DRAIN_TIMEOUT_MS,
    observe,
    beforeStop: async () => {
      recorder.event({ action: 'ShuttingDown', reason: 'ShutdownStarted', note: `${group}/v1 is shutting down` });
      // The end does not wait for the store a second time: supervisors such as Docker kill after ten seconds.
      if (!(await recorded())) storeIsLate.abort(new Error('the store is not available'));
    },
    stopAccepting: () => {
      server.startDraining();
      options.beforeStop?.();
      const close = (): Promise<void> => servers.close(DRAIN_TIMEOUT_MS - closesLaterMs);
      closed = closesLaterMs === 0 ? close() : pause(systemClock, closesLaterMs, undefined).then(close);
    },
    endWatches: () => closing.abort(),
    drain: () => closed,
    close: async () => {
      await recorder.close({ signal: storeIsLate.signal });
      health.close();
      reserving?.stop();
      await events.close();
      await store.close();
    },
  });
  const ended = shutDownOnSignal({ shutdown: lifecycle.shutdown, log, onSignal: options.onSignal });

  options.onServing(servers, stored);
  return ended;
}
