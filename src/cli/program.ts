import { runCommand, USAGE_ERROR, type Command, type ProcessContext } from './command-line/command.js';
import { copyCommand } from './copy/copy-command.js';
import { eventsCommand } from './events/events-command.js';
import { probeCommand } from './probe/probe-command.js';
import { serveCommand } from './serve/serve-command.js';

const COMMANDS: readonly Command[] = [serveCommand, eventsCommand, copyCommand, probeCommand];

/** @returns the exit code: 0, 1 when the command failed, 2 for a command line that cannot be understood */
export async function runProgram(argv: readonly string[], version: string, context: ProcessContext): Promise<number> {
  const { stdout, stderr } = context;
  const [first, ...rest] = argv;
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    stdout.write(programHelp());
    return 0;
  }
  if (first === '--version') {
    stdout.write(`${version}\n`);
    return 0;
  }
  const command = COMMANDS.find(({ name }) => name === first);
  if (command === undefined) {
    const what = first.startsWith('-')
      ? `unknown flag: ${first.replace(/=.*/s, '')}`
      : `unknown command ${JSON.stringify(first)}`;
    stderr.write(`error: ${what}; see kube-vitals --help\n`);
    return USAGE_ERROR;
  }
  return runCommand(command, rest, context);
}

function programHelp(): string {
  const width = Math.max(...COMMANDS.map(({ usage }) => usage.length));
  return [
    'Kubernetes health endpoints and Events, as a standalone server.',
    '',
    'Usage: kube-vitals COMMAND [flags]',
    '',
    'Commands:',
    ...COMMANDS.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`),
    '',
    '  --help      Prints this help; after a command, the help of that command.',
    '  --version   Prints the version.',
    '',
  ].join('\n');
}
