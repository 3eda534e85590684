import type { Command } from '../command-line/command.js';
import { helpText } from '../command-line/parse-command-line.js';
import { parseServeFlags, serveFlags } from './flags.js';

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
        const { runServe } = await import('./serve.js');
        return runServe(parsed.flags, context);
      },
    };
  },
};

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
