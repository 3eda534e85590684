import type { Command, ProcessContext } from './command.js';

/** The exit code of an invalid command line. */
export const USAGE_ERROR = 2;

/**
 * Runs a command. Help goes to stdout, errors to stderr in one line.
 *
 * @param argv what follows the name of the command
 * @returns the exit code
 */
export async function runCommand(command: Command, argv: readonly string[], context: ProcessContext): Promise<number> {
  const prepared = command.prepare(argv);
  if ('help' in prepared) {
    context.stdout.write(prepared.help);
    return 0;
  }
  if ('error' in prepared) {
    context.stderr.write(`error: ${prepared.error}; see kube-vitals ${command.name} --help\n`);
    return USAGE_ERROR;
  }
  return prepared.run(context);
}
