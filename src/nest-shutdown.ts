import { installShutdown, lastStep, type InstallShutdownOptions, type ShutdownServer } from './install-shutdown.js';
import { createLifecycle } from './lifecycle/create-lifecycle.js';

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

/** The shutdown of the parts of a Nest application, within the hooks that Nest calls. */
export interface NestShutdown {
  /** Takes the server, before it has its first connection. */
  install(server: ShutdownServer): void;
  /** `/readyz` fails, the delay passes, requests are drained. Resolves when nothing is served any more. */
  drain(): Promise<void>;
  /** Closes health and the store, after `drain`, and resolves when they are closed. */
  finish(): Promise<void>;
}

/** What is shut down, and how. */
export type NestShutdownOptions = KubeVitalsShutdownOptions &
  Pick<InstallShutdownOptions, 'health' | 'events' | 'recorder' | 'store' | 'clock'>;

/** The shutdown of `installShutdown`, whose step `close` lasts as long as Nest closes the service. */
export function createNestShutdown(options: NestShutdownOptions): NestShutdown {
  const drained = promise();
  const serviceClosed = promise();
  const close = (): Promise<void> => {
    drained.resolve();
    return serviceClosed.settled;
  };
  let shutdown: (() => Promise<unknown>) | undefined;

  return {
    install(server): void {
      ({ shutdown } = installShutdown({ ...options, server, signals: [], close }));
    },
    drain(): Promise<void> {
      shutdown ??= withoutServer(options, close);
      void shutdown();
      return drained.settled;
    },
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

function promise(): { readonly settled: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const settled = new Promise<void>((settle) => (resolve = settle));
  return { settled, resolve: () => resolve() };
}
