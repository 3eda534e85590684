import { installShutdown, lastStep } from './install-shutdown.js';
import { createLifecycle } from './lifecycle/create-lifecycle.js';
import type { InstallShutdownOptions, ShutdownServer } from './shutdown-options.js';

/** How a Nest application shuts down: see `installShutdown`, whose options these are. */
export type KubeVitalsShutdownOptions = Pick<
  InstallShutdownOptions,
  | 'delayMs'
  | 'whileDraining'
  | 'drainTimeoutMs'
  | 'idleGraceMs'
  | 'closeTimeoutMs'
  | 'beforeStop'
  | 'onReport'
  | 'observe'
>;

/** What is shut down, and how. */
export type NestShutdownOptions = KubeVitalsShutdownOptions &
  Pick<InstallShutdownOptions, 'health' | 'events' | 'recorder' | 'store' | 'clock'>;

/**
 * The shutdown of the parts of a Nest application, within the hooks that Nest calls: that of `installShutdown`, whose step
 * `close` lasts as long as Nest closes the service.
 */
export function createNestShutdown(options: NestShutdownOptions) {
  const drained = promise();
  const serviceClosed = promise();
  const close = (): Promise<void> => {
    drained.resolve();
    return serviceClosed.settled;
  };
  let shutdown: (() => Promise<unknown>) | undefined;

  return {
    /** Takes the server, before it has its first connection. */
    install(server: ShutdownServer): void {
      ({ shutdown } = installShutdown({ ...options, server, signals: [], close }));
    },
    /** `/readyz` fails, the delay passes, requests are drained. Resolves when nothing is served any more. */
    drain(): Promise<void> {
      shutdown ??= withoutServer(options, close);
      void shutdown();
      return drained.settled;
    },
    /** Closes health and the store, after `drain`, and resolves when they are closed. */
    async finish(): Promise<void> {
      serviceClosed.resolve();
      await shutdown?.();
    },
  };
}

/** For an application that serves no HTTP, such as a worker or a test. */
function withoutServer(options: NestShutdownOptions, close: () => Promise<void>): () => Promise<unknown> {
  const { health, events, closeTimeoutMs, observe, clock } = options;
  return createLifecycle({
    health,
    endWatches: () => events?.close(),
    close: lastStep({ ...options, close }),
    closeTimeoutMs,
    observe,
    clock,
  }).shutdown;
}

function promise() {
  let resolve: () => void = () => undefined;
  const settled = new Promise<void>((settle) => (resolve = settle));
  return { settled, resolve: () => resolve() };
}
