import { messageOf } from '../../model/error-message.js';
import { helpText, parseCommandLine, type FlagTable } from './parse-command-line.js';

export interface ProcessContext {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly pid: number;
  /** True if stdout is a terminal that supports colours, and its user has not disabled them (`NO_COLOR`). */
  readonly colour?: boolean;
  /** Calls the listener for each SIGINT and SIGTERM until the returned function is called. */
  readonly onSignal: (listener: (signal: EndSignal) => void) => () => void;
  /** Lets the command continue when stdout cannot be written to. Otherwise the process ends. */
  readonly outliveOutput?: () => void;
}

export interface TextOutput {
  /** False if a stream keeps the text in memory until `drain`, because its reader is slow. */
  write(text: string): unknown;
  once?(event: 'drain', listener: () => void): unknown;
}

export type EndSignal = 'SIGINT' | 'SIGTERM';

/** The exit codes of a program that a signal ended, as shells report them: 128 plus the number of the signal. */
export const SIGNAL_EXIT_CODES: Readonly<Record<EndSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

type Run = (context: ProcessContext) => Promise<number>;

export interface Command {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly flags: FlagTable;
  /** Reads the words after the name, and opens nothing. The error is one line. */
  readonly prepare: (
    argv: readonly string[],
  ) => { readonly run: Run } | { readonly help: string } | { readonly error: string };
}

interface CommandDefinition<Values> extends Pick<Command, 'name' | 'summary'> {
  readonly flags: FlagTable<Values>;
  readonly operands?: readonly string[];
  readonly about: readonly string[];
  readonly read: (flags: Values, ...operands: readonly string[]) => Run;
}

export function createCommand<Values>(definition: CommandDefinition<Values>): Command {
  const { name, summary, flags, operands = [], about, read } = definition;
  const usage = [name, ...operands].join(' ');
  return {
    ...{ name, usage, summary, flags },
    prepare(argv) {
      try {
        const parsed = parseCommandLine(flags, operands, argv);
        if ('helpWanted' in parsed) return { help: helpText(about, usage, flags) };
        return { run: read(parsed.flags, ...parsed.operands) };
      } catch (error) {
        return { error: messageOf(error) };
      }
    },
  };
}

export const USAGE_ERROR = 2;

/** Runs a command with the words after its name. Resolves to the exit code; an error is one line on stderr. */
export async function runCommand(command: Command, argv: readonly string[], context: ProcessContext): Promise<number> {
  const prepared = command.prepare(argv);
  if ('run' in prepared) return prepared.run(context);
  if ('help' in prepared) {
    context.stdout.write(prepared.help);
    return 0;
  }
  context.stderr.write(`error: ${prepared.error}; see kube-vitals ${command.name} --help\n`);
  return USAGE_ERROR;
}
