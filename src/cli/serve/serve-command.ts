import type { Command, ProcessContext } from '../command-line/command.js';
import { helpText } from '../command-line/parse-command-line.js';
import { parseServeFlags, serveFlags, type Flags } from './flags.js';

/** `kube-vitals serve`. The library is loaded when it runs. */
export const serveCommand: Command = {
  name: 'serve',
  usage: 'serve',
  summary: 'Serves /healthz, /livez, /readyz and Events as a Kubernetes API server does.',
  prepare(argv) {
    const parsed = parseServeFlags(argv);
    if ('helpWanted' in parsed) return { help: serveHelp() };
    if ('error' in parsed) return parsed;
    return {
      run: async (context) => {
        const run = await load(parsed.flags);
        return run(parsed.flags, context);
      },
    };
  },
};

/** What this process does: all that is served, a part of it, or nothing but to start others that do. */
async function load({ workers }: Flags): Promise<(flags: Flags, context: ProcessContext) => Promise<number>> {
  if (workers === 1) return (await import('./serve.js')).runServe;
  const { isWorkerProcess } = await import('./worker-processes.js');
  return isWorkerProcess() ? (await import('./worker.js')).runWorker : (await import('./primary.js')).runPrimary;
}

function serveHelp(): string {
  return helpText({
    about: [
      'Serves health endpoints and Events as a Kubernetes API server does, until SIGINT or SIGTERM.',
      '',
      'Durations are Go durations: 500ms, 90s, 1h30m.',
    ],
    usage: 'kube-vitals serve [flags]',
    flags: serveFlags,
  });
}
