import { createCommand, type Command, type ProcessContext } from '../command-line/command.js';
import { serveFlags, completeFlags, type Flags, type ServeFlags } from './flags.js';

/** `kube-vitals serve`. The library is loaded when it runs. */
export const serveCommand: Command = createCommand<ServeFlags>({
  name: 'serve',
  summary: 'Serves /healthz, /livez, /readyz and Events as a Kubernetes API server does.',
  about: [
    'Serves health endpoints and Events as a Kubernetes API server does, until SIGINT or SIGTERM.',
    '',
    'Durations are Go durations: 500ms, 90s, 1h30m.',
  ],
  flags: serveFlags,
  read(values) {
    const flags = completeFlags(values);
    return async (context) => {
      context.outliveOutput?.(); // Only the banner is written there.
      const run = await load(flags);
      return run(flags, context);
    };
  },
});

async function load({ workers }: Flags): Promise<(flags: Flags, context: ProcessContext) => Promise<number>> {
  if (workers === 1) return (await import('./serve.js')).runServe;
  const { isWorkerProcess } = await import('./worker-processes.js');
  return isWorkerProcess() ? (await import('./worker.js')).runWorker : (await import('./primary.js')).runPrimary;
}
