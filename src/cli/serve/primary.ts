import { createServer, type AddressInfo } from 'node:net';
import { systemClock } from '../../clock/clock.js';
import type { ProcessContext } from '../command-line/command.js';
import { banner } from './banner.js';
import type { Flags } from './flags.js';
import { runPrepared } from './preparation.js';
import { DRAIN_TIMEOUT_MS } from './shutdown.js';
import { supervise } from './supervisor.js';
import type { Assignment } from './worker-messages.js';
import { createMetricsRelay } from './worker-metrics.js';
import { spawnWorker } from './worker-processes.js';

/** The time that closing may take, ten seconds at most, and the end of the process. */
const CLOSING_MS = 20_000;

/** Starts the number of workers in `--workers` and keeps them running. Opens nothing itself. @returns the exit code */
export function runPrimary(flags: Flags, context: ProcessContext): Promise<number> {
  const { store: choice, workers } = flags;
  return runPrepared(flags, context, async ({ access, certificate }, log) =>
    supervise({
      workers,
      spawn: spawnWorker,
      assignment: { access, ports: await choosePorts(flags) },
      certificate,
      // A command line without a store has been refused before.
      onServing: (addresses) => choice && context.stdout.write(banner(flags, addresses, { choice })),
      onMetrics: createMetricsRelay(workers, systemClock),
      onSignal: context.onSignal,
      log,
      clock: systemClock,
      shutdownLimitMs: flags.shutdownDelayDuration + DRAIN_TIMEOUT_MS + CLOSING_MS,
    }),
  );
}

/** Finds free ports for 0, so that a restarted worker listens where the others do. */
async function choosePorts({ bindAddress, securePort, insecurePort }: Flags): Promise<Assignment['ports']> {
  const held: (() => void)[] = [];
  const choose = (port: number): Promise<number> =>
    new Promise((resolve, reject) => {
      if (port !== 0) return resolve(port);
      const server = createServer().once('error', ({ message }) =>
        reject(new Error(`--bind-address=${bindAddress}: ${message}`)),
      );
      held.push(() => server.close());
      server.listen(0, bindAddress, () => resolve((server.address() as AddressInfo).port));
    });
  try {
    return {
      securePort: await choose(securePort),
      insecurePort: insecurePort === 'off' ? 'off' : await choose(insecurePort),
    };
  } finally {
    for (const release of held) release();
  }
}
