import { installForServers, installShutdown } from '../shutdown/install-shutdown.js';
import type { InstallShutdownOptions, ShutdownServer } from '../shutdown/options.js';

/** Options of the shutdown of a Nest application: those of `installShutdown` with the same names. */
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

export type NestShutdownOptions = KubeVitalsShutdownOptions &
  Pick<InstallShutdownOptions, 'health' | 'events' | 'recorder' | 'store' | 'clock'>;

/** The shutdown for Nest's hooks: the step `close` of `installShutdown` lasts while Nest closes the service. */
export function createNestShutdown(options: NestShutdownOptions) {
  const drained = promise();
  const serviceClosed = promise();
  const close = (): Promise<void> => {
    drained.resolve();
    return serviceClosed.settled;
  };
  let shutdown: (() => Promise<unknown>) | undefined;

  return {
    /** Installs the shutdown for the server, before it has its first connection. */
    install(server: ShutdownServer): void {
      ({ shutdown } = installShutdown({ ...options, server, signals: [], close }));
    },
    /** Makes `/readyz` fail, waits for the delay, and drains requests. Resolves when nothing is served any more. */
    drain(): Promise<void> {
      shutdown ??= installForServers([], { ...options, signals: [], close }).shutdown;
      void shutdown();
      return drained.settled;
    },
    async finish(): Promise<void> {
      serviceClosed.resolve();
      await shutdown?.();
    },
  };
}

function promise() {
  let resolve: () => void = () => undefined;
  const settled = new Promise<void>((settle) => (resolve = settle));
  return { settled, resolve: () => resolve() };
}
